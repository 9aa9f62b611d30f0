import type { GoesOn } from "@/lib/database/deletion";
import { execute, query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";
import { MOST_EVENTS } from "@/lib/servers/events/events";

/** Rows that one statement deletes. */
const AT_ONCE = 2000;

const e = table("Event", "e");
const m = table("MaintenanceTime", "m");
const before = parameter<Date>("timestamptz");

// By their keys, in small statements.
const OLD = [
  statement({ before }, ({ before }) => ({
    sql: `delete from ${e} where (${e.subjectId}, ${e.id}) in (
      select ${e.subjectId}, ${e.id} from ${e} where ${e.endedAt} < ${before} limit ${AT_ONCE})`,
  })),
  statement({ before }, ({ before }) => ({
    sql: `delete from ${m} where (${m.serverId}, ${m.id}) in (
      select ${m.serverId}, ${m.id} from ${m} where ${m.endedAt} < ${before} limit ${AT_ONCE})`,
  })),
];

const OF_SUBJECT = statement({ subject: e.subject, subjectId: e.subjectId }, ({ subject, subjectId }) => ({
  sql: `delete from ${e} where ${e.subjectId} = ${subjectId} and ${e.id} in (
    select ${e.id} from ${e} where ${e.subjectId} = ${subjectId} and ${e.subject} = ${subject} limit ${AT_ONCE})`,
}));

/** Deletes all events of a subject, in small statements. */
export async function deleteEventsOf(subject: string, subjectId: number): Promise<void> {
  while ((await execute(OF_SUBJECT, { subject, subjectId })) === AT_ONCE);
}

const MANY = statement({}, () =>
  select(
    { subject: e.subject, subjectId: e.subjectId },
    `from ${e} group by ${e.subject}, ${e.subjectId} having count(*) > ${MOST_EVENTS}`,
  ),
);
const BEYOND = statement({ subject: e.subject, subjectId: e.subjectId }, ({ subject, subjectId }) => ({
  sql: `delete from ${e} where ${e.subject} = ${subject} and ${e.subjectId} = ${subjectId} and ${e.endedAt} is not null
    and ${e.startedAt} < (select ${e.startedAt} from ${e} where ${e.subject} = ${subject} and ${e.subjectId} = ${subjectId}
      order by ${e.startedAt} desc offset ${MOST_EVENTS - 1} limit 1)`,
}));

/**
 * Deletes events and maintenance that ended so many days before `now` (epoch ms), and of each subject the events beyond the
 * most, the oldest first. Answers how many.
 */
export async function deleteOldEvents(now: number, days: number, goesOn: GoesOn): Promise<number> {
  let rows = 0;
  for (const old of OLD) {
    for (let count = AT_ONCE; count === AT_ONCE && (await goesOn()); rows += count) {
      count = await execute(old, { before: new Date(now - days * DAY) });
    }
  }
  for (const subject of await query(MANY, {})) {
    if (!(await goesOn())) break;
    rows += await execute(BEYOND, subject);
  }
  return rows;
}

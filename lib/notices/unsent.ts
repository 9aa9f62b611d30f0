import type { GoesOn } from "@/lib/database/deletion";
import { query } from "@/lib/database/run-statement";
import { parameter, type Sql, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { UNSENT } from "@/lib/notices/kinds";
import { COLUMNS, IS_WAITING } from "@/lib/notices/rows";

/** The most notices of a channel that are kept: those that wait, and the latest. */
const MOST_NOTICES = 10_000;
/** Rows that one statement deletes. */
const AT_ONCE = 2000;

const n = table("Notice", "n");
const c = table("NoticeChannel", "c");

/** SQL: its end is told to who knows that it goes on. */
const GOES_ON = `(${n.state} = 'told' and ${n.endedAt} is null)`;

const CROWDED = statement({}, () =>
  select({ id: n.channelId }, `from ${n} group by ${n.channelId} having count(*) > ${MOST_NOTICES} limit 1000`),
);

// Raw, because one statement deletes what waits and writes how much it was, which the next message of the channel says.
const DELETE_BEYOND = statement(
  { id: parameter<number>("int") },
  ({ id }): Sql<{ count: number }> => ({
    sql: `with gone as (
        delete from ${n} where ${n.id} = any(array(
          select ${n.id} from ${n} where ${n.channelId} = ${id} and ${n.kind} <> '${UNSENT}'
          order by ${n.state} = 'due' or ${GOES_ON} desc, ${n.id} desc offset ${MOST_NOTICES} limit ${AT_ONCE}))
        returning ${n.id} as id, ${IS_WAITING} as waited),
      told as (
        insert into notices (${COLUMNS})
        select ${c.id}, ${c.accountId}, 'channel', ${c.id}, gone.last, 'begin', '${UNSENT}', gone.count, now(), now(), now(), now()
        from ${c} join (select max(id) as last, count(*) as count from gone where waited) gone on gone.count > 0
        where ${c.id} = ${id})
    select count(*)::int as "count" from gone`,
  }),
);

/** Deletes what is beyond the most of each channel. Of what waited the next message says how much it was. Answers how many. */
export async function deleteBeyond(goesOn: GoesOn): Promise<number> {
  let rows = 0;
  for (const channel of await query(CROWDED, {})) {
    for (let count = AT_ONCE; count === AT_ONCE && (await goesOn()); rows += count) {
      count = (await query(DELETE_BEYOND, channel))[0]?.count ?? 0;
    }
  }
  return rows;
}

import type { Prisma } from "@/lib/database/client";
import { type Ask, query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { MINUTE } from "@/lib/format/time";
import type { TimeRange } from "@/lib/format/time-range";
import type { EventChange } from "@/lib/servers/events/conditions";
import type { EventFacts, EventKind } from "@/lib/servers/events/kinds";

/** A daemon that checked in within this time is online (contract 8). */
export const ONLINE_WINDOW = 2 * MINUTE;

/** Of one server the latest events are read: the retention keeps no more. */
export const MOST_EVENTS = 10_000;

const e = table("Event", "e");

/** Of whom an event is. */
type OfServer = { accountId: number; id: number };

const BEGIN = statement(
  {
    accountId: e.accountId,
    serverId: e.subjectId,
    kind: e.kind,
    from: e.startedAt,
    to: e.endedAt,
    facts: parameter<string>("jsonb"),
  },
  ({ accountId, serverId, kind, from, to, facts }) => ({
    sql: `insert into events (subject, subject_id, account_id, kind, started_at, ended_at, facts)
      values ('server', ${serverId}, ${accountId}, ${kind}, ${from}, ${to}, ${facts}) on conflict do nothing`,
  }),
);
const END = statement(
  { serverId: e.subjectId, kind: e.kind, from: e.startedAt, to: e.startedAt },
  ({ serverId, kind, from, to }) => ({
    sql: `update ${e} set ended_at = greatest(${e.startedAt}, ${to}) where ${e.subjectId} = ${serverId}
      and ${e.subject} = 'server' and ${e.kind} = ${kind} and ${e.startedAt} = ${from} and ${e.endedAt} is null`,
  }),
);

/** Writes what begins, ends or happens, in the transaction of its cause. */
export async function changeEvents(ask: Ask, of: OfServer, changes: readonly EventChange[]): Promise<void> {
  const { accountId, id: serverId } = of;
  for (const { kind, from, to, facts } of changes) {
    const times = { serverId, kind, from: new Date(from) };
    if (facts) {
      const end = to === null ? null : new Date(to);
      await ask(BEGIN, { accountId, ...times, to: end, facts: JSON.stringify(facts) });
    } else await ask(END, { ...times, to: new Date(to) });
  }
}

/** Records what happened to a server in one moment, in a transaction of the typed client. */
export async function recordMoment(
  tx: Prisma.TransactionClient,
  serverId: number,
  kind: EventKind,
  at: Date,
  facts: EventFacts = {},
): Promise<void> {
  const { accountId } = await tx.server.findUniqueOrThrow({ where: { id: serverId }, select: { accountId: true } });
  await tx.event.createMany({
    data: { subject: "server", subjectId: serverId, accountId, kind, startedAt: at, endedAt: at, facts },
    skipDuplicates: true,
  });
}

/** What happened. Times are epoch milliseconds; `to` is null while it goes on. */
export type ServerEvent = { kind: EventKind; from: number; to: number | null; facts: EventFacts };

const columns = { kind: e.kind, from: e.startedAt, to: e.endedAt, facts: e.facts };
const RANGE = { serverId: e.subjectId, from: e.startedAt, to: e.startedAt };
// `coalesce`, so that the index of ends is not taken: it would read what goes on of all servers.
const within = ({ serverId, from, to }: { [Name in keyof typeof RANGE]: string }) =>
  `from ${e} where ${e.subjectId} = ${serverId} and ${e.subject} = 'server' and ${e.startedAt} < ${to}
    and coalesce(${e.endedAt}, 'infinity') >= ${from}`;
const latest = `order by ${e.startedAt} desc limit ${MOST_EVENTS}`;
const EVENTS = statement(RANGE, (range) => select(columns, `${within(range)} ${latest}`));
const OUTAGES = statement(RANGE, (range) => select(columns, `${within(range)} and ${e.kind} = 'offline' ${latest}`));

/** The events of a server that overlap a time (epoch ms), in order. The caller has checked whose server it is. */
export function listEvents(serverId: number, time: TimeRange): Promise<ServerEvent[]> {
  return list(EVENTS, serverId, time);
}

/** As `listEvents`, when it was offline alone. */
export function listOutages(serverId: number, time: TimeRange): Promise<ServerEvent[]> {
  return list(OUTAGES, serverId, time);
}

async function list(which: typeof EVENTS, serverId: number, { from, to }: TimeRange): Promise<ServerEvent[]> {
  const rows = await query(which, { serverId, from: new Date(from), to: new Date(to) });
  return rows.reverse().map(({ kind, facts, ...times }) => ({
    ...{ kind: kind as EventKind, facts: facts as EventFacts },
    ...times,
  }));
}

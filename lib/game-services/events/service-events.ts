import { db } from "@/lib/database/client";
import { query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression, optional, table } from "@/lib/database/tables";
import { MOST_EVENTS } from "@/lib/servers/events/events";
import { LASTING_KINDS, type ServiceEventFacts, type ServiceEventKind } from "./kinds";

/** What happened to a game service. Times in epoch milliseconds; `to` is null while it goes on. */
export type ServiceEvent = {
  kind: ServiceEventKind;
  from: number;
  to: number | null;
  facts: ServiceEventFacts;
  /** Of a change: who made it; null when the account is gone. */
  by: { id: number; name: string } | null;
};

export type ServiceEvents = {
  /** Those that overlap the time that was asked for, in order. */
  events: ServiceEvent[];
  /** From when on events are recorded (epoch ms); null: not yet. */
  recordedSince: number | null;
};

const e = table("Event", "e");
const a = optional("Account", "a");
const instant = parameter<Date>("timestamptz");

const EVENTS = statement(
  { serviceId: e.subjectId, from: instant, to: instant, most: parameter<number>("int") },
  ({ serviceId, from, to, most }) =>
    select(
      { kind: e.kind, from: e.startedAt, to: e.endedAt, facts: e.facts, byId: a.id, byName: a.name },
      `from ${e} left join ${a} on ${a.id} = (${e.facts} ->> 'by')::int
      where ${e.subjectId} = ${serviceId} and ${e.subject} = 'service' and ${e.startedAt} < ${to}
        and (${e.endedAt} is null or ${e.endedAt} >= ${from})
      order by ${e.startedAt} desc, ${e.id} desc limit ${most}`,
    ),
);
const FIRST = statement({ serviceId: e.subjectId }, ({ serviceId }) =>
  select(
    { at: new Expression<Date | null>(`min(${e.startedAt})`, "instant") },
    `from ${e} where ${e.subjectId} = ${serviceId} and ${e.subject} = 'service'`,
  ),
);

/** What happened to a game service in `[from, to)` (epoch ms). The caller has checked that it may be seen. */
export async function listServiceEvents(
  serviceId: number,
  { from, to }: { from: number; to: number },
): Promise<ServiceEvents> {
  const [rows, [first]] = await Promise.all([
    query(EVENTS, { serviceId, from: new Date(from), to: new Date(to), most: MOST_EVENTS }),
    query(FIRST, { serviceId }),
  ]);
  const events = rows.reverse().map(({ kind, from, to, facts, byId, byName }) => ({
    ...{ kind: kind as ServiceEventKind, from, to, facts: facts as ServiceEventFacts },
    by: byId === null || byName === null ? null : { id: byId, name: byName },
  }));
  return { events, recordedSince: first?.at ?? null };
}

/** What goes on with a service, and since when (epoch ms): its status, and that no live edge node has it. */
export type GoesOn = ReadonlyMap<ServiceEventKind, number>;

/** What goes on with each of these services; those of which nothing is recorded are left out. */
export async function listGoingOn(serviceIds: readonly number[]): Promise<ReadonlyMap<number, GoesOn>> {
  const rows = await db.event.findMany({
    where: {
      ...{ subject: "service", subjectId: { in: [...serviceIds] }, endedAt: null, kind: { in: [...LASTING_KINDS] } },
    },
    select: { subjectId: true, kind: true, startedAt: true },
  });
  const goingOn = new Map<number, Map<ServiceEventKind, number>>();
  for (const { subjectId: serviceId, kind, startedAt } of rows) {
    const ofService = goingOn.get(serviceId) ?? new Map();
    goingOn.set(serviceId, ofService.set(kind as ServiceEventKind, startedAt.getTime()));
  }
  return goingOn;
}

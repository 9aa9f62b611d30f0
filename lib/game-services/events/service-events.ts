import { db } from "@/lib/database/client";
import { query } from "@/lib/database/run-statement";
import { select, statement } from "@/lib/database/statement";
import { optional, table } from "@/lib/database/tables";
import type { TimeRange } from "@/lib/format/time-range";
import { MOST_EVENTS } from "@/lib/servers/events/events";
import { LASTING_KINDS, type ServiceEventFacts, type ServiceEventKind } from "./kinds";

export type ServiceEvents = Awaited<ReturnType<typeof listServiceEvents>>;
/** What happened to a game service. Times in epoch milliseconds; `to` is null while it goes on. */
export type ServiceEvent = ServiceEvents["events"][number];

const e = table("Event", "e");
const a = optional("Account", "a");

const EVENTS = statement({ serviceId: e.subjectId, from: e.startedAt, to: e.startedAt }, ({ serviceId, from, to }) =>
  select(
    { kind: e.kind, from: e.startedAt, to: e.endedAt, facts: e.facts, byId: a.id, byName: a.name },
    `from ${e} left join ${a} on ${a.id} = (${e.facts} ->> 'by')::int
      where ${e.subjectId} = ${serviceId} and ${e.subject} = 'service' and ${e.startedAt} < ${to}
        and (${e.endedAt} is null or ${e.endedAt} >= ${from})
      order by ${e.startedAt} desc, ${e.id} desc limit ${MOST_EVENTS}`,
  ),
);

/**
 * What happened to a game service in `[from, to)` (epoch ms), in order. The caller has checked that it may be seen. `by`: who
 * made a change; null when the account is gone. `recordedSince`: from when on events are recorded (epoch ms); null: not yet.
 */
export async function listServiceEvents(serviceId: number, { from, to }: TimeRange) {
  const [rows, first] = await Promise.all([
    query(EVENTS, { serviceId, from: new Date(from), to: new Date(to) }),
    // Not a minimum by the client: it would read all events of the service.
    db.event.findFirst({
      where: { subject: "service", subjectId: serviceId },
      orderBy: { startedAt: "asc" },
      select: { startedAt: true },
    }),
  ]);
  const events = rows.reverse().map(({ kind, from, to, facts, byId, byName }) => ({
    ...{ kind: kind as ServiceEventKind, from, to, facts: facts as ServiceEventFacts },
    by: byId === null || byName === null ? null : { id: byId, name: byName },
  }));
  return { events, recordedSince: first?.startedAt.getTime() ?? null };
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

import { HOUR, MINUTE } from "@/lib/format/time";
import { newGameService, putEvents } from "./factories";
import { recordIntervals } from "./record-intervals";

// Of one moment, because a minute may end between what is stored and what is expected.
const NOW = Math.floor(Date.now() / MINUTE) * MINUTE;

/** So many hours before now. */
export const at = (hours: number) => new Date(NOW - hours * HOUR);

/** A service of eight hours with five events, which edge nodes count. */
export async function eventfulService(accountId: number): Promise<number> {
  const times = { createdAt: at(8), updatedAt: at(8) };
  const { id } = await newGameService(accountId, { status: "active", ...times });
  const rows = [
    ["failed", 6, 5, { error: "edge-1: no route to <b>origin</b>\u202E" }],
    ["node_silent", 4, 3.5, { node: "edge-2", node_id: 2 }],
    ["settings_changed", 3, 3, { by: accountId, what: "name, origin" }],
    ["turned_off", 2, 2, { by: accountId }],
  ] as const;
  const events = rows.map(([kind, from, to, facts]) => ({ kind, facts, startedAt: at(from), endedAt: at(to) }));
  await putEvents(["service", id], ...events);
  const counted = { serviceId: id, packets: 5, bytes: 5, connections: 5 };
  await recordIntervals([1, 2, 3].map((hours) => ({ ...counted, ts: at(hours).getTime() })));
  return id;
}

import { listServerEvents, type ServerEvents } from "@/lib/servers/events/server-events";
import { UPTIME_RANGES } from "@/lib/servers/events/uptime";
import { getServer } from "@/lib/servers/servers";
import { csvAnswer } from "../csv-answer";

type Context = { params: Promise<{ id: string }> };

/**
 * The events of a server of the session's account, from which `public/recipes/uptime.py` recomputes its uptime. The first
 * row says from when to when events are recorded.
 */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  return csvAnswer(async (account) => {
    const { id } = await getServer(account.id, (await params).id);
    const now = Date.now();
    const events = await listServerEvents(id, { from: now - UPTIME_RANGES["365 days"], to: now + 1 }, now);
    return { name: `server-${id}-events`, rows: rowsOf(events, now) };
  });
}

function rowsOf({ silences, others, maintenance, recordedSince }: ServerEvents, now: number) {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return [
    ["event", "from", "to"],
    ["recorded", time(recordedSince), time(now)],
    ...[...silences, ...others, ...maintenance.map((times) => ({ kind: "maintenance", ...times }))]
      .sort((a, b) => a.from - b.from)
      .map(({ kind, from, to }) => [kind, time(from), time(to)]),
  ];
}

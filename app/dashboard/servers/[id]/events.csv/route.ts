import { listEvents, type ServerEvent } from "@/lib/servers/events/events";
import { type Availability, getAvailability, UPTIME_RANGES } from "@/lib/servers/events/uptime";
import { getServerReport } from "@/lib/servers/servers";
import { csvAnswer } from "../csv-answer";

/**
 * The events of a server of the session's account, from which `public/recipes/uptime.py` recomputes its uptime. The first
 * row says from when to when events are recorded.
 */
export async function GET(
  _: Request,
  { params }: RouteContext<"/dashboard/servers/[id]/events.csv">,
): Promise<Response> {
  return csvAnswer(async (account) => {
    const { server, now } = await getServerReport(account.id, (await params).id);
    const [events, availability] = await Promise.all([
      listEvents(server.id, { from: now - UPTIME_RANGES["365 days"], to: now + 1 }),
      getAvailability(server.id, now),
    ]);
    return { name: `server-${server.id}-events`, rows: rowsOf(events, availability) };
  });
}

function rowsOf(events: readonly ServerEvent[], { maintenance, since, now }: Availability) {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return [
    ["event", "from", "to"],
    ["recorded", time(since), time(now)],
    ...[...events, ...maintenance.map((times) => ({ kind: "maintenance", ...times }))]
      .sort((a, b) => a.from - b.from)
      .map(({ kind, from, to }) => [kind, time(from), time(to)]),
  ];
}

import { NotFoundError } from "@/lib/failures";
import { csvRow } from "@/lib/format/csv";
import { listServerEvents, type ServerEvents } from "@/lib/servers/events/server-events";
import { UPTIME_RANGES } from "@/lib/servers/events/uptime";
import { getServer } from "@/lib/servers/servers";
import { findAccount } from "@/lib/sign-in/sessions";

type Context = { params: Promise<{ id: string }> };

/**
 * The events of a server of the session's account, from which `public/recipes/uptime.py` recomputes its uptime. The first
 * row says from when to when events are recorded.
 */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  const account = await findAccount();
  if (!account) return plainText("Sign in to the console first.", 401);
  const { id: text } = await params;
  try {
    const { id } = await getServer(account.id, text);
    const now = Date.now();
    const events = await listServerEvents(id, { from: now - UPTIME_RANGES["365 days"], to: now + 1 }, now);
    return new Response(csvOf(events, now), {
      headers: {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": `attachment; filename="server-${id}-events.csv"`,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
      },
    });
  } catch (error) {
    if (error instanceof NotFoundError) return plainText("Not found.", 404);
    throw error;
  }
}

function csvOf({ silences, others, maintenance, recordedSince }: ServerEvents, now: number): string {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return [
    ["event", "from", "to"],
    ["recorded", time(recordedSince), time(now)],
    ...[...silences, ...others, ...maintenance.map((times) => ({ kind: "maintenance", ...times }))]
      .sort((a, b) => a.from - b.from)
      .map(({ kind, from, to }) => [kind, time(from), time(to)]),
  ]
    .map(csvRow)
    .join("");
}

function plainText(text: string, status: number): Response {
  return new Response(`${text}\n`, { status, headers: { "Content-Type": "text/plain", "Cache-Control": "no-store" } });
}

import { heardShare } from "@/app/ui/chart/series";
import { listServerEvents, type ServerEvents } from "@/lib/servers/events/server-events";
import { silentTimes } from "@/lib/servers/events/silence";
import { getServer } from "@/lib/servers/servers";
import { HISTORY_MEASURES } from "@/lib/servers/telemetry/bands";
import { getHistory, type History } from "@/lib/servers/telemetry/history";
import { csvAnswer } from "../csv-answer";
import { historyTime } from "../history-time";

type Context = { params: Promise<{ id: string }> };

/** The history of a server of the session's account, one step a row, for spreadsheets. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  return csvAnswer(async (account) => {
    const { id } = await params;
    const time = historyTime(Object.fromEntries(new URL(request.url).searchParams), account.timeZone);
    if (time.asked.kind === "refused") return { refused: time.asked.message };
    const [server, history] = await Promise.all([getServer(account.id, id), getHistory(account.id, id, time.shown)]);
    const events = await listServerEvents(server.id, { from: history.from, to: history.until }, history.now);
    const name = `server-${id}-${Object.values(time.params).join("-").replaceAll(":", "")}`;
    return { name, rows: rowsOf(server.label, history, events) };
  });
}

const COLUMNS = ["low", "mean", "high"] as const;

function rowsOf(label: string, history: History, { silences, recordedSince }: ServerEvents) {
  const { points, step, until } = history;
  const heard = { silences: silentTimes(silences, history), since: recordedSince };
  const measures = HISTORY_MEASURES.flatMap((measure) => COLUMNS.map((column) => `${measure} ${column}`));
  const rows = points.map(({ at, bands, late }) => [
    label,
    new Date(at).toISOString(),
    percentOf(heardShare(heard, at, Math.min(at + step, until))),
    ...HISTORY_MEASURES.flatMap((measure) => {
      const band = bands[measure];
      return band ? [band.least, rounded(band.mean), band.greatest] : [null, null, null];
    }),
    bands.score?.count ?? 0,
    late,
  ]);
  return [["server", "from", "heard %", ...measures, "score minutes", "reported later minutes"], ...rows];
}

function percentOf(share: number | null): number | null {
  return share === null ? null : Math.round(share * 100);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

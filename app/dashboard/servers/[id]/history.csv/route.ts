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
    const [{ label }, history] = await Promise.all([getServer(account.id, id), getHistory(account.id, id, time.shown)]);
    const name = `server-${id}-${Object.values(time.params).join("-").replaceAll(":", "")}`;
    return { name, rows: rowsOf(label, history) };
  });
}

const COLUMNS = ["low", "mean", "high"] as const;

function rowsOf(label: string, { points }: History) {
  const measures = HISTORY_MEASURES.flatMap((measure) => COLUMNS.map((column) => `${measure} ${column}`));
  const rows = points.map(({ at, heard, bands, late }) => [
    label,
    new Date(at).toISOString(),
    Math.round(heard * 100),
    ...HISTORY_MEASURES.flatMap((measure) => {
      const band = bands[measure];
      return band ? [band.least, rounded(band.mean), band.greatest] : [null, null, null];
    }),
    bands.score?.count ?? 0,
    late,
  ]);
  return [["server", "from", "heard %", ...measures, "score minutes", "reported later minutes"], ...rows];
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

import { getServerReport } from "@/lib/servers/servers";
import { getHistory, type History } from "@/lib/servers/telemetry/history";
import { HISTORY_MEASURES } from "@/lib/servers/telemetry/measurements";
import { csvAnswer } from "../csv-answer";
import { historyTime } from "../history-time";

/** The history of a server of the session's account, one step a row, for spreadsheets. */
export async function GET(
  request: Request,
  { params }: RouteContext<"/dashboard/servers/[id]/history.csv">,
): Promise<Response> {
  return csvAnswer(async (account) => {
    const { id } = await params;
    const time = historyTime(Object.fromEntries(new URL(request.url).searchParams), account.timeZone);
    if (time.asked.kind === "refused") return { refused: time.asked.message };
    const { server, now } = await getServerReport(account.id, id);
    const history = await getHistory(server.id, time.shown, now);
    const name = `server-${id}-${Object.values(time.params).join("-").replaceAll(":", "")}`;
    return { name, rows: rowsOf(server.label, history) };
  });
}

const COLUMNS = ["low", "mean", "high"] as const;

function rowsOf(label: string, { points }: History) {
  const measures = HISTORY_MEASURES.flatMap((measure) => COLUMNS.map((column) => `${measure} ${column}`));
  const rows = points.map(({ at, bands }) => [
    label,
    new Date(at).toISOString(),
    ...HISTORY_MEASURES.flatMap((measure) => {
      const band = bands[measure];
      return band ? [band.least, rounded(band.mean), band.greatest] : [null, null, null];
    }),
    bands.score?.count ?? 0,
  ]);
  return [["server", "from", ...measures, "samples"], ...rows];
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

import { NotFoundError } from "@/lib/failures";
import { csvRow } from "@/lib/format/csv";
import { getServer } from "@/lib/servers/servers";
import { HISTORY_MEASURES } from "@/lib/servers/telemetry/bands";
import { getHistory, type History } from "@/lib/servers/telemetry/history";
import { findAccount } from "@/lib/sign-in/sessions";
import { historyTime } from "../history-time";

type Context = { params: Promise<{ id: string }> };

/** The history of a server of the session's account, one step a row, for spreadsheets. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const account = await findAccount();
  if (!account) return plainText("Sign in to the console first.", 401);
  const { id } = await params;
  const { searchParams } = new URL(request.url);
  const time = historyTime(Object.fromEntries(searchParams), account.timeZone);
  if (time.asked.kind === "refused") return plainText(time.asked.message, 400);
  try {
    const [{ label }, history] = await Promise.all([getServer(account.id, id), getHistory(account.id, id, time.shown)]);
    return new Response(csvOf(label, history), {
      headers: {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": `attachment; filename="server-${id}-${Object.values(time.params).join("-").replaceAll(":", "")}.csv"`,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
      },
    });
  } catch (error) {
    if (error instanceof NotFoundError) return plainText("Not found.", 404);
    throw error;
  }
}

const COLUMNS = ["low", "mean", "high"] as const;

function csvOf(label: string, { points }: History): string {
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
  return [["server", "from", "heard %", ...measures, "score minutes", "reported later minutes"], ...rows]
    .map(csvRow)
    .join("");
}

function plainText(text: string, status: number): Response {
  return new Response(`${text}\n`, { status, headers: { "Content-Type": "text/plain", "Cache-Control": "no-store" } });
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

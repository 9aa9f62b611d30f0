import { has } from "@/e2e/support/programs.mjs";
import { PlainError } from "@/lib/failures";
import { MINUTE, SECOND } from "@/lib/format/time";
import { buildIfChanged, DIST_DIRS } from "./build";
import { type SoakReport, soak } from "./soak/soak";
import { formatTable } from "./table";

const USUAL_MINUTES = "10";
const MOST_MINUTES = 7 * 24 * 60;

/**
 * `npm run soak`: ten minutes of mixed load, or `SOAK_MINUTES` of them, while PostgreSQL and Redis are frozen, killed and
 * restarted, and then bodies whose ends never come. Ends with 1 when anything was wrong.
 */
export async function main(): Promise<number> {
  const text = process.env.SOAK_MINUTES || USUAL_MINUTES;
  const minutes = Number(text);
  if (!(minutes > 0 && minutes <= MOST_MINUTES)) {
    throw new PlainError(`SOAK_MINUTES must be a number of minutes up to ${MOST_MINUTES}, not "${text}".`);
  }
  if (process.platform !== "linux") throw new PlainError("The soak reads /proc, which only Linux has.");
  if (!has("postgres") || !has("redis-server"))
    throw new PlainError("PostgreSQL and redis-server must both be installed.");
  await buildIfChanged(DIST_DIRS.test);
  console.log(`Load for ${minutes} minutes, and until the stores have been in trouble in every way …`);
  const report = await soak(minutes * MINUTE);
  print(report);
  return report.problems.length === 0 ? 0 : 1;
}

function print({ answers, troubles, slopes, most, revocations, withheld, lines, problems }: SoakReport): void {
  const kinds = new Map<string, Map<number, number>>();
  for (const { what, status } of answers) {
    const counts = kinds.get(what) ?? new Map<number, number>();
    kinds.set(what, counts.set(status, (counts.get(status) ?? 0) + 1));
  }
  const rows = [...kinds].sort().map(([what, counts]) => [
    what,
    [...counts]
      .sort()
      .map(([status, count]) => `${count} × ${status}`)
      .join(", "),
  ]);
  console.log(`\n${formatTable([["asked", "answers"], ...rows])}`);
  const spans = troubles.map(({ what, from, to }) => [what, `${((to - from) / SECOND).toFixed(1)} s`]);
  console.log(`\n${formatTable([["trouble", "until it was ready"], ...spans])}`);
  const signed = (value: number, unit: string) => `${value < 0 ? "" : "+"}${value.toFixed(2)} ${unit} a minute`;
  const slopeRows = slopes.map(({ megabytes, handles, from }, n) => [
    String(n + 1),
    `${from.megabytes.toFixed(0)} MB, ${signed(megabytes, "MB")}`,
    `${from.handles}, ${signed(handles, "handles")}`,
  ]);
  console.log(`\n${formatTable([["instance", "memory in the second half", "handles"], ...slopeRows])}`);
  console.log(`\nAccepted of one token in 60 s: at most ${most.together}, by one instance at most ${most.alone}.`);
  const [before, peak, afterwards] = [withheld.before, withheld.most, withheld.afterwards].map((mb) => mb.toFixed(0));
  const statuses = [...withheld.statuses].map(([status, count]) => `${count} × ${status}`).join(", ");
  console.log(`Withheld bodies: ${statuses}; ${before} MB before, at most ${peak}, ${afterwards} a minute afterwards.`);
  console.log(`${revocations} tokens were revoked; ${lines} lines were logged; ${troubles.length} troubles.`);
  for (const problem of problems) console.log(problem);
  console.log(problems.length === 0 ? "All is well." : "Something was wrong.");
}

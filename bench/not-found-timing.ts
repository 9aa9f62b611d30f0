// Checks whether the time of a 404 tells another account's id from an unknown id (docs/security-checks.md, check 12). This is
// not a test, because its result depends on how busy the machine is. It calls the API's handlers in this process, in random
// order, on a PostgreSQL server that it starts itself:
//
//   node --import tsx bench/not-found-timing.ts
import { startPostgres } from "@/e2e/support/postgres-server";
import { migrate } from "@/scripts/database";
import { formatTable } from "@/scripts/table";

const PAIRS = 2000;
const WARM_UP = 200;
/** A token is good for 120 requests a minute. */
const PER_TOKEN = 110;
const UNKNOWN = 2_000_000_000;

const postgres = await startPostgres();
try {
  process.env.DATABASE_URL = postgres.url;
  await migrate(postgres.url);
  console.log(formatTable(await measure()));
} finally {
  await postgres.stop();
}
process.exit();

async function measure(): Promise<string[][]> {
  // Imported here, because these modules read the database URL when they load.
  const { newAccount, newGameService, newServer, newToken } = await import("@/e2e/support/factories");
  const { answerInProcess } = await import("@/e2e/support/in-process");
  const other = await newAccount();
  const [server, service] = [await newServer(other.id), await newGameService(other.id)];
  const rows = [["", "foreign, median", "unknown, median", "difference", "p (Mann-Whitney)"]];
  for (const { pattern, id } of [
    { pattern: "/api/v1/servers/:id", id: server.id },
    { pattern: "/api/v1/servers/:id/benchmarks", id: server.id },
    { pattern: "/api/v1/game-services/:id", id: service.id },
    { pattern: "/api/v1/game-services/:id/metrics", id: service.id },
  ]) {
    const caller = await newAccount();
    const times: Record<"foreign" | "unknown", number[]> = { foreign: [], unknown: [] };
    let token = caller.token;
    for (let sent = 0; sent < 2 * (PAIRS + WARM_UP); sent++) {
      if (sent % PER_TOKEN === 0) token = await newToken(caller.id);
      // Each pair has both, in either order.
      const isForeign = sent % 2 === 0 ? Math.random() < 0.5 : times.foreign.length <= times.unknown.length;
      const path = pattern.replace(":id", String(isForeign ? id : UNKNOWN));
      const started = performance.now();
      const { status } = await answerInProcess(path, { token });
      times[isForeign ? "foreign" : "unknown"].push(performance.now() - started);
      if (status !== 404) throw new Error(`${path}: ${status}`);
    }
    const [foreign, unknown] = [times.foreign.slice(WARM_UP), times.unknown.slice(WARM_UP)];
    const [a, b] = [median(foreign), median(unknown)];
    rows.push([
      pattern,
      `${a.toFixed(4)} ms`,
      `${b.toFixed(4)} ms`,
      `${((100 * (a - b)) / b).toFixed(2)} %`,
      mannWhitney(foreign, unknown).toFixed(3),
    ]);
  }
  return rows;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** How likely two samples of one distribution differ as much as these in their ranks: two-sided, normal approximation. */
function mannWhitney(first: readonly number[], second: readonly number[]): number {
  const all = [...first.map((time) => ({ time, rank: 1 })), ...second.map((time) => ({ time, rank: 0 }))];
  all.sort((a, b) => a.time - b.time);
  const ranks = all.reduce((sum, { rank }, index) => sum + rank * (index + 1), 0);
  const [n, m] = [first.length, second.length];
  const z = (ranks - (n * (n + m + 1)) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
  return 2 * (1 - normal(Math.abs(z)));
}

/** The standard normal distribution up to `z`, by Zelen and Severo's polynomial (error below 1e-7). */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const tail = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429].reduceRight(
    (sum, factor) => (sum + factor) * t,
    0,
  );
  return 1 - (tail * Math.exp(-(z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

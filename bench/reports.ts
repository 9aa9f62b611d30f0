import { runSql } from "@/e2e/support/run-sql";
import { PlainError } from "@/lib/failures";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import type { Bench, BenchRequest } from "./bench";
import { checkInAt } from "./check-in";
import { addReporters } from "./database";
import { readCpuMs } from "./process-use";
import { median } from "./rounds";

/** Reports a second that one process takes with 16 on their way at once. */
const GOAL = 500;
const CONNECTIONS = [1, 16, 64] as const;

const SERVERS = 1000;
/** The console takes what is up to two hours old, and stores one sample for each ten seconds. */
const OLDEST = 2 * HOUR - 5 * MINUTE;
const STEP = 10 * SECOND;
const MEASURED_MS = 2 * SECOND;
/** Bodies of one stretch: no more than so many for each key in these seconds. */
const BODIES = 15;

/**
 * Check-ins of a thousand servers, taken in by one process. Each has a later time than all others of its server, since
 * of one moment nothing would be stored, and is encoded before time is taken.
 * @throws PlainError when a report was accepted and its sample is not in the database.
 */
export async function reports(bench: Bench, rounds: number): Promise<string[][]> {
  const app = await bench.direct();
  const { accountId, keys } = await addReporters(bench.data.url, "reporting", SERVERS, OLDEST + MINUTE);
  const first = Math.floor((Date.now() - OLDEST) / STEP) * STEP;
  let moment = 0;
  const send = async (request: Partial<BenchRequest>) => {
    const bodies = Array.from({ length: BODIES }, (_, index) =>
      Buffer.from(checkInAt(first + (moment + index) * STEP)).toString("base64"),
    );
    const answered = await bench.ask(app, { path: "/ingest/v1/check-ins", bodies, tokens: keys, ...request });
    moment += Math.ceil(answered.answers / keys.length);
    return answered;
  };
  // Counters are differenced from the second report on, and the first one is stored with it.
  await send({ requests: 2 * keys.length, ms: MINUTE });

  let [accepted, stored] = [0, 0];
  const measured: { perSecond: number; cpuUs: number }[][] = CONNECTIONS.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, connections] of CONNECTIONS.entries()) {
      const [before, cpuBefore] = [await countSamples(bench, accountId), readCpuMs(app.child.pid)];
      const { answers, perSecond } = await send({ connections, ms: MEASURED_MS });
      const cpuUs = ((readCpuMs(app.child.pid) - cpuBefore) * 1000) / answers;
      measured[index]?.push({ perSecond, cpuUs });
      accepted += answers;
      stored += (await countSamples(bench, accountId)) - before;
    }
  }
  if (accepted !== stored) throw new PlainError(`${accepted} reports were accepted and ${stored} stored.`);
  return [
    ["check-ins of 1,000 servers", "a second", `of ${GOAL}`, "CPU of the app each"],
    ...CONNECTIONS.map((connections, index) => {
      const each = measured[index] ?? [];
      const perSecond = median(each.map((one) => one.perSecond));
      return [
        `${connections} at once`,
        perSecond.toFixed(0),
        (perSecond / GOAL).toFixed(2),
        `${median(each.map(({ cpuUs }) => cpuUs)).toFixed(0)} µs`,
      ];
    }),
    ["accepted and stored", String(stored), "", ""],
  ];
}

async function countSamples({ data }: Bench, accountId: number): Promise<number> {
  const [row] = await runSql<{ samples: number }>(
    data.url,
    "select count(*)::int as samples from telemetry_samples t join servers s on s.id = t.server_id where s.account_id = $1",
    [accountId],
  );
  return row?.samples ?? 0;
}

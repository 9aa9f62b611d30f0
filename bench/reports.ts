import pg from "pg";
import { PlainError } from "@/lib/failures";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import type { Bench, BenchRequest, Target } from "./bench";
import { addReporters } from "./database";
import { readProcessUse } from "./process-use";
import { median } from "./rounds";
import type { Sender } from "./senders";

/** Reports a second that one process takes, with so many on their way at once. */
const GOAL = 500;
const CONNECTIONS = [1, 16, 64] as const;
const GOAL_CONNECTIONS = 16;

const SERVERS = 1000;
/** The console takes what is up to two hours old, and stores one sample for each ten seconds. */
const OLDEST = 2 * HOUR - 5 * MINUTE;
const STEP = 10 * SECOND;
const MEASURED_MS = 2 * SECOND;
/** Bodies of one stretch: no more than so many for each key in these seconds. */
const BODIES = 15;

/**
 * Reports of a thousand servers, taken in by one process. Each is of a later moment than all of its server before, since
 * of one moment nothing would be stored, and is encoded before time is taken.
 * @throws PlainError when a report was accepted and its sample is not in the database.
 */
export async function reports(
  bench: Bench,
  rounds: number,
  senders: Readonly<Record<string, Sender>>,
): Promise<string[][]> {
  const rows = [
    [
      "reports of 1,000 servers by",
      "bytes",
      ...CONNECTIONS.map((count) => `${count} at once, /s`),
      `of ${GOAL} (${GOAL_CONNECTIONS})`,
      "CPU of the app each",
      "accepted",
      "stored",
    ],
  ];
  const app = await bench.direct();
  for (const [name, sender] of Object.entries(senders)) rows.push(await reportsOf(bench, app, rounds, name, sender));
  return rows;
}

async function reportsOf(bench: Bench, app: Target, rounds: number, name: string, sender: Sender): Promise<string[]> {
  const { accountId, keys } = await addReporters(bench.data.url, `reporting by ${name}`, SERVERS, OLDEST + MINUTE);
  const first = Math.floor((Date.now() - OLDEST) / STEP) * STEP;
  let moment = 0;
  const send = async (request: Partial<BenchRequest>) => {
    const bodies = Array.from({ length: BODIES }, (_, index) =>
      sender.body(first + (moment + index) * STEP, moment + index).toString("base64"),
    );
    const { path, contentType, contentEncoding, status } = sender;
    const headers = contentEncoding ? [`Content-Encoding: ${contentEncoding}`] : [];
    const answered = await bench.ask(app, { path, contentType, headers, status, bodies, tokens: keys, ...request });
    moment += Math.ceil(answered.answers / keys.length);
    return answered;
  };
  // Counters are differenced from the second report on, and the first one is stored with it.
  await send({ requests: 2 * keys.length, ms: MINUTE });

  let [accepted, stored] = [0, 0];
  const measured: { perSecond: number; cpuUs: number }[][] = CONNECTIONS.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, connections] of CONNECTIONS.entries()) {
      const [before, cpuBefore] = [await countSamples(bench, accountId), readProcessUse(app.child.pid).cpuMs];
      const { answers, perSecond } = await send({ connections, ms: MEASURED_MS });
      const cpuUs = ((readProcessUse(app.child.pid).cpuMs - cpuBefore) * 1000) / answers;
      measured[index]?.push({ perSecond, cpuUs });
      accepted += answers;
      stored += (await countSamples(bench, accountId)) - before;
    }
  }
  if (accepted !== stored) throw new PlainError(`${accepted} reports by ${name} were accepted and ${stored} stored.`);
  const rates = measured.map((each) => median(each.map(({ perSecond }) => perSecond)));
  const goal = CONNECTIONS.indexOf(GOAL_CONNECTIONS);
  return [
    name,
    String(sender.body(first, 0).length),
    ...rates.map((value) => value.toFixed(0)),
    ((rates[goal] ?? Number.NaN) / GOAL).toFixed(2),
    `${median((measured[goal] ?? []).map(({ cpuUs }) => cpuUs)).toFixed(0)} µs`,
    String(accepted),
    String(stored),
  ];
}

async function countSamples({ data }: Bench, accountId: number): Promise<number> {
  const client = new pg.Client(data.url);
  await client.connect();
  try {
    const { rows } = await client.query(
      "select count(*)::int as samples from telemetry_samples t join servers s on s.id = t.server_id where s.account_id = $1",
      [accountId],
    );
    return rows[0].samples;
  } finally {
    await client.end();
  }
}

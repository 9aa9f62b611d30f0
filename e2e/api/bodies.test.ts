import { expect, onTestFinished, test, vi } from "vitest";
import { AGENT_PATHS, CHECK_INS, REPORTERS, type Reporter, typeOf } from "@/e2e/support/agent-protocols";
import { ask } from "@/e2e/support/ask";
import { bearer } from "@/e2e/support/calls";
import { edgeNodesInProcess } from "@/e2e/support/edge-in-process";
import { newBenchmarkRun, newReportingServer } from "@/e2e/support/factories";
import { fairCounts } from "@/lib/process/fair";
import { hashToken, mintToken } from "@/lib/tokens/format";

// What bodies are refused for, and in which order: of each thing that is wrong with a request the first is told.

const KB = 1024;
const MB = 1024 * KB;
const TEXT = { "Content-Type": "text/plain" };

const { newNode } = edgeNodesInProcess();

/** A server with a benchmark run that is awaited, and an edge node: the keys of all three. */
async function newSender() {
  const run = mintToken("benchmarkKey");
  const { id, key: server } = await newReportingServer();
  await newBenchmarkRun(id, { status: "pending", finishedAt: null, agentTokenHash: hashToken(run) });
  return { server, node: (await newNode()).key, run };
}
type Sender = Awaited<ReturnType<typeof newSender>>;

type Sent = { path: string; headers: Record<string, string>; body: string | Uint8Array<ArrayBuffer> };
const post = ({ path, headers, body }: Sent) => {
  const length = { "Content-Length": String(Buffer.byteLength(body)) };
  return ask(path, { method: "POST", headers: { ...length, ...headers }, body });
};

/** As `post`, of a body that announces more than it has, until `breakOff`. */
function withhold({ path, headers, body }: Sent, announced: number) {
  let breakOff = () => {};
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from(body));
      breakOff = () => controller.error(new Error("aborted"));
    },
  });
  const init = { headers: { ...headers, "Content-Length": String(announced) }, body: stream, duplex: "half" };
  return { answered: ask(path, { method: "POST", ...init } as RequestInit), breakOff: () => breakOff() };
}

/** An endpoint: how its senders are told apart and what it refuses. */
type Endpoint = {
  path(sender: Sender): string;
  credentials(sender: Sender): Record<string, string>;
  type: Record<string, string>;
  wrongType: Record<string, string>;
  maxBytes: number;
  /** A small body that no parser accepts. */
  bad: string;
  /** How many reports a sender has in a minute. */
  quota: number;
  /** What a sender without credentials is told. */
  unknown: number;
};

const AT_ONCE = 20;
const OF_JSON = { type: typeOf(CHECK_INS), wrongType: TEXT, bad: "{", quota: 300, unknown: 401 };

const serverEndpoint = (name: string, maxBytes: number, wrongType: Endpoint["wrongType"]): Endpoint => {
  const { path } = REPORTERS[name] as Reporter;
  const credentials = ({ server }: Sender) => bearer(server);
  return { ...OF_JSON, path: () => path, credentials, type: typeOf(path), wrongType, maxBytes };
};

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  "check-ins": serverEndpoint("the daemon", 16 * KB, TEXT),
  Prometheus: serverEndpoint("Prometheus", 256 * KB, TEXT),
  Influx: { ...serverEndpoint("Telegraf", MB, { "Content-Encoding": "br" }), bad: "a" },
  OTLP: serverEndpoint("the Collector", MB, TEXT),
  "edge reports": {
    ...OF_JSON,
    path: () => "/ingest/v1/edge/reports",
    credentials: ({ node }) => bearer(node),
    maxBytes: 256 * KB,
  },
  "benchmark results": {
    ...OF_JSON,
    path: ({ run }) => `/ingest/v1/benchmarks/${run}`,
    credentials: () => ({}),
    maxBytes: 64 * KB,
    quota: 20,
    // Its key is in its path.
    unknown: 404,
  },
};

for (const [name, endpoint] of Object.entries(ENDPOINTS)) {
  test(`the first fault of a body is told, always in this order: ${name}`, async () => {
    const [nobody, sender, spent] = [{ server: "", node: "", run: "x" }, await newSender(), await newSender()];
    const bad = (who: Sender, type = endpoint.type): Sent => ({
      path: endpoint.path(who),
      headers: { ...endpoint.credentials(who), ...type },
      body: endpoint.bad,
    });
    for (let left = endpoint.quota; left > 0; left -= AT_ONCE) {
      // A body of the wrong type counts as well.
      const types = Array.from({ length: AT_ONCE }, (_, n) => (n % 2 === 0 ? endpoint.type : endpoint.wrongType));
      const spending = await Promise.all(types.map((type) => post(bad(spent, type))));
      expect(spending.map(({ status }) => status)).toEqual(spending.map((_, n) => (n % 2 === 0 ? 400 : 415)));
    }
    // Each has all the faults of the next one as well, and the last byte never comes.
    const [wrongType, tooLarge] = [endpoint.wrongType, endpoint.maxBytes + 1];
    const late = withhold(bad(sender), 1000);
    const told = [
      withhold(bad(nobody, wrongType), tooLarge),
      withhold(bad(spent, wrongType), tooLarge),
      withhold(bad(sender, wrongType), tooLarge),
      withhold(bad(sender), tooLarge),
      late,
      { answered: post(bad(sender)) },
    ].map(({ answered }) => answered);
    // What Node does to one that takes too long, and says so by 408: e2e/site/odd-requests.test.ts.
    late.breakOff();
    const answers = await Promise.all(told);
    expect(answers.map(({ status }) => status)).toEqual([endpoint.unknown, 429, 415, 413, 400, 400]);
    expect(answers[4]?.text).toContain("The body broke off.");
    expect(answers[5]?.text).not.toContain("The body broke off.");
  });
}

test("an account's bodies over 16 KB arrive four at a time, delaying nothing else", async () => {
  // An account that is alone for a second gets more.
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const [{ key }, { key: other }] = [await newReportingServer(), await newReportingServer()];
  /** A comment of so many bytes, which is taken and tells nothing. */
  const comment = (of: string, bytes: number): Sent => ({
    ...{ path: AGENT_PATHS.influx, headers: { ...bearer(of), ...TEXT } },
    body: new Uint8Array(bytes).fill("#".charCodeAt(0)),
  });
  const statusOf = async (sent: Sent) => (await post(sent)).status;
  expect(await statusOf(comment(other, MB))).toBe(204);
  const held = Array.from({ length: 4 }, () => withhold(comment(key, MB - 10), MB));
  let isAnswered = false;
  const fifth = statusOf(comment(key, 16 * KB + 1)).finally(() => (isAnswered = true));
  for (let round = 0; round < 5; round++) {
    expect(await statusOf(comment(other, MB))).toBe(204);
    const checkIn = { path: CHECK_INS, headers: { ...bearer(key), ...typeOf(CHECK_INS) }, body: '{"cpu_pct":5}' };
    expect(await statusOf(checkIn)).toBe(200);
    expect(await statusOf(comment(key, 16 * KB))).toBe(204);
  }
  expect(isAnswered).toBe(false);
  for (const { breakOff } of held) breakOff();
  expect(await fifth).toBe(204);
});

test("bodies over 16 KB are read in their account's turn, others at once", async () => {
  const turns = () => fairCounts().heavy.atOnce + fairCounts().heavy.waited;
  const { key } = await newReportingServer();
  const before = turns();
  for (const [bytes, taken] of [
    [16 * KB, 0],
    [16 * KB + 1, 1],
  ] as const) {
    const body = `#${"x".repeat(bytes - 1)}`;
    expect((await post({ path: AGENT_PATHS.influx, headers: { ...bearer(key), ...TEXT }, body })).status).toBe(204);
    expect(turns() - before).toBe(taken);
  }
});

import { once } from "node:events";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { AGENT_PATHS, CHECK_INS, REPORTERS, type Reporter, typeOf } from "@/e2e/support/agent-protocols";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { unique } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase, type TestDatabase } from "@/e2e/support/test-database";
import { hashToken, mintToken } from "@/lib/tokens/format";

// What bodies are refused for, and in which order: of each thing that is wrong with a request the first is told.

const KB = 1024;
const MB = 1024 * KB;
const REPORTS_PATH = "/ingest/v1/edge/reports";

let database: TestDatabase;
let app: ConsoleServer;
/** As agents connect. Without a bound on connections. */
const agent = new Agent({ keepAlive: true });

// With one console for all of them.
test.describe.configure({ mode: "default" });
test.beforeAll(async () => {
  database = await createTestDatabase();
  app = await startConsole(database.url);
});
test.afterAll(async () => {
  agent.destroy();
  await app?.stop();
  await database?.stop();
});

/** An account with a server and a benchmark run that is awaited, and an edge node: the keys of all three. */
async function newSender() {
  const keys = { server: mintToken("serverKey"), node: mintToken("edgeKey"), run: mintToken("benchmarkKey") };
  const name = unique("sender");
  const [row] = await runSql<{ id: number }>(
    database.url,
    `with a as (insert into accounts (name, email, role) values ($1, $1 || '@example.com', 'customer') returning id),
       s as (insert into servers (account_id, label, hostname) select id, 'l', 'h' from a returning id),
       k as (insert into server_keys (server_id, key_hash, hint) select id, $2, 'hint' from s),
       n as (insert into edge_nodes (name) values ($1) returning id),
       e as (insert into edge_node_keys (node_id, key_hash, hint) select id, $3, 'hint' from n)
     insert into benchmark_runs (server_id, label, status, agent_token_hash) select id, 'r', 'pending', $4 from s
     returning server_id as id`,
    [name, hashToken(keys.server), hashToken(keys.node), hashToken(keys.run)],
  );
  return { ...keys, serverId: row?.id ?? 0 };
}
type Sender = Awaited<ReturnType<typeof newSender>>;

type Sent = {
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
  /** More than the body has, so that its end never comes. */
  announced?: number;
};
type Answer = { status: number; retryAfter: string | undefined; text: string };

/** Sends a request. Answers what comes, 0 when nothing does. */
function send({ path, headers, body, announced }: Sent): { sent: ClientRequest; answer: Promise<Answer> } {
  const length = String(announced ?? Buffer.byteLength(body));
  const options = { method: "POST", agent, headers: { "Content-Length": length, ...headers } };
  const sent = request(app.origin + path, options);
  // A connection may end while more is written to it.
  sent.on("error", () => {});
  const read = async (): Promise<Answer> => {
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    let text = "";
    response.setEncoding("utf8").on("data", (piece) => (text += piece));
    await once(response, "close");
    sent.destroy();
    return { status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"], text };
  };
  const answer = read().catch(() => ({ status: 0, retryAfter: undefined, text: "" }));
  if (announced === undefined) sent.end(body);
  else sent.write(body);
  return { sent, answer };
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

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
const TEXT = { "Content-Type": "text/plain" };
const OF_JSON = { type: typeOf(CHECK_INS), wrongType: TEXT, bad: "{", quota: 300, unknown: 401 };

const serverEndpoint = ({ path }: Reporter, maxBytes: number, wrongType: Endpoint["wrongType"]): Endpoint => ({
  ...OF_JSON,
  path: () => path,
  credentials: ({ server }) => bearer(server),
  type: typeOf(path),
  wrongType,
  maxBytes,
});
const reporter = (name: string) => REPORTERS[name] as Reporter;

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  "check-ins": serverEndpoint(reporter("the daemon"), 16 * KB, TEXT),
  Prometheus: serverEndpoint(reporter("Prometheus"), 256 * KB, TEXT),
  Influx: { ...serverEndpoint(reporter("Telegraf"), MB, { "Content-Encoding": "br" }), bad: "a" },
  OTLP: serverEndpoint(reporter("the Collector"), MB, TEXT),
  "edge reports": {
    ...OF_JSON,
    path: () => REPORTS_PATH,
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

const statuses = async (answers: Promise<Answer>[]) => (await Promise.all(answers)).map(({ status }) => status);

/** A body that is bad at an endpoint, with other faults. */
function sendFaulty(endpoint: Endpoint, who: Sender, changes: Partial<Sent> & { type?: Record<string, string> } = {}) {
  const { type = endpoint.type, ...others } = changes;
  const headers = { ...endpoint.credentials(who), ...type };
  return send({ path: endpoint.path(who), headers, body: endpoint.bad, ...others }).answer;
}

/** Each has all the faults of the next one as well, and the last byte never comes. */
function faultsOf(endpoint: Endpoint) {
  const tooLarge = { announced: endpoint.maxBytes + 1 };
  return { wrongType: { ...tooLarge, type: endpoint.wrongType }, tooLarge, late: { announced: 1000 }, bad: {} };
}

test("every endpoint reports the first of several body faults in the same order", {
  tag: "@waits",
}, async () => {
  const nobody = { server: "", node: "", run: "x" } as Sender;
  const spend = async (endpoint: Endpoint) => {
    const spent = await newSender();
    // On a busy machine a few wait too long for their turn, which does not count.
    for (let left = endpoint.quota; left > 0; ) {
      const spending = await statuses(
        Array.from({ length: Math.min(left, AT_ONCE) }, () => sendFaulty(endpoint, spent)),
      );
      for (const status of spending) expect([400, 503]).toContain(status);
      left -= spending.filter((status) => status === 400).length;
    }
    return spent;
  };
  // One endpoint after the other, so that none of them waits for another's.
  const ready: { name: string; endpoint: Endpoint; sender: Sender; spent: Sender }[] = [];
  for (const [name, endpoint] of Object.entries(ENDPOINTS)) {
    ready.push({ name, endpoint, sender: await newSender(), spent: await spend(endpoint) });
  }
  const tellings = ready.map(async ({ name, endpoint, sender, spent }) => {
    const { wrongType, tooLarge, late, bad } = faultsOf(endpoint);
    const inOrder = [sendFaulty(endpoint, nobody, wrongType), sendFaulty(endpoint, spent, wrongType)];
    for (const faults of [wrongType, tooLarge, late, bad]) inOrder.push(sendFaulty(endpoint, sender, faults));
    expect(await statuses(inOrder), name).toEqual([endpoint.unknown, 429, 415, 413, 408, 400]);
  });
  await Promise.all(tellings);
});

/** Sends a body of line protocol, without its last bytes. */
function withhold(key: string, bytes: number, withheld: number): { sent: ClientRequest; answer: Promise<Answer> } {
  const headers = { ...bearer(key), ...TEXT };
  return send({ path: AGENT_PATHS.influx, headers, body: Buffer.alloc(bytes - withheld, "#"), announced: bytes });
}

/** Sends a comment of so many bytes, which is taken and tells nothing. */
const comment = async (key: string, bytes: number): Promise<number> =>
  (
    await send({ path: AGENT_PATHS.influx, headers: { ...bearer(key), ...TEXT }, body: Buffer.alloc(bytes, "#") })
      .answer
  ).status;

const checkIn = async (key: string): Promise<number> =>
  (await send({ path: CHECK_INS, headers: { ...bearer(key), ...typeOf(CHECK_INS) }, body: '{"cpu_pct":5}' }).answer)
    .status;

test("an account's large bodies arrive four at a time and delay no other requests", async () => {
  const [sender, other] = [await newSender(), await newSender()];
  const held = Array.from({ length: 4 }, () => withhold(sender.server, MB, 10));
  let isAnswered = false;
  const fifth = comment(sender.server, MB).then((status) => {
    isAnswered = true;
    return status;
  });
  for (let round = 0; round < 5; round++) {
    expect(await comment(other.server, MB)).toBe(204);
    expect(await checkIn(sender.server)).toBe(200);
    expect(await comment(sender.server, 16 * KB)).toBe(204);
  }
  expect(isAnswered).toBe(false);
  for (const { sent } of held) sent.destroy();
  expect(await fifth).toBe(204);
});

test("a large body that never ends is answered 408 and frees its place", { tag: "@waits" }, async () => {
  const { server } = await newSender();
  const held = Array.from({ length: 4 }, () => withhold(server, MB, 10).answer);
  expect(await statuses(held)).toEqual([408, 408, 408, 408]);
  expect(await comment(server, MB)).toBe(204);
});

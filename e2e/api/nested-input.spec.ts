import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { gzipSync } from "node:zlib";
import { snappy } from "@/e2e/support/agent-bodies";
import { AGENT_PATHS, CHECK_INS, typeOf } from "@/e2e/support/agent-protocols";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { insertCaller } from "@/e2e/support/insert-caller";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase, type TestDatabase } from "@/e2e/support/test-database";
import { varint } from "@/e2e/support/write-request";
import { hashToken, mintToken } from "@/lib/tokens/format";

// Every reader of input is given every container that it knows, nested in itself.

/** Far more levels than a recursion can take, and as many as fit where a body may have 16 KB. */
const ALL_LEVELS = [100_000, 7_900, 1_300];
const KB = 1024;

/** JSON of nested containers around `inner`, with `levels` of them. */
const JSON_CONTAINERS: Readonly<Record<string, (levels: number) => string>> = {
  lists: (levels) => nest("[", "1", "]", levels),
  objects: (levels) => nest('{"a":', "1", "}", levels),
  "objects in lists": (levels) => nest('[{"a":', "1", "}]", levels),
  "lists without ends": (levels) => "[".repeat(levels),
  "objects without ends": (levels) => '{"a":'.repeat(levels),
};

function nest(open: string, inner: string, close: string, levels: number): string {
  return open.repeat(levels) + inner + close.repeat(levels);
}

/** Messages of Protocol Buffers, each the field 1 of the one around it. */
function nestedMessages(levels: number): Buffer {
  const lengths: number[] = [];
  for (let length = 0; lengths.length < levels; length += 1 + varint(length).length) lengths.push(length);
  return Buffer.concat(lengths.reverse().flatMap((length) => [Buffer.from([0x0a]), varint(length)]));
}

type Sent = { path: string; method?: string; headers?: Record<string, string>; body?: string | Uint8Array };
/** `status`: what it is answered. */
type Asked = Sent & { status: number };

let database: TestDatabase;
let app: ConsoleServer;
let token: string;
const keys = { server: mintToken("serverKey"), edge: mintToken("edgeKey") };
/** By level: of a run twenty results a minute are taken. */
const benchmarkKeys = new Map(ALL_LEVELS.map((levels) => [levels, mintToken("benchmarkKey")]));

// With one console for all of them.
test.describe.configure({ mode: "default" });
test.beforeAll(async () => {
  database = await createTestDatabase();
  app = await startConsole(database.url);
  token = await insertCaller(database.url);
  await runSql(
    database.url,
    `with s as (insert into servers (account_id, label, hostname) select id, 'l', 'h' from accounts returning id),
       k as (insert into server_keys (server_id, key_hash, hint) select id, $1, 'hint' from s),
       n as (insert into edge_nodes (name) values ('edge') returning id),
       e as (insert into edge_node_keys (node_id, key_hash, hint) select id, $2, 'hint' from n)
     insert into benchmark_runs (server_id, label, status, agent_token_hash)
       select id, 'r', 'pending', hash from s, unnest($3::text[]) hash`,
    [hashToken(keys.server), hashToken(keys.edge), [...benchmarkKeys.values()].map(hashToken)],
  );
});
test.afterAll(async () => {
  await app?.stop();
  await database?.stop();
});

/** By reader: what is sent to it, so many levels deep. */
const READERS: Readonly<Record<string, (levels: number) => Asked[]>> = {
  "check-ins": (levels) =>
    inJson(levels, ["@", '{"facts":@}', '{"sampled_at":@}', '{"cpu_pct":@}'], (body) => ({
      ...reportOf(CHECK_INS, body),
      status: refusedBeyond(16 * KB, body),
    })),
  OTLP: (levels) => [
    ...inJson(
      levels,
      [
        "@",
        '{"resourceMetrics":@}',
        '{"resourceMetrics":[{"scopeMetrics":@}]}',
        '{"resourceMetrics":[{"resource":@}]}',
      ],
      (body) => ({ ...reportOf(AGENT_PATHS.otlp, body), status: 400 }),
    ),
    ...['{"arrayValue":{"values":[@]}}', '{"kvlistValue":{"values":[{"key":"k","value":@}]}}'].map((value) => {
      const [open = "", close = ""] = value.split("@");
      const attributes = `[{"key":"host.name","value":${nest(open, "{}", close, levels)}}]`;
      const body = `{"resourceMetrics":[{"resource":{"attributes":${attributes}}}]}`;
      return { ...packedReportOf(AGENT_PATHS.otlp, body), status: refusedBeyond(1024 * KB, body) };
    }),
  ],
  // Its lines know no containers: brackets are a measurement without fields, a tag's value, or a text until its quote.
  Influx: (levels) => [
    ...inJson(levels, ["@"], (body) => ({ ...reportOf(AGENT_PATHS.influx, body), status: 400 })),
    ...inJson(levels, ["cpu,a=@ b=1 1"], (body) => ({ ...reportOf(AGENT_PATHS.influx, body), status: 204 })),
    ...inJson(levels, ['cpu a="@" 1'], (body) => ({
      ...reportOf(AGENT_PATHS.influx, body),
      status: body.split('"').length === 3 ? 204 : 400,
    })),
  ],
  Prometheus: (levels) => {
    const groups = Buffer.concat([Buffer.alloc(levels, 0x1b), Buffer.alloc(levels, 0x1c)]);
    const bodies = [groups, Buffer.alloc(levels, 0x1b), Buffer.concat([Buffer.from([10, 200, 1]), groups])];
    const nested = snappy(nestedMessages(levels));
    return [
      ...bodies.map((body) => ({ ...reportOf(AGENT_PATHS.prometheus, snappy(body)), status: 400 })),
      // What is in the name of a label is not looked into.
      { ...reportOf(AGENT_PATHS.prometheus, nested), status: nested.length > 256 * KB ? 413 : 204 },
    ];
  },
  "edge reports": (levels) =>
    inJson(levels, ["@", '{"intervals":@}', '{"acknowledgements":[{"error":@}]}'], (body) => ({
      ...reportOf("/ingest/v1/edge/reports", body),
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${keys.edge}` },
      status: refusedBeyond(256 * KB, body),
    })),
  "benchmark results": (levels) =>
    inJson(levels, ["@", '{"os":@}', '{"fio":@}'], (body) => ({
      ...reportOf(`/ingest/v1/benchmarks/${benchmarkKeys.get(levels)}`, body),
      headers: { "Content-Type": "application/json" },
      status: refusedBeyond(64 * KB, body),
    })),
  "forms of Next's router": (levels) =>
    inJson(levels, ["@", "[@]"], (body) => ({
      path: "/sign-in",
      method: "POST",
      headers: { "Content-Type": "text/plain;charset=UTF-8", "Next-Action": "0".repeat(40) },
      body,
      status: refusedBeyond(16 * KB, body),
    })),
  "forms without scripts": (levels) =>
    inJson(levels, ["@", "[@]"], (text) => {
      const fields = {
        $ACTION_REF_1: "",
        "$ACTION_1:0": `{"id":"${"0".repeat(40)}","bound":"$@1"}`,
        "$ACTION_1:1": text,
      };
      const parts = Object.entries(fields).map(
        ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      );
      const body = `${parts.join("")}--x--\r\n`;
      return {
        path: "/sign-in",
        method: "POST",
        headers: { "Content-Type": "multipart/form-data; boundary=x" },
        body,
        status: refusedBeyond(16 * KB, body),
      };
    }),
  "the state of Next's router": (levels) =>
    // Pages in pages are what it sends, but no more than a path of the console has parts.
    (
      [
        ['["",{"a":@}]', 20, 200],
        ['["",{"a":@}]', levels, 400],
        ["[@]", levels, 400],
        ['{"a":@}', levels, 400],
      ] as const
    ).map(([value, wanted, status]) => {
      const [open = "", close = ""] = value.split("@");
      const depth = Math.min(wanted, Math.floor(7000 / (encodeURIComponent(value).length - 3)));
      const state = encodeURIComponent(nest(open, '["",{}]', close, depth));
      return { path: "/sign-in", headers: { RSC: "1", "Next-Router-State-Tree": state }, status };
    }),
  "paths and queries": (levels) => {
    const length = Math.min(levels, 4000);
    return [
      { path: `/api/v1${"/a".repeat(length)}`, headers: { Authorization: `Bearer ${token}` }, status: 404 },
      { path: `/api/v1/me?${"a[".repeat(length)}`, headers: { Authorization: `Bearer ${token}` }, status: 200 },
      { path: `/${"%5B".repeat(length)}`, status: 404 },
    ];
  },
};

/** Beyond its bound a body is too large, and else it is nested too deeply. */
function refusedBeyond(maxBytes: number, body: string): number {
  return Buffer.byteLength(body) > maxBytes ? 413 : 400;
}

/** Every container of JSON in every one of these frames. */
function inJson(levels: number, frames: readonly string[], sendOf: (body: string) => Asked): Asked[] {
  return frames.flatMap((frame) =>
    Object.values(JSON_CONTAINERS).map((write) => sendOf(frame.replace("@", () => write(levels)))),
  );
}

function reportOf(path: string, body: string | Uint8Array): Sent {
  return { path, method: "POST", headers: { ...typeOf(path), Authorization: `Bearer ${keys.server}` }, body };
}

function packedReportOf(path: string, body: string): Sent {
  const { headers, ...rest } = reportOf(path, gzipSync(body));
  return { ...rest, headers: { ...headers, "Content-Encoding": "gzip" } };
}

for (const [reader, requests] of Object.entries(READERS)) {
  for (const levels of ALL_LEVELS) {
    test(`${reader}: ${levels} levels of any container are refused or ignored, and the connection survives`, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const ask = async ({ path, method = "GET", headers = {}, body }: Sent) => {
        const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
        const sent = request(app.origin + path, { method, agent, headers: { ...length, ...headers } });
        sent.end(body);
        const [answer] = (await once(sent, "response")) as [IncomingMessage];
        await once(answer.resume(), "end");
        return { status: answer.statusCode ?? 0, isReused: sent.reusedSocket };
      };
      for (const { status, ...sent } of requests(levels)) {
        const what = `${sent.path.slice(0, 80)} ${String(sent.body).slice(0, 80)}`;
        expect((await ask(sent)).status, what).toBe(status);
        const next = await ask({ path: "/healthz" });
        expect(next, `after ${what}`).toEqual({ status: 200, isReused: true });
      }
      agent.destroy();
    });
  }
}

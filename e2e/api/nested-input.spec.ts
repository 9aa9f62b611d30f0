import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { gzipSync } from "node:zlib";
import { snappy } from "@/e2e/support/agent-bodies";
import { CHECK_INS, DOORS, typeOf } from "@/e2e/support/agent-doors";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { insertCaller } from "@/e2e/support/insert-caller";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase, type TestDatabase } from "@/e2e/support/test-database";
import { varint } from "@/lib/ingest/agents/write-request";
import { hashToken, mintToken } from "@/lib/tokens/format";

// Every reader of input is given every container that it knows, nested in itself.

/** Far more levels than a recursion can take. */
const LEVELS = 100_000;

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

let database: TestDatabase;
let app: ConsoleServer;
let token: string;
const keys = { server: mintToken("serverKey"), edge: mintToken("edgeKey"), benchmark: mintToken("benchmarkKey") };

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
     insert into benchmark_runs (server_id, label, status, agent_token_hash) select id, 'r', 'pending', $3 from s`,
    [hashToken(keys.server), hashToken(keys.edge), hashToken(keys.benchmark)],
  );
});
test.afterAll(async () => {
  await app?.stop();
  await database?.stop();
});

/** By reader: what is sent to it, so many levels deep. */
const READERS: Readonly<Record<string, (levels: number) => Sent[]>> = {
  "check-ins": (levels) =>
    inJson(levels, ["@", '{"facts":@}', '{"sampled_at":@}', '{"cpu_pct":@}'], (body) => reportOf(CHECK_INS, body)),
  OTLP: (levels) => [
    ...inJson(
      levels,
      [
        "@",
        '{"resourceMetrics":@}',
        '{"resourceMetrics":[{"scopeMetrics":@}]}',
        '{"resourceMetrics":[{"resource":@}]}',
      ],
      (body) => reportOf(DOORS.otlp, body),
    ),
    ...['{"arrayValue":{"values":[@]}}', '{"kvlistValue":{"values":[{"key":"k","value":@}]}}'].map((value) => {
      const [open = "", close = ""] = value.split("@");
      const attributes = `[{"key":"host.name","value":${nest(open, "{}", close, levels)}}]`;
      return packedReportOf(DOORS.otlp, `{"resourceMetrics":[{"resource":{"attributes":${attributes}}}]}`);
    }),
  ],
  collectd: (levels) =>
    inJson(levels, ["@", "[@]", '[{"values":@}]', '[{"meta":@}]'], (body) => reportOf(DOORS.collectd, body)),
  Influx: (levels) => inJson(levels, ["@", "cpu,a=@ b=1 1", 'cpu a="@" 1'], (body) => reportOf(DOORS.influx, body)),
  Prometheus: (levels) => {
    const groups = Buffer.concat([Buffer.alloc(levels, 0x1b), Buffer.alloc(levels, 0x1c)]);
    const bodies = [groups, Buffer.alloc(levels, 0x1b), Buffer.concat([Buffer.from([10, 200, 1]), groups])];
    return [...bodies, nestedMessages(levels)].map((body) => reportOf(DOORS.prometheus, snappy(body)));
  },
  "edge reports": (levels) =>
    inJson(levels, ["@", '{"intervals":@}', '{"acknowledgements":[{"error":@}]}'], (body) => ({
      ...reportOf("/ingest/v1/edge/reports", body),
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${keys.edge}` },
    })),
  "benchmark results": (levels) =>
    inJson(levels, ["@", '{"os":@}', '{"fio":@}'], (body) => ({
      ...reportOf(`/ingest/v1/benchmarks/${keys.benchmark}`, body),
      headers: { "Content-Type": "application/json" },
    })),
  "forms of Next's router": (levels) =>
    inJson(levels, ["@", "[@]"], (body) => ({
      path: "/sign-in",
      method: "POST",
      headers: { "Content-Type": "text/plain;charset=UTF-8", "Next-Action": "0".repeat(40) },
      body,
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
      return {
        path: "/sign-in",
        method: "POST",
        headers: { "Content-Type": "multipart/form-data; boundary=x" },
        body: `${parts.join("")}--x--\r\n`,
      };
    }),
  "the state of Next's router": (levels) =>
    ['["",{"a":@}]', "[@]", '{"a":@}'].map((value) => {
      const [open = "", close = ""] = value.split("@");
      // A header has 16 KB at most.
      const depth = Math.min(levels, Math.floor(7000 / (encodeURIComponent(value).length - 3)));
      const state = encodeURIComponent(nest(open, '["",{}]', close, depth));
      return { path: "/sign-in", headers: { RSC: "1", "Next-Router-State-Tree": state } };
    }),
  "paths and queries": (levels) => {
    const length = Math.min(levels, 4000);
    return [
      { path: `/api/v1${"/a".repeat(length)}`, headers: { Authorization: `Bearer ${token}` } },
      { path: `/api/v1/me?${"a[".repeat(length)}`, headers: { Authorization: `Bearer ${token}` } },
      { path: `/${"%5B".repeat(length)}` },
    ];
  },
};

/** Every container of JSON in every one of these frames. */
function inJson(levels: number, frames: readonly string[], sendOf: (body: string) => Sent): Sent[] {
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
  // The others are as many as fit where a body may have 16 KB.
  for (const levels of [LEVELS, 7_900, 1_300]) {
    test(`${reader}: ${levels} levels of every container are refused or ignored, and the next request of the connection is answered`, {
      tag: "@one-engine",
    }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const ask = async ({ path, method = "GET", headers = {}, body }: Sent) => {
        const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
        const sent = request(app.origin + path, { method, agent, headers: { ...length, ...headers } });
        sent.end(body);
        const [answer] = (await once(sent, "response")) as [IncomingMessage];
        await once(answer.resume(), "end");
        return { status: answer.statusCode ?? 0, isReused: sent.reusedSocket };
      };
      const statuses: number[] = [];
      for (const sent of requests(levels)) {
        const { status } = await ask(sent);
        statuses.push(status);
        const next = await ask({ path: "/healthz" });
        expect(next, `after ${status} of ${sent.path} ${String(sent.body).slice(0, 80)}`).toEqual({
          status: 200,
          isReused: true,
        });
      }
      agent.destroy();
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
      // All of them came past their credentials.
      expect(statuses).not.toContain(401);
    });
  }
}

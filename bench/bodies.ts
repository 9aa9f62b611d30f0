import { setTimeout } from "node:timers/promises";
import { runSql } from "@/e2e/support/run-sql";
import { MINUTE, SECOND } from "@/lib/format/time";
import { hashToken, mintToken } from "@/lib/tokens/format";
import type { Bench, BenchRequest } from "./bench";
import { type DearBody, findDearestBodies } from "./dearest-bodies";

/** The goals: for a body that is taken and one that is refused, in milliseconds of CPU. */
const GOAL_TAKEN_MS = 40;
const GOAL_REFUSED_MS = 10;
/** Beside them p95 of a neighbour may be this many times as long as in peace, or so long. */
const GOAL_TIMES = 5;
const GOAL_MS = 150;

const AT_ONCE = 40;
const MEASURED_MS = 5 * SECOND;
const BEFORE_MS = SECOND;
/** More than can be used up in the time that is measured. */
const MANY_KEYS = 400;

/**
 * For every endpoint the dearest body that was found, taken and refused: its bytes on the wire, what it costs to read, and how
 * long a neighbour with few requests waits beside 40 clients that send it.
 */
export async function bodies(bench: Bench): Promise<(readonly string[])[]> {
  const app = await bench.startApp({ TRUSTED_PROXIES: "1" });
  const quiet: BenchRequest = {
    path: "/api/v1/me",
    tokens: bench.data.tokens[10],
    connections: 1,
    ms: MEASURED_MS,
    pauseMs: 20,
  };
  await bench.ask(app, quiet);
  const { p95Ms: peace } = await bench.ask(app, quiet);
  const keys = await keysOf(bench);
  const rows: (readonly string[])[] = [
    ["endpoint", "dearest", "bytes", "CPU", "goal", "p95 in peace", `p95 beside ${AT_ONCE}`, "times", "goal"],
  ];
  for (const body of await findDearestBodies()) {
    const load = { ...loadOf(body, keys), ms: MEASURED_MS + 2 * BEFORE_MS };
    const [beside] = await bench.askAll(app, [{ ...quiet, startMs: BEFORE_MS }, load]);
    const p95 = beside?.p95Ms ?? Number.NaN;
    const goal = body.isTaken ? GOAL_TAKEN_MS : GOAL_REFUSED_MS;
    rows.push([
      body.name,
      body.isTaken ? "taken" : "refused",
      String(body.bytes.length),
      `${body.cpuMs.toFixed(1)} ms`,
      body.cpuMs <= goal ? "met" : `missed: ${goal} ms`,
      `${peace.toFixed(1)} ms`,
      `${p95.toFixed(1)} ms`,
      (p95 / peace).toFixed(1),
      p95 <= GOAL_TIMES * peace || p95 <= GOAL_MS ? "met" : "missed",
    ]);
    await setTimeout(SECOND);
  }
  await app.stop();
  return rows;
}

/** 40 clients that send a body, again and again. */
export function loadOf(body: DearBody, keys: Keys): BenchRequest {
  const headers = body.contentEncoding ? [`Content-Encoding: ${body.contentEncoding}`] : [];
  return {
    path: body.path,
    contentType: body.contentType,
    payload: body.bytes.toString("base64"),
    headers: body.sender === "stranger" ? [...headers, "Origin: http://localhost"] : headers,
    tokens: keys[body.sender],
    connections: AT_ONCE,
    status: "any",
  };
}

type Keys = Readonly<Record<DearBody["sender"], readonly string[]>>;

/** Keys of the customer with 1,000 servers, of edge nodes, and of benchmark runs of one server. */
export async function keysOf({ data }: Bench): Promise<Keys> {
  const nodes = Array.from({ length: MANY_KEYS }, () => mintToken("edgeKey"));
  await runSql(
    data.url,
    `with n as (insert into edge_nodes (name) select 'bodies-' || i from generate_series(1, $1::int) i returning id)
       insert into edge_node_keys (node_id, key_hash, hint)
       select id, ($2::text[])[row_number() over (order by id)], 'xxxx' from n`,
    [nodes.length, nodes.map(hashToken)],
  );
  const runs = Array.from({ length: MANY_KEYS }, () => mintToken("benchmarkKey"));
  await runSql(
    data.url,
    `insert into benchmark_runs (server_id, label, status, agent_token_hash, created_at)
       select (select min(s.id) from servers s join accounts a on a.id = s.account_id where a.name = 'with 1000 servers'),
         'bodies', 'pending', hash, $2 from unnest($1::text[]) hash`,
    [runs.map(hashToken), new Date(Date.now() - MINUTE)],
  );
  return { server: data.keys, node: nodes, run: runs, stranger: [] };
}

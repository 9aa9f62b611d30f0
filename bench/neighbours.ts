import { setTimeout } from "node:timers/promises";
import { freePort } from "@/e2e/support/free-port";
import { fieldsOfForm } from "@/e2e/support/html-form";
import { has } from "@/e2e/support/programs.mjs";
import { startRedis } from "@/e2e/support/redis-server";
import { runSql } from "@/e2e/support/run-sql";
import { HOUR, SECOND } from "@/lib/format/time";
import { HISTORY_MEASURES } from "@/lib/servers/telemetry/bands";
import { RULE } from "@/lib/servers/telemetry/sum-statement";
import { hashToken, mintToken } from "@/lib/tokens/format";
import type { Bench, BenchRequest, Target } from "./bench";
import { keysOf, loadOf } from "./bodies";
import { addSession } from "./database";
import { findDearestBodies } from "./dearest-bodies";
import type { Measured } from "./load";
import { TELLING, ToldCustomers } from "./told-customers";

/** The goal: beside an attack, p95 may be this many times as long as in peace, or this many milliseconds longer. */
const GOAL_TIMES = 5;
const GOAL_MS = 250;

/** No render and no sum may hold up everything else for longer, when nothing else wants the cores. */
const LOOP_GOAL_MS = 50;

/** For each worker, before anything is measured: the system shares connections out, and no worker's code may be cold. */
const WARM_CONNECTIONS = 4;
const WARM_MS = 3 * SECOND;
const MEASURED_MS = 8 * SECOND;
const ALONE_MS = 4 * SECOND;
/** Between two requests that nothing runs beside, so that garbage is collected in between. */
const ALONE_PAUSE_MS = 150;
/** An attack begins before what is measured beside it, and goes on until that has ended. */
const BEFORE_MS = SECOND;
const CHECK_IN = JSON.stringify({ cpu_pct: 12.5, mem_used_mb: 9000, mem_total_mb: 16_000 });
const CHECK_INS = "/ingest/v1/check-ins";
const FLEET = "/dashboard";
const BOUNDARY = "neighbours";

/** Customers who are told of something beside webhooks that never answer. */
const TOLD = 40;
const HANGING = "20 webhooks of one account that hang";

/** Sessions of the account with 1,000 servers, which attacks, and of the one with 10, and the key of a server of the latter. */
type People = { attacker: string; quiet: string; key: string; serverId: number };

/** Runs each attack of one account or network. Measures how much longer a customer with few requests waits. */
export async function neighbours(bench: Bench): Promise<(readonly string[])[]> {
  const people = await addPeople(bench.data.url);
  const dearest = await dearestBodies(bench);
  const told = bench.own(await ToldCustomers.start(bench.data.url));
  const rows: (readonly string[])[] = [
    ["workers", "beside", "quiet", "p95 in peace", "p95 beside it", "times", "refused", "event loop", "goal"],
  ];
  for (const workers of has("redis-server") ? [1, 2] : [1]) {
    const redis = workers > 1 ? bench.own(await startRedis()) : null;
    const opsPort = await freePort();
    const variables = {
      TRUSTED_PROXIES: "1",
      OPS_PORT: String(opsPort),
      ...TELLING,
      ...(redis && { REDIS_URL: redis.url }),
    };
    const app = await bench.startApp(variables, workers);
    const quiet = quietOf(bench, people);
    const everywhere = Object.values(quiet).map((request) => ({
      ...request,
      connections: WARM_CONNECTIONS * workers,
      ms: WARM_MS,
    }));
    await bench.askAll(app, everywhere);
    const peace = await bench.askAll(app, Object.values(quiet));
    const attacks = Object.entries({ ...(await attacksOf(bench, app, people)), ...dearest });
    for (const [attack, loads] of workers === 1 ? attacks : []) {
      const one = loads.map((load) => ({ ...load, ms: ALONE_MS, connections: 1, pauseMs: ALONE_PAUSE_MS }));
      await readLoopDelay(opsPort);
      const [own] = await bench.askAll(app, one);
      rows.push([
        String(workers),
        `nothing: one of ${attack}`,
        "itself",
        ...compare(own, own, await readLoopDelay(opsPort), true),
      ]);
    }
    const beside = Object.values(quiet).map((request) => ({ ...request, startMs: BEFORE_MS }));
    for (const [attack, loads] of attacks) {
      await readLoopDelay(opsPort);
      const measured = await bench.askAll(app, [...beside, ...loads]);
      const loopMs = await readLoopDelay(opsPort);
      for (const [index, what] of Object.keys(quiet).entries()) {
        rows.push([String(workers), attack, what, ...compare(peace[index], measured[index], loopMs)]);
      }
      if (attack === HONEST) {
        for (const [index, { what }] of loads.entries()) {
          const own = measured[Object.keys(quiet).length + index];
          rows.push([String(workers), "its own", what ?? "", ...compare(own, own, loopMs)]);
        }
      }
      await setTimeout(SECOND);
    }
    const toldInPeace = await told.measure(TOLD);
    await told.hang();
    await readLoopDelay(opsPort);
    const [toldBeside, measured] = await Promise.all([told.measure(TOLD), bench.askAll(app, beside)]);
    const loopMs = await readLoopDelay(opsPort);
    for (const [index, what] of Object.keys(quiet).entries()) {
      rows.push([String(workers), HANGING, what, ...compare(peace[index], measured[index], loopMs)]);
    }
    rows.push([String(workers), HANGING, "its notices", ...compare(toldInPeace, toldBeside, loopMs)]);
    await app.stop();
    await redis?.stop();
  }
  return rows;
}

/** `isAlone`: nothing else runs, so the event loop is late for what is measured alone, and nothing waits. */
function compare(peace: Measured | undefined, beside: Measured | undefined, loopMs: number, isAlone = false): string[] {
  const [before, during] = [peace?.p95Ms ?? Number.NaN, beside?.p95Ms ?? Number.NaN];
  const refused = beside?.refused ?? 0;
  const isFast = during <= GOAL_TIMES * before || during <= before + GOAL_MS;
  const missed = [
    refused > 0 && "refused",
    !isAlone && !isFast && "slow",
    isAlone && loopMs > LOOP_GOAL_MS && "event loop",
  ].filter(Boolean);
  return [
    `${before.toFixed(1)} ms`,
    `${during.toFixed(1)} ms`,
    (during / before).toFixed(1),
    String(refused),
    `${loopMs.toFixed(0)} ms`,
    missed.length === 0 ? "met" : `missed: ${missed.join(", ")}`,
  ];
}

/** The longest that the event loop of a worker was held since the last look, in milliseconds. */
async function readLoopDelay(opsPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/ops/metrics`)).text();
  return SECOND * Number(/^console_event_loop_delay_seconds\{percentile="100"\} (\S+)$/m.exec(text)?.[1]);
}

function quietOf({ data }: Bench, { quiet, key }: People): Record<string, BenchRequest> {
  const any = { connections: 1, ms: MEASURED_MS, status: "any" as const };
  return {
    "GET /me": { ...any, path: "/api/v1/me", tokens: data.tokens[10], pauseMs: 20 },
    "a check-in": { ...any, path: CHECK_INS, tokens: [key], body: CHECK_IN, pauseMs: 250 },
    "the fleet page": { ...any, path: FLEET, tokens: [], headers: [`Cookie: ${quiet}`], pauseMs: 100 },
    "/readyz": { ...any, path: "/readyz", tokens: [], pauseMs: 50 },
  };
}

/** The customer with 1,000 servers that does nothing but what it is meant to. */
const HONEST = "an honest customer of 1,000 servers";

/** Several loads at once each. `what`: how a load that must not be refused is called. */
type Attack = (BenchRequest & { what?: string })[];

async function attacksOf({ data }: Bench, app: Target, people: People): Promise<Record<string, Attack>> {
  const origin = `http://localhost:${app.port}`;
  const settings = `/dashboard/servers/${people.serverId}/settings`;
  const cookie = `Cookie: ${people.attacker}`;
  const form = { tokens: [], contentType: `multipart/form-data; boundary=${BOUNDARY}` };
  const week = `/api/v1/game-services/${data.serviceId}/metrics?range=7d`;
  const local = "Origin: http://localhost";
  const attacks: Record<string, BenchRequest> = {
    "236 scrapes of 1,000 servers": { path: "/metrics", tokens: data.tokens[1000], connections: 236 },
    "236 lists of 1,000 servers": { path: "/api/v1/servers", tokens: data.tokens[1000], connections: 236 },
    "236 lists of 200 benchmarks": {
      path: `/api/v1/servers/${people.serverId}/benchmarks`,
      tokens: data.tokens[1000],
      connections: 236,
    },
    "12 clients of weeks": { path: week, tokens: data.tokens[100].slice(0, 12), connections: 12 },
    "30 that read no week": { path: week, tokens: data.tokens[100].slice(12, 18), connections: 30, isUnread: true },
    "150 check-ins": { path: CHECK_INS, tokens: data.keys, body: CHECK_IN, connections: 150 },
    "2,500 check-ins": { path: CHECK_INS, tokens: data.keys, body: CHECK_IN, connections: 2500 },
    "60 forms of one server": {
      ...form,
      path: settings,
      headers: [cookie, local],
      body: await formOf(origin + settings, people.attacker, "Replace the key"),
      connections: 60,
    },
    "20 fleet pages of 1,000 servers": { path: FLEET, tokens: [], headers: [cookie], connections: 20 },
    "20 months of a server": {
      path: `${FLEET}/servers/${people.serverId}?range=30d`,
      tokens: [],
      headers: [cookie],
      connections: 20,
    },
    "20 times of 400 days of a server": {
      path: `${FLEET}/servers/${people.serverId}?from=2000-01-01T00:00Z&to=9999-01-01T00:00Z&compare=28d`,
      tokens: [],
      headers: [cookie],
      connections: 20,
    },
    "20 other times of a server": {
      path: `${FLEET}/servers/${people.serverId}?from=${ago(47)}&to=${ago(1)}&compare=7d`,
      tokens: [],
      headers: [cookie],
      connections: 20,
    },
    "40 readers of the reference": { path: "/docs/api?x=1", tokens: [], connections: 40 },
    "40 strangers at the sign-in": { path: "/sign-in?next=/dashboard", tokens: [], connections: 40 },
    "a home that guesses passwords": {
      ...form,
      path: "/sign-in",
      headers: [local, "X-Forwarded-For: 2001:db8:1:1{n}::1"],
      body: await formOf(`${origin}/sign-in`, "", "Sign in", {
        email: "nobody@example.com",
        password: "wrong password",
      }),
      connections: 40,
    },
  };
  const during = { status: "any", ms: MEASURED_MS + 2 * BEFORE_MS } as const;
  return {
    [HONEST]: honestLoads(data).map((load) => ({ ...load, ...during })),
    ...Object.fromEntries(Object.entries(attacks).map(([name, request]) => [name, [{ ...request, ...during }]])),
  };
}

/** 1,000 check-ins in 30 seconds, and more scrapes than one a minute. */
function honestLoads(data: Bench["data"]): Attack {
  return [
    {
      what: "its check-ins",
      path: CHECK_INS,
      tokens: data.keys,
      body: CHECK_IN,
      connections: 10,
      pauseMs: 290,
    },
    {
      what: "its scrapes",
      path: "/metrics",
      tokens: data.tokens[1000],
      connections: 1,
      pauseMs: 3 * SECOND,
    },
  ];
}

/** So many hours ago, as a URL of charts says it. */
function ago(hours: number): string {
  return `${new Date(Date.now() - hours * HOUR).toISOString().slice(0, 16)}Z`;
}

/** The dearest body of each endpoint that was found, from 40 clients each. */
async function dearestBodies(bench: Bench): Promise<Record<string, Attack>> {
  const keys = await keysOf(bench);
  const bodies = (await findDearestBodies()).map((body): [string, Attack] => {
    const name = `40 × the dearest body of ${body.name}${body.isTaken ? "" : ", refused"}`;
    return [name, [{ ...loadOf(body, keys), ms: MEASURED_MS + 2 * BEFORE_MS }]];
  });
  return Object.fromEntries(bodies);
}

/** The fields of the form with this button, and others, as a browser without scripts sends them. */
async function formOf(url: string, cookie: string, button: string, others: Record<string, string> = {}) {
  const html = await (await fetch(url, { headers: { Cookie: cookie } })).text();
  const fields = fieldsOfForm(html, button).filter(([name]) => !Object.hasOwn(others, name));
  const parts = [...fields, ...Object.entries(others)].map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join("")}--${BOUNDARY}--\r\n`;
}

async function addPeople(url: string): Promise<People> {
  const firstServer = async (name: string): Promise<number> => {
    const [server] = await runSql<{ id: number }>(
      url,
      "select min(s.id)::int as id from servers s join accounts a on a.id = s.account_id where a.name = $1",
      [name],
    );
    return server?.id ?? 0;
  };
  const key = mintToken("serverKey");
  await runSql(url, "insert into server_keys (server_id, key_hash, hint) values ($1, $2, 'xxxx')", [
    await firstServer("with 10 servers"),
    hashToken(key),
  ]);
  const serverId = await firstServer("with 1000 servers");
  await runSql(
    url,
    `insert into benchmark_runs (server_id, label, status, cpu, disk, network, stability, total, finished_at)
      select $1, 'Run ' || i, 'done', 80, 80, 80, 80, 80, now() - i * interval '1 hour'
      from generate_series(1, 200) i`,
    [serverId],
  );
  await runSql(
    url,
    `insert into telemetry_samples (server_id, ts, cpu_pct, mem_used_mb, mem_total_mb, disk_used_pct)
      select $1, now() - i * interval '1 minute', i % 100, 9000, 16000, 50 from generate_series(60, 30 * 24 * 60) i
      on conflict do nothing`,
    [serverId],
  );
  // What is older than the samples that are kept.
  await runSql(
    url,
    `insert into telemetry_hours (server_id, hour, samples, rule, bands)
      select $1, date_trunc('hour', now(), 'UTC') - i * interval '1 hour', 60, $2, (
        select jsonb_object_agg(name, jsonb_build_array(10 + i % 7, 20.123, 30 + i % 50, 60)) from unnest($3::text[]) name)
      from generate_series(31 * 24, 400 * 24) i on conflict do nothing`,
    [serverId, RULE, HISTORY_MEASURES],
  );
  return {
    attacker: await addSession(url, "with 1000 servers"),
    quiet: await addSession(url, "with 10 servers"),
    key,
    serverId,
  };
}

import { has } from "@/e2e/support/programs.mjs";
import { startRedis } from "@/e2e/support/redis-server";
import { startUpstash } from "@/e2e/support/upstash-server";
import { PlainError } from "@/lib/failures";
import type { Bench, BenchRequest, Target } from "./bench";
import { bodies } from "./bodies";
import { charts } from "./charts";
import { FLEETS, growOthers, NODES, type Nodes } from "./database";
import type { Measured } from "./load";
import { neighbours } from "./neighbours";
import { forgetPeak, readProcessUse } from "./process-use";
import { reports } from "./reports";
import { interleave, median } from "./rounds";
import { AGENTS, DAEMON } from "./senders";
import { SERIES_SQL } from "./series-sql";

/** What the command line says about every section. */
export type Settings = {
  rounds: number;
  /** How many rows of other accounts the second database of the section about them has. */
  rowsOfOthers: number;
};

/** A table: its head, then its rows. */
type Rows = (readonly string[])[];
type Section = (bench: Bench, settings: Settings) => Promise<Rows>;

const ME = "/api/v1/me";
const SERVERS = "/api/v1/servers";
const SERVICES = "/api/v1/game-services";
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const RANGES = { "1h": 60 * MINUTE, "24h": 1440 * MINUTE, "7d": 10_080 * MINUTE };
type Range = keyof typeof RANGES;
const ranges = Object.keys(RANGES) as Range[];

/** How long the whole account may take Prometheus. */
const METRICS_GOAL_MS = 100;

const WITHOUT_TOKEN = { tokens: [], status: 401 };
const ONE_BY_ONE = { connections: 1, ms: SECOND / 2 };

/** The parts of the benchmark, by the names that the command line takes, in the order in which they run. */
export const SECTIONS = {
  requests,
  servers,
  mcp,
  series,
  stall,
  others,
  stores,
  workers,
  "check-ins": (bench, { rounds }) => reports(bench, rounds, { "the daemon": DAEMON }),
  agents: (bench, { rounds }) => reports(bench, rounds, AGENTS),
  metrics,
  memory,
  charts: (bench, { rounds }) => charts(bench, rounds),
  bodies,
  neighbours,
} as const satisfies Record<string, Section>;
export type SectionName = keyof typeof SECTIONS;

const rate = (value: number) => value.toFixed(0);
const ratio = (value: number) => value.toFixed(2);
const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
const mb = (value: number) => `${value.toFixed(0)} MB`;

/** Answers per second, and what part of the peer's they are. */
async function requests(bench: Bench, { rounds }: Settings): Promise<Rows> {
  const [peer, direct, next] = [await bench.peer(), await bench.direct(), await bench.next()];
  await requireEqualAnswers(bench, peer, direct);
  const perSecond = await ratesOf(bench, rounds, {
    "GET /me, peer": [peer, { path: ME }],
    "GET /me, direct door": [direct, { path: ME }],
    "GET /me, Next's door": [next, { path: ME }],
    "GET /servers (100), peer": [peer, { path: SERVERS }],
    "GET /servers (100), direct door": [direct, { path: SERVERS }],
    "GET /servers (100), Next's door": [next, { path: SERVERS }],
    "401, direct door": [direct, { path: ME, ...WITHOUT_TOKEN }],
    "GET /game-services/:id, direct door": [direct, { path: `${SERVICES}/${bench.data.services[1]}` }],
    "404 of an id, direct door": [direct, { path: `${SERVICES}/2147483647`, status: 404 }],
    "404 of no endpoint, direct door": [direct, { path: "/api/v1/unknown", status: 404 }],
  });
  return [
    ["", "answers/s", "of the peer's"],
    ...Object.entries(perSecond).map(([name, value]) => {
      const peers = perSecond[name.includes("/servers") ? "GET /servers (100), peer" : "GET /me, peer"];
      return [name, rate(value), ratio(value / (peers ?? Number.NaN))];
    }),
  ];
}

/** How the list grows with the servers in it. */
async function servers(bench: Bench, { rounds }: Settings): Promise<Rows> {
  const targets = { peer: await bench.peer(), "direct door": await bench.direct() };
  const cases = FLEETS.flatMap((fleet) =>
    Object.entries(targets).map(([name, target]): [string, [Target, BenchRequest]] => [
      `${fleet}, ${name}`,
      [target, { path: SERVERS, tokens: bench.data.tokens[fleet] }],
    ]),
  );
  const perSecond = await ratesOf(bench, rounds, Object.fromEntries(cases));
  return [
    ["GET /servers", "answers/s", "of the peer's", "times the cost of 100"],
    ...Object.entries(perSecond).map(([name, value]) => {
      const [fleet, who] = name.split(", ");
      const [peers = Number.NaN, hundred = Number.NaN] = [perSecond[`${fleet}, peer`], perSecond[`100, ${who}`]];
      return [name, rate(value), ratio(value / peers), ratio(hundred / value)];
    }),
  ];
}

/** The Model Context Protocol beside the list that its tool reads. */
async function mcp(bench: Bench, { rounds }: Settings): Promise<Rows> {
  const direct = await bench.direct();
  const tokens = bench.data.tokens[100];
  const disks = { where: [{ field: "latest_sample.disk_used_pct", is: ">", value: 80 }] };
  const message = (method: string, params: object): [Target, BenchRequest] => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return [direct, { path: "/mcp", tokens, body, headers: ["Accept: application/json, text/event-stream"] }];
  };
  const perSecond = await ratesOf(bench, rounds, {
    "GET /servers, 100 servers": [direct, { path: SERVERS, tokens }],
    "tools/list": message("tools/list", {}),
    "the tool servers, the worst 20 of 100": message("tools/call", { name: "servers", arguments: { sort: "score" } }),
    "the tool servers, disks over 80 % of 100": message("tools/call", { name: "servers", arguments: disks }),
  });
  const [list = Number.NaN] = Object.values(perSecond);
  return [
    ["/mcp", "answers/s", "times the cost of GET /servers"],
    ...Object.entries(perSecond).map(([name, value]) => [name, rate(value), ratio(list / value)]),
  ];
}

/** Times sequential answers, and the bare SQL for comparison. */
async function series(bench: Bench, { rounds }: Settings): Promise<Rows> {
  const [peer, direct] = [await bench.peer(), await bench.direct()];
  const rows: Rows = [["metrics", "bare SQL", "peer", "direct door", "of the bare SQL's time"]];
  for (const range of ranges) {
    for (const nodes of NODES) {
      const path = seriesPath(bench, range, nodes);
      const now = Date.now();
      const values = [bench.data.services[nodes], new Date(now - RANGES[range]), new Date(now), bench.data.accountId];
      const medians = await interleave(rounds, {
        sql: async () => (await bench.askPostgres(SERIES_SQL, values, ONE_BY_ONE.ms)).medianMs,
        peer: async () => (await bench.ask(peer, { path, ...ONE_BY_ONE })).medianMs,
        direct: async () => (await bench.ask(direct, { path, ...ONE_BY_ONE })).medianMs,
      });
      rows.push([
        `${range}, ${nodes === 1 ? "1 node" : `${nodes} nodes`}`,
        ms(medians.sql),
        ms(medians.peer),
        ms(medians.direct),
        ratio(medians.direct / medians.sql),
      ]);
    }
  }
  return rows;
}

/** How long a small request waits while weeks of intervals are fetched, and what memory that takes. */
async function stall(bench: Bench, { rounds }: Settings): Promise<Rows> {
  const targets = { peer: await bench.peer(), "direct door": await bench.direct() };
  const rows: Rows = [["7d of 4 nodes", "GET /me, median", "99 of 100", "longest", "peak memory"]];
  const small = { path: ME, connections: 1, pauseMs: 2, ms: SECOND };
  for (const clients of [0, 1, 4]) {
    for (const [name, target] of Object.entries(targets)) {
      let [longest, p99, middle] = [0, 0, 0];
      forgetPeak(target.child.pid);
      for (let round = 0; round < rounds; round++) {
        const large = { path: seriesPath(bench, "7d", 4), connections: clients, ms: 1.3 * SECOND };
        const [measured] = clients > 0 ? await bench.askBoth(target, small, large) : [await bench.ask(target, small)];
        longest = Math.max(longest, measured.longestMs);
        p99 = Math.max(p99, measured.p99Ms);
        middle = Math.max(middle, measured.medianMs);
      }
      const { peakMb } = readProcessUse(target.child.pid);
      rows.push([`${clients} at once, ${name}`, ms(middle), ms(p99), ms(longest), mb(peakMb)]);
    }
  }
  return rows;
}

/** The cost of other accounts' rows: compares a database with ten thousand of them to one with many more. */
async function others(bench: Bench, { rounds, rowsOfOthers }: Settings): Promise<Rows> {
  const grown = await bench.another();
  await growOthers(grown.data.url, rowsOfOthers);
  const [few, many] = [await bench.direct(), await grown.direct()];
  const cases: Record<string, [Target, BenchRequest]> = {};
  const paths = {
    "GET /me": () => ME,
    "GET /servers (100)": () => SERVERS,
    "metrics, 24h of 4 nodes": (request: Bench) => seriesPath(request, "24h", 4),
  };
  for (const [name, path] of Object.entries(paths)) {
    cases[`${name}, few`] = [few, { path: path(bench), tokens: bench.data.tokens[100] }];
    cases[`${name}, many`] = [many, { path: path(grown), tokens: grown.data.tokens[100] }];
  }
  const perSecond = await ratesOf(bench, rounds, cases);
  const rows = Object.keys(paths).map((name) => {
    const [before = Number.NaN, after = Number.NaN] = [perSecond[`${name}, few`], perSecond[`${name}, many`]];
    return [name, rate(before), rate(after), ratio(before / after)];
  });
  await grown.stop();
  return [["rows of others", "10,000", rowsOfOthers.toLocaleString("en"), "times the cost"], ...rows];
}

/** The three places where the limit can be counted. */
async function stores(bench: Bench, { rounds }: Settings): Promise<Rows> {
  if (!has("redis-server")) return [["Not measured: redis-server is not installed."]];
  const redis = bench.own(await startRedis());
  const rest = bench.own(await startUpstash(redis.url));
  const overTcp = await bench.startApp({ REDIS_URL: redis.url });
  const overRest = await bench.startApp({ UPSTASH_REDIS_REST_URL: rest.url, UPSTASH_REDIS_REST_TOKEN: rest.token });
  const perSecond = await ratesOf(bench, rounds, {
    "in process": [await bench.direct(), { path: ME }],
    Redis: [overTcp, { path: ME }],
    "Redis over REST, as Upstash": [overRest, { path: ME }],
  });
  for (const started of [overRest, overTcp, rest, redis]) await started.stop();
  const inProcess = perSecond["in process"] ?? Number.NaN;
  return [
    ["GET /me, the limit", "answers/s", "of that in process"],
    ...Object.entries(perSecond).map(([name, value]) => [name, rate(value), ratio(value / inProcess)]),
  ];
}

/** One process and two, both with the limit in Redis. */
async function workers(bench: Bench, { rounds }: Settings): Promise<Rows> {
  if (!has("redis-server")) return [["Not measured: redis-server is not installed."]];
  const redis = bench.own(await startRedis());
  const apps = {
    "1 worker": await bench.startApp({ REDIS_URL: redis.url }, 1),
    "2 workers": await bench.startApp({ REDIS_URL: redis.url }, 2),
  };
  const rows: Rows = [["", "answers/s", "CPU of the app per answer"]];
  for (const path of [ME, SERVERS]) {
    for (const app of Object.values(apps)) await bench.ask(app, { path });
    const answers = await interleave(
      rounds,
      mapValues(apps, (app) => async () => (await bench.ask(app, { path })).perSecond),
    );
    const cpu = await interleave(
      rounds,
      mapValues(apps, (app) => () => cpuPerAnswer(bench, app, { path })),
    );
    for (const name of Object.keys(apps) as (keyof typeof apps)[]) {
      rows.push([`GET ${path}, ${name}`, rate(answers[name]), `${cpu[name].toFixed(0)} µs`]);
    }
  }
  for (const started of [...Object.values(apps), redis]) await started.stop();
  return rows;
}

/** The whole account as one text, one answer after the other. */
async function metrics(bench: Bench, { rounds }: Settings): Promise<Rows> {
  const app = await bench.direct();
  const rows: Rows = [["GET /metrics", "median", `of ${METRICS_GOAL_MS} ms`, "longest"]];
  for (const fleet of FLEETS) {
    const request = { path: "/metrics", tokens: bench.data.tokens[fleet], ...ONE_BY_ONE };
    await bench.ask(app, request);
    const times: Measured[] = [];
    for (let round = 0; round < rounds; round++) times.push(await bench.ask(app, request));
    const middle = median(times.map(({ medianMs }) => medianMs));
    const longest = Math.max(...times.map(({ longestMs }) => longestMs));
    rows.push([`${fleet} servers`, ms(middle), ratio(middle / METRICS_GOAL_MS), ms(longest)]);
  }
  return rows;
}

/** The memory of the app with the direct door, one minute after its last request. */
async function memory(bench: Bench): Promise<Rows> {
  const direct = await bench.direct();
  await bench.rest(MINUTE);
  const { residentMb, peakMb } = readProcessUse(direct.child.pid);
  return [
    ["memory of the app, direct door", "a minute after", "peak"],
    ["", mb(residentMb), mb(peakMb)],
  ];
}

/** Microseconds that the processes of an app work for one answer. */
async function cpuPerAnswer(bench: Bench, app: Target, request: BenchRequest): Promise<number> {
  const before = readProcessUse(app.child.pid).cpuMs;
  const { answers } = await bench.ask(app, request);
  return ((readProcessUse(app.child.pid).cpuMs - before) * 1000) / answers;
}

/** Checks that the peer and the app return the same data, because only then is the comparison fair. @throws PlainError */
async function requireEqualAnswers(bench: Bench, peer: Target, app: Target): Promise<void> {
  const headers = { Authorization: `Bearer ${bench.data.tokens[100][0]}` };
  const read = async ({ port }: Target, path: string) => {
    const { data } = await (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).json();
    return JSON.stringify(data);
  };
  for (const path of [ME, SERVERS, seriesPath(bench, "1h", 4)]) {
    let isEqual = false;
    // A score can change between the two answers.
    for (let attempt = 0; attempt < 5 && !isEqual; attempt++)
      isEqual = (await read(peer, path)) === (await read(app, path));
    if (!isEqual) throw new PlainError(`The peer answers ${path} otherwise.`);
  }
}

/** Answers per second of each case. Each case gets one request first, as a warm-up. */
async function ratesOf(
  bench: Bench,
  rounds: number,
  cases: Readonly<Record<string, readonly [Target, BenchRequest]>>,
): Promise<Record<string, number>> {
  for (const [target, request] of Object.values(cases)) await bench.ask(target, { ...request, ms: SECOND / 2 });
  return interleave(
    rounds,
    mapValues(
      cases,
      ([target, request]) =>
        async () =>
          (await bench.ask(target, request)).perSecond,
    ),
  );
}

function mapValues<Value, Made, Name extends string>(
  values: Readonly<Record<Name, Value>>,
  make: (value: Value, name: Name) => Made,
): Record<Name, Made> {
  const entries = Object.entries(values) as [Name, Value][];
  return Object.fromEntries(entries.map(([name, value]) => [name, make(value, name)])) as Record<Name, Made>;
}

function seriesPath(bench: Bench, range: Range, nodes: Nodes): string {
  return `/api/v1/game-services/${bench.data.services[nodes]}/metrics?range=${range}`;
}

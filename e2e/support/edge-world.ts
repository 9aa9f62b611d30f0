import type { GameService, MetricSeries } from "@/lib/api/schemas";
import { MINUTE } from "@/lib/format/time";
import { type ConsoleServer, startConsole } from "./console-server";
import { EdgeHost, isPing, Way } from "./edge-host";
import { insertNode, insertService } from "./edge-nodes";
import { test as base, expect, getData } from "./fixtures";
import { freePort } from "./free-port";
import { insertCaller } from "./insert-caller";
import { Origin } from "./minecraft";
import { SLOW } from "./patience";
import { runSql } from "./run-sql";
import { createTestDatabase, type TestDatabase } from "./test-database";

// public/edge.mjs with a real HAProxy and nftables, each node in a network namespace, and the console that they serve.

/** Where players come in. */
export const PORT = 25_565;
/** For pages and metrics that tell of the last minutes. */
export const LATELY = { minutesAgo: 3 };

export const expectConsecutive = (minutes: readonly number[]) =>
  expect(minutes).toEqual(minutes.map((_, index) => (minutes[0] ?? 0) + index * MINUTE));

export const total = (series: MetricSeries["series"], name: "bytes" | "connections" | "dropped" | "packets") =>
  series.reduce((sum, sample) => sum + sample[name], 0);

/** `text`: what players read while the origin is away. */
type Changed = {
  hostname?: string;
  host?: string;
  port?: number;
  sendsRealIps?: boolean;
  text?: string;
  wish?: string;
};
type Edge = { host: EdgeHost; way: Way; url: string; key: string };
/** A console that the tests of a worker use one after the other, each with rows of its own that are deleted afterwards. */
type Shared = { database: TestDatabase; app: ConsoleServer; opsPort: number };

export const test = base.extend<{ world: EdgeWorld }, { shared: Shared }>({
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: what Playwright asks for
    async ({}, use) => {
      const database = await createTestDatabase();
      const opsPort = await freePort();
      const app = await startConsole(database.url, { PRIVATE_ORIGINS: "allow", OPS_PORT: String(opsPort) });
      await use({ database, app, opsPort });
      await app.stop();
      await database.stop();
    },
    { scope: "worker" },
  ],
  world: async ({ shared }, use) => {
    const world = newWorld(shared, await insertCaller(shared.database.url));
    await use(world);
    await world.end();
  },
});

type EdgeWorld = ReturnType<typeof newWorld>;

/** The nodes and origins of one test. `token`: of the account that owns its services. */
function newWorld({ database, app, opsPort }: Shared, token: string) {
  const hosts: EdgeHost[] = [];
  const ways: Way[] = [];
  const origins: Origin[] = [];

  const get = <Data>(path: string) => getData<Data>(`/api/v1${path}`, token, { origin: app.origin });
  const statusOf = async (id: number) => (await get<GameService>(`/game-services/${id}`)).status;
  const seriesOf = async (id: number) => (await get<MetricSeries>(`/game-services/${id}/metrics?range=24h`)).series;

  const answeredOf = async (id: number) => {
    const sql = "select coalesce(sum(answered), 0)::int as answered from metric_samples where service_id = $1";
    return (await runSql<{ answered: number }>(database.url, sql, [id]))[0]?.answered ?? 0;
  };

  async function newNode(name: string, limits: readonly string[] = [], slots = 8): Promise<Edge> {
    return newNodeWithKey((await insertNode(database.url, name)).key, limits, slots);
  }

  async function newNodeWithKey(key: string, limits: readonly string[] = [], slots = 8): Promise<Edge> {
    const host = new EdgeHost();
    hosts.push(host);
    const way = new Way(app.origin);
    ways.push(way);
    await host.startHaproxy(slots, limits);
    return { host, way, url: await way.listen(host.outside), key };
  }

  /** Starts an edge node anew. It has served for a whole minute then. */
  async function startAgain({ host, url, key }: Edge): Promise<void> {
    await host.stopEdge();
    host.startEdge(url, key);
    for (let n = 0; n < 2; n++) await host.endMinute();
  }

  /** Expects a fact that nodes tell when their minutes end. */
  const expectInMinutes = <Fact>(fact: () => Promise<Fact>, of: readonly EdgeHost[] = hosts) =>
    expect.poll(async () => {
      await Promise.all(of.map((host) => host.endMinute()));
      return fact();
    }, SLOW);

  /** Does the same as the console's pages: changes a service and increments its version. */
  const changeService = (id: number, values: Changed) =>
    runSql(
      database.url,
      `update game_services set java_hostname = coalesce($2, java_hostname), origin_host = coalesce($3, origin_host),
         origin_port = coalesce($4, origin_port), sends_real_ips = coalesce($5, sends_real_ips),
         offline_text = coalesce($6, offline_text), wish = coalesce($7::service_wish, wish), config_version = config_version + 1 where id = $1`,
      [id, values.hostname, values.host, values.port, values.sendsRealIps, values.text, values.wish],
    );

  /** `port`: any free one unless it is named. */
  async function newOrigin(motd: string, host: string, port = 0): Promise<{ origin: Origin; port: number }> {
    const origin = new Origin(motd, isPing);
    origins.push(origin);
    return { origin, port: await origin.listen(host, port) };
  }

  const newService = (hostname: string, host: string, port: number, owner = "caller@example.com") =>
    insertService(database.url, owner, { hostname, host, port });

  async function end(): Promise<void> {
    await Promise.all(hosts.map((host) => host.remove()));
    await Promise.all(ways.map((way) => way.close()));
    for (const origin of origins) await origin.stop().catch(() => {});
    for (const table of ["game_services", "accounts", "edge_nodes"]) await runSql(database.url, `delete from ${table}`);
  }

  return {
    database,
    app,
    opsPort,
    token,
    get,
    statusOf,
    seriesOf,
    answeredOf,
    newNode,
    newNodeWithKey,
    startAgain,
    expectInMinutes,
    changeService,
    newOrigin,
    newService,
    end,
  };
}

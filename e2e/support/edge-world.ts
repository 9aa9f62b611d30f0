import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:net";
import type { Page } from "playwright/test";
import { MINUTE } from "@/lib/format/time";
import { hashToken } from "@/lib/tokens/format";
import { type ConsoleServer, startConsole } from "./console-server";
import { EdgeHost, isPing, Way } from "./edge-host";
import { insertNode, insertService } from "./edge-nodes";
import { test as base, expect, getData } from "./fixtures";
import { freePort } from "./free-port";
import { insertCaller } from "./insert-caller";
import { listen } from "./listen";
import { Origin } from "./minecraft";
import { NameServer } from "./name-server";
import { SLOW } from "./patience";
import { runSql } from "./run-sql";
import { createTestDatabase, type TestDatabase } from "./test-database";

// public/edge.mjs with a real HAProxy and nftables, each node in a network namespace, and the console that they serve.

export type Service = { id: number; status: string; error: string | null };
export type Sample = {
  ts: number;
  node_id: number;
  packets: number;
  bytes: number;
  dropped: number;
  connections: number;
};

/** Where players come in. */
export const PORT = 25_565;
/** For pages and metrics that tell of the last minutes. */
export const LATELY = { minutesAgo: 3 };

export const expectConsecutive = (minutes: readonly number[]) =>
  expect(minutes).toEqual(minutes.map((_, index) => (minutes[0] ?? 0) + index * MINUTE));

export const total = (series: Sample[], name: "bytes" | "connections" | "dropped" | "packets") =>
  series.reduce((sum, sample) => sum + sample[name], 0);

/** The exact number in a tile of a service's page. */
export const tile = async (page: Page, name: string) =>
  Number(await page.locator("dl > div").filter({ hasText: name }).locator("data").getAttribute("value"));

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

/** The nodes, origins and names of one test. `token`: of the account that owns its services. */
function newWorld({ database, app, opsPort }: Shared, token: string) {
  const hosts: EdgeHost[] = [];
  const ways: Way[] = [];
  const origins: Origin[] = [];
  const mutes: Server[] = [];
  const names = new NameServer();

  const get = <Data>(path: string) => getData<Data>(`/api/v1${path}`, token, { origin: app.origin });
  const statusOf = async (id: number) => (await get<Service>(`/game-services/${id}`)).status;
  const seriesOf = async (id: number) =>
    (await get<{ series: Sample[] }>(`/game-services/${id}/metrics?range=24h`)).series;

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
  async function startAgain(
    { host, url, key }: Edge,
    options: { minutesAgo?: number; isPublic?: boolean } = {},
  ): Promise<void> {
    await host.stopEdge();
    host.startEdge(url, key, options);
    for (let n = 0; n < 2; n++) await host.endMinute();
  }

  /** Expects a fact that nodes tell when their minutes end. */
  const expectInMinutes = <Fact>(fact: () => Promise<Fact>, of: readonly EdgeHost[] = hosts) =>
    expect.poll(async () => {
      await Promise.all(of.map((host) => host.endMinute()));
      return fact();
    }, SLOW);

  /** An edge node that learns of names what `names` says. */
  async function newNodeWithNames(name: string) {
    const node = await newNode(name);
    node.host.askOutside();
    await names.listen(node.host.outside);
    return node;
  }

  /** Does the same as the console's pages: changes a service and increments its version. */
  const changeService = (id: number, values: { hostname?: string; host?: string; port?: number }) =>
    runSql(
      database.url,
      `update game_services set java_hostname = coalesce($2, java_hostname), origin_host = coalesce($3, origin_host),
         origin_port = coalesce($4, origin_port), config_version = config_version + 1 where id = $1`,
      [id, values.hostname ?? null, values.host ?? null, values.port ?? null],
    );

  async function newOrigin(motd: string, host: string): Promise<{ origin: Origin; port: number }> {
    const origin = new Origin(motd, isPing);
    origins.push(origin);
    return { origin, port: await origin.listen(host) };
  }

  async function newOriginAt(motd: string, host: string, port: number): Promise<Origin> {
    const origin = new Origin(motd, isPing);
    origins.push(origin);
    await origin.listen(host, port);
    return origin;
  }

  /** The port of a server that takes connections and says nothing at all. */
  async function newMuteOrigin(host: string): Promise<number> {
    const server = createServer((socket) => socket.on("error", () => {}).resume());
    mutes.push(server);
    return listen(server, host);
  }

  const newService = (hostname: string, host: string, port: number, owner = "caller@example.com") =>
    insertService(database.url, owner, { hostname, host, port });

  /** A page of the account that owns everything here, signed in. */
  async function signedIn(page: Page): Promise<Page> {
    const session = randomBytes(32).toString("base64url");
    await runSql(
      database.url,
      `insert into sessions (token_hash, account_id, created_at, expires_at)
       select $1, id, now(), now() + interval '1 day' from accounts returning account_id`,
      [hashToken(session)],
    );
    await page.context().addCookies([{ name: "session", value: session, url: app.origin }]);
    return page;
  }

  /** Creates a service as its owner does. Returns its id. */
  async function createInBrowser(page: Page, hostname: string, host: string, port: number): Promise<number> {
    await page.goto(`${app.origin}/dashboard/game-services/new`);
    await page.getByLabel("Name", { exact: true }).fill(hostname);
    await page.getByLabel("Public hostname").fill(hostname);
    await page.getByLabel("Origin", { exact: true }).fill(host);
    await page.getByLabel("Port of the origin").fill(String(port));
    await page.getByRole("button", { name: "Create game service" }).click();
    await expect(page.getByText("The service is created.")).toBeVisible();
    const { services } = await get<{ services: { id: number; java_hostname: string }[] }>("/game-services");
    return services.find(({ java_hostname }) => java_hostname === hostname)?.id ?? 0;
  }

  /** Does the same as the console's pages: changes the wish and increments the version. */
  const wish = (id: number, wanted: string) =>
    runSql(
      database.url,
      "update game_services set wish = $2::service_wish, config_version = config_version + 1 where id = $1",
      [id, wanted],
    );

  async function end(): Promise<void> {
    await Promise.all(hosts.map((host) => host.remove()));
    await Promise.all(ways.map((way) => way.close()));
    for (const origin of origins) await origin.stop().catch(() => {});
    for (const mute of mutes) mute.close();
    names.close();
    for (const table of ["game_services", "accounts", "edge_nodes"]) await runSql(database.url, `delete from ${table}`);
  }

  return {
    database,
    app,
    opsPort,
    token,
    hosts,
    names,
    get,
    statusOf,
    seriesOf,
    answeredOf,
    newNode,
    newNodeWithKey,
    startAgain,
    expectInMinutes,
    newNodeWithNames,
    changeService,
    newOrigin,
    newOriginAt,
    newMuteOrigin,
    newService,
    signedIn,
    createInBrowser,
    wish,
    end,
  };
}

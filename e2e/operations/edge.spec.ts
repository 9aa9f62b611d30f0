import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createNetServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { Page } from "playwright/test";
import { command } from "@/e2e/support/command";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { EdgeHost, isPing, Way } from "@/e2e/support/edge-host";
import { test as base, call, expect, getData } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { insertCaller, insertCallerWithTokens } from "@/e2e/support/insert-caller";
import { askKick, askOldStatus, askStatus, askWholeStatus, Origin, Player } from "@/e2e/support/minecraft";
import { type NameAnswer, NameServer } from "@/e2e/support/name-server";
import { needs } from "@/e2e/support/needs";
import { FACT, SLOW } from "@/e2e/support/patience";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase, type TestDatabase } from "@/e2e/support/test-database";
import { MINUTE, SECOND } from "@/lib/format/time";
import { hashToken, mintToken, tokenHint } from "@/lib/tokens/format";

// public/edge.mjs with a real HAProxy and nftables, in a network namespace.

type Service = { id: number; status: string; error: string | null };
type Sample = { ts: number; node_id: number; packets: number; bytes: number; dropped: number; connections: number };

const PORT = 25_565;
/** What would be a command, a pattern or another service's name if it were written as it is. */
const HOSTILE_HOSTNAMES = [
  "",
  "a.example.test slot_1",
  "a.example.test\nset server slot_1/origin state maint",
  "a.example.test;shutdown sessions server slot_1/origin",
  "a.example.test\0",
  "a.example.test\r",
  "GOOD.example.test",
  "good.example.test",
  "good.example.test.",
  "g\u043eod.example.test",
  "*.example.test",
  "#a.example.test",
  "@1 a.example.test",
  "<b>a</b>.example.test",
  "-a.example.test",
  `${"a".repeat(60)}.`.repeat(4) + "b".repeat(10),
];
const HOSTILE_ORIGINS = [
  "",
  "192.0.2.1 port 1",
  "192.0.2.1;set server slot_1/origin state maint",
  "192.0.2.1\nset server slot_1/origin state maint",
  "192.0.2.1 . 1 : accept }",
  "fe80::1%lo",
  "[::1]",
  "$(id)",
  "unix@/tmp/x",
  "abns@x",
  "-a",
];
/** Closed or reset. */
const untilClosed = (socket: Socket) =>
  new Promise((resolve) => {
    socket.on("error", () => {});
    socket.on("close", resolve);
    socket.resume();
  });

/** For pages and metrics that tell of the last minutes. */
const LATELY = { minutesAgo: 3 };

type Edge = { host: EdgeHost; way: Way; url: string; key: string };

/** A console that the tests of a worker use one after the other, each with rows of its own that are deleted afterwards. */
type Shared = { database: TestDatabase; app: ConsoleServer; opsPort: number };

const test = base.extend<object, { shared: Shared }>({
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
});

test.describe("an edge node with a real HAProxy", { tag: "@waits" }, () => {
  needs("haproxy", "nft", "ip", "ss", "libfaketime", "namespaces");

  let database: TestDatabase;
  let app: ConsoleServer;
  let opsPort: number;
  let token: string;
  let hosts: EdgeHost[];
  let ways: Way[];
  let origins: Origin[];
  let mutes: Server[];
  let names: NameServer;

  test.beforeEach(async ({ shared }) => {
    [hosts, ways, origins, mutes] = [[], [], [], []];
    names = new NameServer();
    ({ database, app, opsPort } = shared);
    token = await insertCaller(database.url);
  });
  test.afterEach(async () => {
    await Promise.all(hosts.map((host) => host.remove()));
    await Promise.all(ways.map((way) => way.close()));
    for (const origin of origins) await origin.stop().catch(() => {});
    for (const mute of mutes) mute.close();
    names.close();
    for (const table of ["game_services", "accounts", "edge_nodes"]) await runSql(database.url, `delete from ${table}`);
  });

  const get = <Data>(path: string) => getData<Data>(`/api/v1${path}`, token, { origin: app.origin });
  const statusOf = async (id: number) => (await get<Service>(`/game-services/${id}`)).status;
  const seriesOf = async (id: number) =>
    (await get<{ series: Sample[] }>(`/game-services/${id}/metrics?range=24h`)).series;
  const expectConsecutive = (minutes: readonly number[]) =>
    expect(minutes).toEqual(minutes.map((_, index) => (minutes[0] ?? 0) + index * MINUTE));
  const total = (series: Sample[], name: "bytes" | "connections" | "dropped" | "packets") =>
    series.reduce((sum, sample) => sum + sample[name], 0);

  const answeredOf = async (id: number) => {
    const sql = "select coalesce(sum(answered), 0)::int as answered from metric_samples where service_id = $1";
    return (await runSql<{ answered: number }>(database.url, sql, [id]))[0]?.answered ?? 0;
  };

  async function newNode(name: string, limits: readonly string[] = [], slots = 8): Promise<Edge> {
    const key = mintToken("edgeKey");
    await runSql(
      database.url,
      `with n as (insert into edge_nodes (name) values ($1) returning id)
       insert into edge_node_keys (node_id, key_hash, hint) select id, $2, $3 from n`,
      [name, hashToken(key), tokenHint(key)],
    );
    return newNodeWithKey(key, limits, slots);
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
    const server = createNetServer((socket) => socket.on("error", () => {}).resume()).listen(0, host);
    mutes.push(server);
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  async function newService(hostname: string, host: string, port: number, email = "caller@example.com") {
    const [row] = await runSql<{ id: number }>(
      database.url,
      `insert into game_services (account_id, name, java_hostname, origin_host, origin_port, wish)
       select id, $1, $1, $2, $3, 'on' from accounts where email = $4 returning id`,
      [hostname, host, port, email],
    );
    if (!row) throw new Error("No service.");
    return row.id;
  }

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

  /** The exact number in a tile of a service's page. */
  const tile = async (page: Page, name: string) =>
    Number(await page.locator("dl > div").filter({ hasText: name }).locator("data").getAttribute("value"));

  /** Does the same as the console's pages: changes the wish and increments the version. */
  const wish = (id: number, wanted: string) =>
    runSql(
      database.url,
      "update game_services set wish = $2::service_wish, config_version = config_version + 1 where id = $1",
      [id, wanted],
    );

  test("serves players with the key that npm run console -- edge prints, counts exactly what they bring, never mixes origins, and outlives the console", async ({
    page,
  }) => {
    await signedIn(page);
    const { stdout } = await command(["console", "edge", "add", "edge-1"], { DATABASE_URL: database.url });
    const { host, way, url, key } = await newNodeWithKey(/cedg_\w+/.exec(stdout)?.[0] ?? "");
    const one = await newOrigin("one", host.outside);
    const two = await newOrigin("two", host.outside);
    const first = await createInBrowser(page, "one.example.test", host.outside, one.port);
    const second = await newService("two.example.test", host.outside, two.port);
    host.startEdge(url, key);
    await expect.poll(() => statusOf(first)).toBe("active");
    await expect.poll(() => statusOf(second)).toBe("active");

    // Capital letters, a final dot as behind an SRV record, what modded clients append; old and unknown versions.
    for (const name of [
      "one.example.test",
      "ONE.Example.Test.",
      "one.example.test\0FML3\0",
      "one.example.test.\0FORGE",
    ]) {
      for (const protocol of [47, 765, -1]) {
        expect(await askStatus(host.ip, PORT, name, protocol), `${name} ${protocol}`).toBe("one");
      }
    }
    expect(await askStatus(host.ip, PORT, "two.example.test")).toBe("two");
    expect(await askStatus(host.ip, PORT, "nobody.example.test")).toBeNull();

    const alice = await Player.join(host.ip, PORT, "one.example.test", "Alice");
    expect(await alice?.plays(100_000)).toBe(true);
    await alice?.leave();
    const bob = await Player.join(host.ip, PORT, "two.example.test", "Bob");
    expect(await bob?.plays(5000)).toBe(true);

    // A minute later the API has exactly what the origin counted at its sockets.
    // A connection and its last bytes may end up in two minutes.
    await expectInMinutes(async () => {
      const counted = await seriesOf(first);
      return { connections: total(counted, "connections"), bytes: total(counted, "bytes") };
    }).toEqual({ connections: one.origin.connections, bytes: one.origin.bytes });
    const series = await seriesOf(first);
    expect(total(series, "packets")).toBeGreaterThan(total(series, "connections") * 6);
    expect(total(series, "dropped")).toBe(0);
    await page.goto(`${app.origin}/dashboard/game-services/${first}?range=24h`);
    expect(await tile(page, "Connections")).toBe(one.origin.connections);
    expect(await tile(page, "Bytes")).toBe(one.origin.bytes);
    expect(
      (await call(`/api/v1/game-services/${first}/metrics?range=24h`, token, { origin: app.origin })).text,
    ).toContain('"latency_ms":');

    // The origin dies: its players are closed, and nobody reaches the other one.
    const carol = await Player.join(host.ip, PORT, "one.example.test", "Carol");
    expect(carol).not.toBeNull();
    const others = two.origin.connections;
    await one.origin.stop();
    await carol?.closed;
    for (let n = 0; n < 5; n++) expect(await askStatus(host.ip, PORT, "one.example.test")).toBeNull();
    expect(two.origin.connections).toBe(others);
    // Those that the node answered itself, once it knew, are counted apart.
    await expectInMinutes(async () => total(await seriesOf(first), "dropped") + (await answeredOf(first))).toBe(5);

    // The console is away for ten minutes of the node: players play on, and afterwards every minute is there, once.
    way.cut();
    for (let n = 0; n < 10; n++) {
      expect(await bob?.plays(1000)).toBe(true);
      await host.endMinute();
    }
    expect(await askStatus(host.ip, PORT, "two.example.test")).toBe("two");
    way.isCut = false;
    await expectInMinutes(async () => total(await seriesOf(second), "bytes")).toBe(two.origin.bytes);
    const minutes = (await seriesOf(second)).map(({ ts }) => ts);
    expect(minutes.length).toBeGreaterThan(10);
    expectConsecutive(minutes);

    // A disabled service closes within 30 seconds of real time.
    const askedAt = Date.now();
    await wish(second, "off");
    await bob?.closed;
    expect(Date.now() - askedAt).toBeLessThan(30 * SECOND);
    await expect.poll(() => statusOf(second)).toBe("disabled");
    expect(await askStatus(host.ip, PORT, "two.example.test")).toBeNull();
    expect(host.output).not.toMatch(/HAProxy did not take|Given up/);
  });

  test("HAProxy starts anew twice: everything is applied again, nobody reaches another's origin, and every minute is there once and whole", async () => {
    const { host, url, key } = await newNode("edge-1");
    const parts = [await newOrigin("one", host.outside), await newOrigin("two", host.outside)];
    const services: { name: string; id: number; origin: Origin }[] = [];
    for (const { origin, port } of parts) {
      const name = `${origin.motd}.example.test`;
      services.push({ name, id: await newService(name, host.outside, port), origin });
    }
    host.startEdge(url, key);
    for (const { id } of services) await expect.poll(() => statusOf(id)).toBe("active");

    const play = async (counts: readonly number[]) => {
      for (const [index, { name, origin }] of services.entries()) {
        for (let n = 0; n < (counts[index] ?? 0); n++) expect(await askStatus(host.ip, PORT, name)).toBe(origin.motd);
      }
    };
    const expectWhole = async () => {
      for (const { id, origin } of services) {
        await expectInMinutes(async () => {
          const series = await seriesOf(id);
          return { connections: total(series, "connections"), bytes: total(series, "bytes") };
        }).toEqual({ connections: origin.connections, bytes: origin.bytes });
      }
    };
    // Asks for both until both answer. On the way an answer may be missing, and must never be another origin's.
    const untilBothAnswer = async () => {
      const own = services.map(({ origin }) => origin.motd);
      const wrong: unknown[] = [];
      await expect(async () => {
        const answers = await Promise.all(services.map(({ name }) => askStatus(host.ip, PORT, name)));
        if (answers.some((answer, index) => answer !== null && answer !== own[index])) wrong.push(answers);
        expect(answers).toEqual(own);
      }).toPass({ timeout: FACT, intervals: [20] });
      expect(wrong).toEqual([]);
    };

    await play([2, 6]);
    const bob = await Player.join(host.ip, PORT, services[1]?.name ?? "", "Bob");
    // What HAProxy counted since the node last read it ends with HAProxy.
    await expectWhole();
    // While the node watches. Afterwards one service counts more than before, and the other less.
    await host.stopHaproxy();
    await bob?.closed;
    await host.startHaproxy();
    await untilBothAnswer();
    await play([9, 1]);
    await expectWhole();
    for (const { id } of services) {
      expectConsecutive((await seriesOf(id)).map(({ ts }) => ts));
    }
    // While the node itself is away. HAProxy knows nothing then, and lets nobody in.
    await host.stopEdge();
    await host.stopHaproxy();
    await host.startHaproxy();
    for (const { name } of services) expect(await askStatus(host.ip, PORT, name)).toBeNull();
    // Its clock went on meanwhile.
    host.startEdge(url, key);
    await untilBothAnswer();
    await play([1, 3]);
    await expectWhole();
    expect(host.output).toContain("HAProxy has started anew; applying everything again.");
  });

  test("two nodes serve one service, each with its own counters; a deleted service is gone when both say so", async () => {
    const nodes = [await newNode("edge-1"), await newNode("edge-2")];
    const [{ outside: outsideIp } = { outside: "" }] = hosts;
    const { origin, port } = await newOrigin("shared", "0.0.0.0");
    // Each node reaches the machine under a different ip, so the origin is a name.
    const id = await newService("shared.example.test", outsideIp, port);
    const [one, two] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
    one.host.startEdge(one.url, one.key);
    await expect.poll(() => statusOf(id)).toBe("active");
    two.host.startEdge(two.url, two.key);
    await expectInMinutes(async () => two.host.output, [two.host]).toContain("1 service served, 0 with an error");
    await expect.poll(() => statusOf(id)).toBe("active");
    expect(await askStatus(one.host.ip, PORT, "shared.example.test")).toBe("shared");
    await expectInMinutes(async () => new Set((await seriesOf(id)).map(({ node_id }) => node_id)).size).toBe(2);
    await expectInMinutes(async () => total(await seriesOf(id), "connections")).toBe(origin.connections);

    await two.host.stopEdge();
    two.host.startEdge(two.url, two.key);
    await wish(id, "gone");
    await expect
      .poll(async () => (await call(`/api/v1/game-services/${id}`, token, { origin: app.origin })).status)
      .toBe(404);
    expect(await askStatus(one.host.ip, PORT, "shared.example.test")).toBeNull();
  });

  test("what a console says that is no hostname, ip or number never becomes a command of HAProxy or nft, its texts reach players as they are, and the other services go on", async () => {
    const host = new EdgeHost();
    hosts.push(host);
    await host.startHaproxy(HOSTILE_HOSTNAMES.length + HOSTILE_ORIGINS.length + 2);
    const { port } = await newOrigin("one", host.outside);
    const good = { id: 1, version: 1, java_hostname: "good.example.test", origin_host: host.outside, enabled: true };
    // The console's own form refuses NUL.
    const offline_text = 'Back "at\0 \u00a7anine\u{1f600}\\';
    const services = [
      { ...good, origin_port: port },
      { ...good, java_hostname: "away.example.test", origin_port: 1, offline_text },
      ...HOSTILE_HOSTNAMES.map((java_hostname) => ({ ...good, java_hostname })),
      ...HOSTILE_ORIGINS.map((origin_host, n) => ({ ...good, java_hostname: `h${n}.example.test`, origin_host })),
    ].map((service, n) => ({ origin_port: 1000 + n, ...service, id: n + 1 }));
    const errors = new Map<number, string | null>();
    const hostile = createServer(async (request, response) => {
      const { acknowledgements = [] } = request.method === "POST" ? JSON.parse(await text(request)) : {};
      for (const { service_id, error } of acknowledgements) errors.set(service_id, error);
      const data = request.method === "POST" ? { stored: 0 } : { revision: "1", services };
      response.sendDate = false;
      response.end(JSON.stringify({ data }));
    }).listen(0, host.outside);
    await once(hostile, "listening");
    try {
      host.startEdge(`http://${host.outside}:${(hostile.address() as AddressInfo).port}`, mintToken("edgeKey"));
      await expect.poll(() => errors.size).toBe(services.length);
      const unsaid = services.filter(({ id }) => id > 2 && !errors.get(id));
      expect(unsaid).toEqual([]);
      expect([errors.get(1), errors.get(2)]).toEqual([null, null]);
      expect(await askStatus(host.ip, PORT, "good.example.test")).toBe("one");
      expect((await host.ledHostnames()).toSorted()).toEqual(["away.example.test", "good.example.test"]);
      await expect.poll(() => askKick(host.ip, PORT, "away.example.test")).toBe(offline_text);
      expect(await askWholeStatus(host.ip, PORT, "away.example.test")).toMatchObject({
        description: { text: offline_text },
      });
      expect(host.output).not.toMatch(/HAProxy did not take|nft failed|Not applied/);
    } finally {
      hostile.closeAllConnections();
      hostile.close();
    }
  });

  test("what cannot be served is said, as the error of that service alone; /metrics has the newest minute of the others", async () => {
    const { host, url, key } = await newNode("edge-1");
    const { origin, port } = await newOrigin("one", host.outside);
    const good = await newService("good.example.test", host.outside, port);
    const longest = `${"a".repeat(60)}.`.repeat(4) + "b".repeat(9);
    const other = await newOrigin("longest", host.outside);
    const long = await newService(longest, host.outside, other.port);
    const loop = await newService("loop.example.test", host.ip, PORT);
    const hidden = await newService("hidden.example.test", `0:0:0:0:0:ffff:${host.ip}`, PORT);
    const lost = await newService("lost.example.test", "nowhere.invalid", 25_565);
    host.startEdge(url, key, LATELY);
    await expect.poll(() => statusOf(good)).toBe("active");
    const errorOf = async (id: number) => (await get<Service>(`/game-services/${id}`)).error;
    for (const id of [loop, hidden]) {
      await expect.poll(() => errorOf(id)).toBe("edge-1: The origin is this node itself.");
    }
    await expect.poll(() => errorOf(lost)).toBe("edge-1: The origin nowhere.invalid cannot be found in DNS.");
    expect(await askStatus(host.ip, PORT, "good.example.test")).toBe("one");
    expect(longest).toHaveLength(253);
    await expect.poll(() => statusOf(long)).toBe("active");
    for (const protocol of [47, 765, -1]) {
      expect(await askStatus(host.ip, PORT, longest, protocol), String(protocol)).toBe("longest");
      expect(await askStatus(host.ip, PORT, `${longest}.`, protocol), String(protocol)).toBe("longest");
    }

    await expectInMinutes(async () => total(await seriesOf(good), "bytes")).toBe(origin.bytes);
    await expect(async () => {
      const newest = (await seriesOf(good)).at(-1);
      const metrics = await fetch(`${app.origin}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
      const text = await metrics.text();
      const shown = (name: string) =>
        Number(new RegExp(`interval_${name}\\{service_id="${good}",.*\\} (\\S+)$`, "m").exec(text)?.[1]);
      expect({
        ts: shown("start_timestamp_seconds") * SECOND,
        connections: shown("connections"),
        bytes: shown("bytes"),
      }).toEqual({ ts: newest?.ts, connections: newest?.connections, bytes: newest?.bytes });
    }).toPass();
  });

  test("players stay and new ones come for as long as the name of an origin is not found, over restarts, and the page says so", async ({
    page,
  }) => {
    await signedIn(page);
    const node = await newNodeWithNames("edge-1");
    const { host, url, key } = node;
    const { port } = await newOrigin("one", host.outside);
    names.answers.set("origin.example.test", [host.outside]);
    const id = await newService("one.example.test", "origin.example.test", port);
    host.startEdge(url, key);
    await expect.poll(() => statusOf(id)).toBe("active");
    const alice = await Player.join(host.ip, PORT, "one.example.test", "Alice");
    alice?.stays();
    const warning = page.getByText("origin.example.test has not been found in DNS since");
    for (const answer of ["NXDOMAIN", "SERVFAIL"] satisfies NameAnswer[]) {
      names.answers.set("origin.example.test", answer);
      await expect(async () => {
        await host.endMinute();
        await page.goto(`${app.origin}/dashboard/game-services/${id}`);
        await expect(warning, answer).toContainText(`this node goes on with ${host.outside}.`, { timeout: SECOND });
      }).toPass();
      expect(await askStatus(host.ip, PORT, "one.example.test"), answer).toBe("one");
      expect(await alice?.plays(1000), answer).toBe(true);
      expect(await statusOf(id), answer).toBe("active");
      if (answer === "SERVFAIL") {
        await startAgain(node);
        expect(await alice?.plays(1000), "the edge node has started anew").toBe(true);
      }
      names.answers.set("origin.example.test", [host.outside]);
      await expect(async () => {
        await host.endMinute();
        await page.reload();
        await expect(warning, answer).toHaveCount(0, { timeout: SECOND });
      }).toPass();
    }
    // Both are away while the name is lost, as after a power cut.
    names.answers.set("origin.example.test", "NXDOMAIN");
    await host.stopEdge();
    await host.stopHaproxy();
    await host.startHaproxy();
    host.startEdge(url, key);
    await expect.poll(() => askStatus(host.ip, PORT, "one.example.test")).toBe("one");
  });

  test("a name server that says nothing at all leaves the last ip in place and players with it, with a warning", async () => {
    const { host, url, key } = await newNodeWithNames("edge-1");
    const { port } = await newOrigin("one", host.outside);
    names.answers.set("origin.example.test", [host.outside]);
    const id = await newService("one.example.test", "origin.example.test", port);
    host.startEdge(url, key);
    await expect.poll(() => statusOf(id)).toBe("active");
    const alice = await Player.join(host.ip, PORT, "one.example.test", "Alice");
    names.answers.set("origin.example.test", "silent");
    const warning = async () =>
      (await runSql<{ warning: string | null }>(database.url, "select warning from edge_acknowledgements"))[0]?.warning;
    await expectInMinutes(warning).toContain(`in DNS since`);
    expect(await alice?.plays(1000)).toBe(true);
    expect(await askStatus(host.ip, PORT, "one.example.test")).toBe("one");
    expect(await statusOf(id)).toBe("active");
  });

  test("a version that cannot be served leaves players with the last one that can, also over a restart; only disabling and deleting end it", async ({
    page,
  }) => {
    await signedIn(page);
    const node = await newNodeWithNames("edge-1");
    const { host, url, key } = node;
    const one = await newOrigin("one", host.outside);
    const two = await newOrigin("two", host.outside);
    const id = await createInBrowser(page, "one.example.test", host.outside, one.port);
    const other = await newService("two.example.test", host.outside, two.port);
    host.startEdge(url, key);
    await expect.poll(() => statusOf(id)).toBe("active");
    await expect.poll(() => statusOf(other)).toBe("active");
    const alice = await Player.join(host.ip, PORT, "one.example.test", "Alice");
    alice?.stays();
    const errorOf = async (service = id) => (await get<Service>(`/game-services/${service}`)).error;
    const expectServed = async (what: string) => {
      expect(await alice?.plays(1000), what).toBe(true);
      expect(await askStatus(host.ip, PORT, "one.example.test"), what).toBe("one");
    };

    // A typo: the form asks, and saves it all the same.
    await page.goto(`${app.origin}/dashboard/game-services/${id}/settings`);
    await page.getByLabel("Origin", { exact: true }).fill("typo.invalid");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("typo.invalid cannot be found in DNS. Save it anyway?")).toBeVisible();
    expect(await errorOf()).toBeNull();
    await page.getByRole("button", { name: "Save anyway" }).click();
    await expect(page.getByText("Edge nodes apply the change")).toBeVisible();
    await expect
      .poll(() => errorOf())
      .toBe("edge-1: The origin typo.invalid cannot be found in DNS. Players still reach version 1.");
    expect(await statusOf(id)).toBe("failed");
    await expectServed("typo");
    await page.reload();
    await expect(page.getByText("Version 2 cannot be served:")).toBeVisible();
    await expect(page.getByText("Cannot serve version 2; serving version 1")).toBeVisible();

    // An address that is refused, and a hostname that is another service's, written by another program.
    await changeService(id, { host: host.ip, port: PORT });
    await expect.poll(() => errorOf()).toBe("edge-1: The origin is this node itself. Players still reach version 1.");
    await expectServed("refused address");
    await changeService(id, { host: host.outside, port: one.port, hostname: "two.example.test" });
    await expect.poll(() => errorOf()).toBe("Another service has this public hostname. Players still reach version 1.");
    await expectServed("hostname of another");
    expect(await askStatus(host.ip, PORT, "two.example.test")).toBe("two");
    await startAgain(node);
    await expectServed("after a restart");

    // Disabling holds at once, and what ran before does not come back.
    await wish(id, "off");
    await alice?.closed;
    expect(await askStatus(host.ip, PORT, "one.example.test")).toBeNull();
    await changeService(id, { host: "typo.invalid", hostname: "one.example.test" });
    await wish(id, "on");
    await expect.poll(() => errorOf()).toBe("edge-1: The origin typo.invalid cannot be found in DNS.");
    expect(await askStatus(host.ip, PORT, "one.example.test")).toBeNull();

    // So does deleting.
    await changeService(other, { host: "typo.invalid" });
    await expect
      .poll(() => errorOf(other))
      .toBe("edge-1: The origin typo.invalid cannot be found in DNS. Players still reach version 1.");
    const bob = await Player.join(host.ip, PORT, "two.example.test", "Bob");
    expect(await bob?.plays(1000)).toBe(true);
    await wish(other, "gone");
    await bob?.closed;
    expect(await askStatus(host.ip, PORT, "two.example.test")).toBeNull();
    expect(host.output).not.toMatch(/HAProxy did not take|Given up/);
  });

  test("two accounts share one origin, in IPv4 and IPv6: all are active, and each counter is exact", async () => {
    const { host, url, key } = await newNode("edge-1");
    const { origin, port } = await newOrigin("shared", "::");
    const [tokenOfOther = ""] = await insertCallerWithTokens(database.url, "other@example.com", 1);
    const ids = [
      await newService("one.example.test", host.outside, port),
      await newService("two.example.test", `::FFFF:${host.outside}`, port, "other@example.com"),
      await newService("three.example.test", host.outside, port),
      await newService("four.example.test", host.outside6, port),
      await newService("five.example.test", host.outside6, port, "other@example.com"),
    ];
    // The first block of a further service is among the ports that others of the machine leave from.
    const ranges = [[9_000, 10_300] as const, [11_264, 12_287] as const, [12_288, 13_311] as const];
    host.leaveFrom(9_000, 10_300);
    const packets = host.countPackets(port, ranges);
    const tokens = [token, tokenOfOther, token, token, tokenOfOther];
    const seriesOfAll = () =>
      Promise.all(
        ids.map(async (id, index) => {
          const path = `/api/v1/game-services/${id}/metrics?range=24h`;
          return (await getData<{ series: Sample[] }>(path, tokens[index] ?? "", { origin: app.origin })).series;
        }),
      );
    const statuses = async () =>
      (await runSql<{ status: string }>(database.url, "select status::text from game_services")).map(
        ({ status }) => status,
      );
    host.startEdge(url, key);
    await expect.poll(statuses).toEqual(ids.map(() => "active"));
    for (const [index, name] of ["one", "two", "three", "four", "five"].entries()) {
      for (let n = 0; n < 3 * (index + 1); n++) {
        expect(await askStatus(host.ip, PORT, `${name}.example.test`)).toBe("shared");
      }
    }
    const player = await Player.join(host.ip, PORT, "two.example.test", "Bob");
    expect(await player?.plays(300_000)).toBe(true);
    await player?.leave();
    const totals = async (name: "bytes" | "connections" | "packets") =>
      (await seriesOfAll()).map((series) => total(series, name));
    await expectInMinutes(() => totals("connections")).toEqual([3, 7, 9, 12, 15]);
    // The origin saw each service's players come from the ports of that service, whose packets another table counts.
    const seen = ranges.map(([first, last]) => origin.ports.filter((port) => port >= first && port <= last).length);
    // In IPv6 the same ports are another range.
    const byRange = ([one = 0, two = 0, three = 0, four = 0, five = 0]: number[]) => [one + four, two + five, three];
    expect(seen).toEqual(byRange([3, 7, 9, 12, 15]));
    await expectInMinutes(async () => (await totals("bytes")).reduce((a, b) => a + b)).toBe(origin.bytes);
    await expectInMinutes(async () => [byRange(await totals("packets")), packets()]).toEqual([packets(), packets()]);
  });

  test("a changed origin takes new players, and those who play stay with the old one until they leave", async () => {
    const node = await newNode("edge-1");
    const { host, url, key } = node;
    const one = await newOrigin("one", host.outside);
    const two = await newOrigin("two", host.outside);
    const id = await newService("one.example.test", host.outside, one.port);
    host.startEdge(url, key);
    await expect.poll(() => statusOf(id)).toBe("active");
    const alice = await Player.join(host.ip, PORT, "one.example.test", "Alice");
    alice?.stays();
    await changeService(id, { port: two.port });
    await expect.poll(() => askStatus(host.ip, PORT, "one.example.test")).toBe("two");
    expect(await alice?.plays(200_000)).toBe(true);
    // Somebody else comes to the old origin while she still plays there.
    const other = await newService("other.example.test", host.outside, one.port);
    await expect.poll(() => statusOf(other)).toBe("active");
    expect(await askStatus(host.ip, PORT, "other.example.test")).toBe("one");
    await startAgain(node);
    expect(await alice?.plays(1000), "the edge node has started anew").toBe(true);
    const bob = await Player.join(host.ip, PORT, "one.example.test", "Bob");
    bob?.stays();
    await alice?.leave();
    // The server that she used is deleted, so that each service has one again.
    await expect.poll(async () => (await host.servers()).map(({ isReady }) => isReady), SLOW).toEqual([true, true]);
    expect(await bob?.plays(1000)).toBe(true);
    // Both origins count for the service; the visit of the other one does not.
    await bob?.leave();
    const connections = async () => [
      total(await seriesOf(id), "connections"),
      total(await seriesOf(other), "connections"),
    ];
    await expectInMinutes(connections).toEqual([one.origin.connections - 1 + two.origin.connections, 1]);
    const bytes = async () => total(await seriesOf(id), "bytes") + total(await seriesOf(other), "bytes");
    await expectInMinutes(bytes).toBe(one.origin.bytes + two.origin.bytes);

    // HAProxy starts anew while an old server drains: its players are closed, and everybody reaches the new origin.
    const carol = await Player.join(host.ip, PORT, "one.example.test", "Carol");
    await changeService(id, { port: one.port });
    await expect.poll(() => askStatus(host.ip, PORT, "one.example.test")).toBe("one");
    await host.stopHaproxy();
    await carol?.closed;
    await host.startHaproxy();
    await expect.poll(() => askStatus(host.ip, PORT, "one.example.test")).toBe("one");
    await expect.poll(() => askStatus(host.ip, PORT, "other.example.test")).toBe("one");
    expect(host.output).not.toMatch(/HAProxy did not take|Given up/);
  });

  test("an origin is told each player's ip by PROXY protocol v2, IPv4 and IPv6, and the page says which pings it answers", async ({
    page,
  }) => {
    await signedIn(page);
    const { host, url, key } = await newNode("edge-1");
    const { origin, port } = await newOrigin("one", "::");
    const id = await createInBrowser(page, "one.example.test", host.outside, port);
    host.startEdge(url, key);
    await expect.poll(() => statusOf(id)).toBe("active");
    expect(await askStatus(host.ip, PORT, "one.example.test")).toBe("one");
    expect(await askStatus(host.ip6, PORT, "one.example.test")).toBe("one");
    expect(origin.toldIps).toEqual([]);
    const alice = await Player.join(host.ip, PORT, "one.example.test", "Alice");
    alice?.stays();
    const setRealIps = async (state: "on" | "off") => {
      await page.goto(`${app.origin}/dashboard/game-services/${id}/settings`);
      await page.getByRole("button", { name: `Switch real ips ${state}` }).click();
      await expect(page.getByText(`Real ips are ${state}. Edge nodes apply this within seconds`)).toBeVisible();
    };
    const expectWarning = async (text: string | null) => {
      await expect(async () => {
        // The origin is pinged each minute.
        await host.endMinute();
        await page.goto(`${app.origin}/dashboard/game-services/${id}`);
        const warning = page.locator(".notice.warning").filter({ hasText: "PROXY protocol" });
        if (text === null) await expect(warning).toHaveCount(0, { timeout: SECOND });
        else await expect(warning).toContainText(text, { timeout: SECOND });
      }).toPass({ timeout: FACT });
    };
    await expectWarning(null);

    // The origin does not expect it yet: nobody gets in, and the page says why. Who plays stays.
    await setRealIps("on");
    await expectWarning("The origin answers without PROXY protocol v2 only: switch it on there, or real ips off here.");
    expect(await askStatus(host.ip, PORT, "one.example.test")).toBeNull();
    expect(await alice?.plays(1000)).toBe(true);
    await alice?.leave();
    origin.expectsProxy = true;
    await expectWarning(null);
    for (const [ip, own] of [
      [host.ip, host.outside],
      [host.ip6, host.outside6],
    ] as const) {
      const player = await Player.join(ip, PORT, "one.example.test", "Bob");
      expect(await player?.plays(5000), ip).toBe(true);
      await player?.leave();
      expect(origin.toldIps.at(-1)).toBe(own);
    }
    expect(origin.toldIps).toEqual([host.outside, host.outside6]);
    // The node's own pings say its own ip.
    expect(new Set(origin.toldIpsOfPings)).toEqual(new Set([host.ip]));
    expect(await statusOf(id)).toBe("active");
    await expectInMinutes(async () => total(await seriesOf(id), "connections")).toBe(origin.connections);

    // An origin in IPv6.
    await changeService(id, { host: host.outside6 });
    await expect.poll(() => askStatus(host.ip, PORT, "one.example.test")).toBe("one");
    await expect.poll(() => origin.toldIpsOfPings.at(-1)).toBe(host.ip6);
    await expectWarning(null);
    await setRealIps("off");
    await expectWarning("The origin answers with PROXY protocol v2 only: switch real ips on here, or it off there.");
    await origin.stop();
    await expectWarning("The origin does not answer a status ping, neither with PROXY protocol v2 nor without it.");
    expect(host.output).not.toMatch(/HAProxy did not take|Given up/);
  });

  test("while an origin is away players read its owner's text, and one that answers badly or is asked too often is answered for; both are counted apart", async ({
    page,
  }) => {
    await signedIn(page);
    const node = await newNode("edge-1");
    const { host, url, key } = node;
    const { origin, port } = await newOrigin("one", host.outside);
    const full = {
      version: { name: "Paper", protocol: 765 },
      motd: "one",
      description: { text: "Hi" },
      favicon: "data:,",
    };
    origin.status = JSON.stringify({ ...full, players: { max: 20, online: 1, sample: [{ name: "Alice" }] } });
    const id = await createInBrowser(page, "one.example.test", host.outside, port);
    const text = 'Back at nine "\u00a7a\u{1f600}\\';
    await page.goto(`${app.origin}/dashboard/game-services/${id}/settings`);
    await page.getByLabel("Text for players", { exact: true }).fill(text);
    await page.getByRole("button", { name: "Set the text" }).click();
    await expect(page.getByText("The text for players is saved")).toBeVisible();
    host.startEdge(url, key);
    const wayIs = (way: RegExp) => expect.poll(() => host.ways()).toEqual([expect.stringMatching(way)]);
    await wayIs(/^kept_/);
    const ask = (name = "one.example.test") => askWholeStatus(host.ip, PORT, name);
    expect(await ask()).toMatchObject({ players: { online: 1 } });

    // Nobody has these names. A handshake of 254 bytes begins like the ping of old clients.
    const unknown = "There is no game server with this name here.";
    const nobody = {
      version: { name: "Offline", protocol: -1 },
      players: { max: 0, online: 0 },
      description: { text: unknown },
    };
    for (const name of ["nobody.example.test", `${"a".repeat(60)}.`.repeat(4).slice(0, 246)]) {
      expect(await ask(name), name).toEqual(nobody);
      expect(await askKick(host.ip, PORT, name)).toBe(unknown);
    }
    expect(await askOldStatus(host.ip, PORT)).toBe(unknown);

    // What the origin answers to players above 20 pings a second is what it answered to the node.
    const pinged = origin.connections;
    const askedAt = Date.now();
    let answered = 0;
    // On a busy machine a crowd may take some seconds to arrive.
    for (let asked = 60; answered === 0; asked += 60) {
      const crowd = await Promise.all(Array.from({ length: 60 }, () => ask()));
      for (const answer of crowd) expect(answer).toMatchObject({ motd: "one", players: { online: 1 } });
      answered = asked - (origin.connections - pinged);
    }
    const seconds = 1 + (Date.now() - askedAt) / SECOND;
    expect(origin.connections - pinged).toBeLessThanOrEqual(21 * seconds);

    // None of these takes the place of the last good answer.
    for (const status of [`{"a":"${"a".repeat(2 ** 20)}"}`, '{"motd":', "[]", null]) {
      origin.status = status;
      for (let n = 0; n < 2; n++) await host.endMinute();
    }
    await origin.stop();
    expect(await ask()).toBeNull();
    // Between two ends of minutes the node looks at the failures.
    for (let n = 0; n < 2; n++) await host.endMinute();
    expect(await host.ways(), "one failure switches nobody").toEqual([expect.stringMatching(/^kept_/)]);
    expect(await ask()).toBeNull();
    await wayIs(/^off_/);
    const away = { version: nobody.version, players: { max: 20, online: 0 }, description: { text }, favicon: "data:," };
    expect(await ask()).toEqual(away);
    expect(await askKick(host.ip, PORT, "one.example.test")).toBe(text);
    answered++;

    // Without the program everybody is led to the origin as before; HAProxy notices within a second.
    const again = await newOriginAt("one", host.outside, port);
    await wayIs(/^kept_/);
    expect(await ask()).toMatchObject({ motd: "one" });
    await again.stop();
    for (let n = 0; n < 2; n++) expect(await ask()).toBeNull();
    await wayIs(/^off_/);
    await host.stopEdge();
    const last = await newOriginAt("one", host.outside, port);
    await expect.poll(() => askStatus(host.ip, PORT, "one.example.test")).toBe("one");
    expect(await ask("nobody.example.test")).toBeNull();
    await last.stop();
    // What it answered last is on its disk.
    await startAgain(node);
    await expect.poll(async () => (await ask())?.description?.text ?? null).toBe(text);
    answered++;

    const sums = async () =>
      (
        await runSql<Record<string, number>>(
          database.url,
          `select sum(answered)::int as answered, sum(connections)::int as connections, sum(joins)::int as joins,
             sum(pings)::int as pings from metric_samples`,
        )
      )[0];
    const reached = origin.connections + again.connections + last.connections;
    await expectInMinutes(sums).toMatchObject({ answered, connections: reached, joins: 0 });
    expect(host.output).not.toMatch(/HAProxy did not take|Given up/);
  });

  test("joins and status pings are told apart, and connections of one ip above its limits or without a handshake are closed, counted for the node, or above those of a service for the service, and cost nobody else anything", async ({
    page,
  }) => {
    await signedIn(page);
    const { host, url, key } = await newNode("edge-1", [
      ...["--handshakes", "40", "--connections", "20", "--rate", "8"],
    ]);
    const { origin, port } = await newOrigin("one", host.outside);
    const id = await newService("one.example.test", host.outside, port);
    host.startEdge(url, key, LATELY);
    await expect.poll(() => statusOf(id)).toBe("active");
    const alice = await Player.join(host.ip, PORT, "one.example.test", "Alice");
    alice?.stays();
    const bob = await Player.join(host.ip6, PORT, "one.example.test", "Bob");
    for (let n = 0; n < 3; n++) expect(await askStatus(host.ip, PORT, "one.example.test")).toBe("one");
    await bob?.leave();

    await expect.poll(() => host.connections()).toEqual({ open: 1, closedAtOnce: 0, closedLater: 0 });
    // Alice's is open, so 19 more are; the others are refused at once. None sends anything.
    const closedAfter = await Promise.all(
      Array.from({ length: 35 }, async () => {
        const openedAt = Date.now();
        await untilClosed(connect(PORT, host.ip));
        return Date.now() - openedAt;
      }),
    );
    await expect.poll(() => host.connections()).toEqual({ open: 1, closedAtOnce: 16, closedLater: 19 });
    expect(closedAfter.filter((ms) => ms >= 1900).length).toBeGreaterThanOrEqual(19);
    // A minute is what HAProxy waits for everything else.
    expect(Math.max(...closedAfter)).toBeLessThan(30 * SECOND);
    // Half a handshake is as good as none. Another network is not held back meanwhile.
    const half = connect(PORT, host.ip, () => half.write(Buffer.from([20, 0])));
    const isOver = untilClosed(half);
    expect(await askStatus(host.ip6, PORT, "one.example.test")).toBe("one");
    await isOver;
    // More than 40 a second of one ip, however short each is.
    await expect(async () => {
      for (let n = 0; n < 20; n++) {
        const some = Array.from({ length: 5 }, () => {
          const socket = connect(PORT, host.ip, () => socket.end());
          return untilClosed(socket);
        });
        await Promise.all(some);
      }
      expect((await host.connections()).closedAtOnce).toBeGreaterThan(16);
    }).toPass();
    // More than 8 a second for one service, of two ips in one network of 64 bits.
    let pings = 4;
    let over = 0;
    while (over === 0) {
      const crowd = await Promise.all(
        Array.from({ length: 16 }, (_, n) => {
          const localAddress = n % 2 ? host.outside6 : host.neighbour6;
          return askStatus({ host: host.ip6, localAddress }, PORT, "one.example.test");
        }),
      );
      over = crowd.filter((answer) => answer === null).length;
      pings += 16 - over;
    }
    // The first eight of a second get in.
    expect(pings).toBeGreaterThanOrEqual(12);
    expect(await alice?.plays(1000)).toBe(true);

    const refused = async () =>
      (await runSql<{ refused: number }>(database.url, "select sum(refused)::int as refused from edge_node_minutes"))[0]
        ?.refused;
    const { closedAtOnce, closedLater } = await host.connections();
    await expectInMinutes(refused).toBe(closedAtOnce + closedLater - over);
    await expect(async () => {
      const text = await (await fetch(`http://127.0.0.1:${opsPort}/ops/metrics`)).text();
      const [newest] = await runSql<{ refused: number }>(
        database.url,
        "select refused::int as refused from edge_node_minutes order by ts desc limit 1",
      );
      expect(text).toContain(`console_edge_node_refused{node="edge-1"} ${newest?.refused}\n`);
    }).toPass();
    const asked = await runSql(
      database.url,
      `select sum(joins)::int as joins, sum(pings)::int as pings, sum(answered)::int as answered,
         sum(connections)::int as connections, sum(dropped)::int as dropped from metric_samples`,
    );
    expect(asked).toEqual([{ joins: 2, pings, answered: 0, connections: origin.connections, dropped: over }]);
    await expect(async () => {
      await page.goto(`${app.origin}/dashboard/game-services/${id}`);
      expect(await tile(page, "Players now")).toBe(1);
    }).toPass(SLOW);
    await expect(page.getByText(`2 joins, ${pings} status pings`)).toBeVisible();
    await runSql(database.url, "update accounts set role = 'admin' returning id");
    await page.goto(`${app.origin}/dashboard/edge-nodes`);
    await expect(page.locator("tr[data-node] data")).toHaveAttribute("value", String(await refused()));
  });

  test("what an edge node learns of an origin while a report is under way is told in the next one", async () => {
    const host = new EdgeHost();
    hosts.push(host);
    await host.startHaproxy();
    // It answers no ping, which is known a moment after the first report has left.
    const port = await newMuteOrigin(host.outside);
    const pingsEnded = new Promise<void>((resolve) => {
      let pings = 0;
      mutes[0]?.on("connection", (socket) => socket.on("close", () => ++pings === 2 && resolve()));
    });
    const service = {
      id: 1,
      version: 1,
      java_hostname: "one.example.test",
      origin_host: host.outside,
      origin_port: port,
    };
    const warnings: (string | null)[] = [];
    const slow = createServer(async (request, response) => {
      response.sendDate = false;
      if (request.method !== "POST") {
        return response.end(JSON.stringify({ data: { revision: "1", services: [{ ...service, enabled: true }] } }));
      }
      const { acknowledgements } = JSON.parse(await text(request));
      warnings.push(...acknowledgements.map(({ warning }: { warning: string | null }) => warning));
      // Both ways have been tried by then.
      await pingsEnded;
      response.end(JSON.stringify({ data: { stored: 0 } }));
    }).listen(0, host.outside);
    await once(slow, "listening");
    try {
      host.startEdge(`http://${host.outside}:${(slow.address() as AddressInfo).port}`, mintToken("edgeKey"));
      await expect.poll(() => warnings.at(-1)).toContain("The origin does not answer a status ping");
      expect(warnings[0]).toBeNull();
    } finally {
      slow.closeAllConnections();
      slow.close();
    }
  });

  test("with a console that is older than the edge node nothing is lost, and what it does not know is told once it does", async () => {
    const host = new EdgeHost();
    hosts.push(host);
    await host.startHaproxy();
    const { port } = await newOrigin("one", host.outside);
    const service = {
      id: 1,
      version: 1,
      java_hostname: "one.example.test",
      origin_host: host.outside,
      origin_port: port,
    };
    let services = [{ ...service, enabled: true }];
    let isOld = true;
    const words: Record<string, unknown>[] = [];
    // A report whose answer came too late is sent again.
    const minutes = new Set<number>();
    const refused: number[] = [];
    const refusedMinutes: number[] = [];
    const old = createServer(async (request, response) => {
      response.sendDate = false;
      if (request.method !== "POST") {
        const data = { revision: String(services[0]?.version), services };
        return response.end(JSON.stringify({ data }));
      }
      const { acknowledgements, intervals, node_minutes } = JSON.parse(await text(request));
      if (isOld && (node_minutes || intervals.some((interval: object) => Object.keys(interval).length > 7))) {
        refused.push(-1);
        response.statusCode = 400;
        return response.end(JSON.stringify({ error: "intervals.0.joins: is not a field of a report." }));
      }
      const index = acknowledgements.findIndex((word: object) => Object.keys(word).length > 3);
      if (isOld && index >= 0) {
        refused.push(index);
        response.statusCode = 400;
        const error = `acknowledgements.${index}.serving_version: is not a field of a report.`;
        return response.end(JSON.stringify({ error }));
      }
      words.push(...acknowledgements);
      for (const { ts } of intervals) minutes.add(ts);
      refusedMinutes.push(...(node_minutes ?? []).map(({ ts }: { ts: number }) => ts));
      response.end(JSON.stringify({ data: { stored: intervals.length } }));
    }).listen(0, host.outside);
    await once(old, "listening");
    try {
      host.startEdge(`http://${host.outside}:${(old.address() as AddressInfo).port}`, mintToken("edgeKey"));
      await expect.poll(() => words).toEqual([{ service_id: 1, version: 1, error: null }]);
      services = [{ ...service, version: 2, origin_host: "nowhere.invalid", enabled: true }];
      const error = "The origin nowhere.invalid cannot be found in DNS.";
      await expect
        .poll(() => words.at(-1))
        .toEqual({ service_id: 1, version: 2, error: `${error} Players still reach version 1.` });
      expect(await askStatus(host.ip, PORT, "one.example.test")).toBe("one");
      await expectInMinutes(async () => minutes.size).toBeGreaterThan(3);
      expectConsecutive([...minutes]);
      expect(refused).not.toEqual([]);
      expect(host.output).not.toContain("Given up");
      expect(refusedMinutes).toEqual([]);
      isOld = false;
      await expectInMinutes(async () => refusedMinutes.length).toBeGreaterThan(3);
      await expect
        .poll(() => words.at(-1))
        .toEqual({ service_id: 1, version: 2, error, serving_version: 1, warning: null });
    } finally {
      old.closeAllConnections();
      old.close();
    }
  });

  test("players of an origin that was changed an hour ago are closed and its server is deleted, over restarts, and not before", async () => {
    const node = await newNode("edge-1");
    const { host, url, key } = node;
    const one = await newOrigin("one", host.outside);
    const two = await newOrigin("two", host.outside);
    const id = await newService("one.example.test", host.outside, one.port);
    host.startEdge(url, key, { minutesAgo: 115 });
    await expect.poll(() => statusOf(id)).toBe("active");
    const alice = await Player.join(host.ip, PORT, "one.example.test", "Alice");
    alice?.stays();
    await changeService(id, { port: two.port });
    await expect.poll(() => askStatus(host.ip, PORT, "one.example.test")).toBe("two");
    const bob = await Player.join(host.ip, PORT, "one.example.test", "Bob");
    bob?.stays();
    const readyServers = async () => (await host.servers()).map(({ isReady }) => isReady).sort();
    // At most 50 minutes after the change, as long as all before took less than three minutes.
    await startAgain(node, { minutesAgo: 70 });
    expect(await readyServers()).toEqual([false, true]);
    expect(await alice?.plays(1000)).toBe(true);
    await startAgain(node, { minutesAgo: 10 });
    await expect.poll(readyServers).toEqual([true]);
    await alice?.closed;
    expect(await bob?.plays(1000)).toBe(true);
    expect(await askStatus(host.ip, PORT, "one.example.test")).toBe("two");
    expect(host.output).not.toMatch(/HAProxy did not take|Given up/);
  });

  test("of a thousand services with one origin each further one has ports of its own while there are any; who comes too late reads nothing of the others, and takes nothing from them", async () => {
    const { host, url, key } = await newNode("edge-1", [], 1002);
    const { port } = await newOrigin("shared", host.outside);
    const alone = await newOrigin("alone", host.outside);
    await runSql(
      database.url,
      `insert into game_services (account_id, name, java_hostname, origin_host, origin_port, wish)
       select accounts.id, n || '.example.test', n || '.example.test', $1, $2, case when n = 1 then 'off' else 'on' end::service_wish
       from accounts, generate_series(1, 1000) as n order by n`,
      [host.outside, port],
    );
    const other = await newService("alone.example.test", host.outside, alone.port);
    const [late] = await runSql<{ id: number }>(
      database.url,
      "select id from game_services where name = '1.example.test'",
    );
    const namesOf = async (status: string) =>
      (
        await runSql<{ name: string }>(
          database.url,
          "select name from game_services where status::text = $1 order by id",
          [status],
        )
      ).map(({ name }) => name);
    const errors = () =>
      runSql(database.url, "select distinct error from edge_acknowledgements where error is not null");
    const room = "This node has no room for another service with this origin. Choose another origin, or ask support.";
    host.startEdge(url, key);
    // The first leaves from any port. Players connect to a port in one of the 25 blocks.
    const shared = Array.from({ length: 25 }, (_, index) => `${index + 2}.example.test`);
    await expect.poll(() => namesOf("active"), SLOW).toEqual([...shared, "alone.example.test"]);
    await expect.poll(async () => (await namesOf("failed")).length).toBe(974);
    expect(await errors()).toEqual([{ error: room }]);
    for (const name of shared) expect(await askStatus(host.ip, PORT, name), name).toBe("shared");
    expect(await askStatus(host.ip, PORT, "999.example.test")).toBeNull();

    // Nobody's place is for somebody who comes later, however low the id.
    const alice = await Player.join(host.ip, PORT, "26.example.test", "Alice");
    alice?.stays();
    await wish(late?.id ?? 0, "on");
    await expect.poll(() => namesOf("failed")).toHaveLength(975);
    expect(await namesOf("active")).toEqual([...shared, "alone.example.test"]);
    expect(await alice?.plays(1000)).toBe(true);
    expect(await askStatus(host.ip, PORT, "alone.example.test")).toBe("alone");
    // A place that was left is the next one's.
    await wish(other - 999, "off");
    await expect.poll(() => askStatus(host.ip, PORT, "1.example.test")).toBe("shared");
    expect(await alice?.plays(1000)).toBe(true);
    expect(await host.ledHostnames()).toHaveLength(26);
    expect(host.output).not.toMatch(/HAProxy did not take|Given up/);
  });

  test("hundreds of origins that take connections and say nothing cost no other origin its latency", async () => {
    const { host, url, key } = await newNode("edge-1", [], 402);
    const { port } = await newOrigin("one", host.outside);
    host.leadOutside("192.0.2.80", "1001-1400", await newMuteOrigin(host.outside));
    await runSql(
      database.url,
      `insert into game_services (account_id, name, java_hostname, origin_host, origin_port, wish)
       select accounts.id, n || '.example.test', n || '.example.test', '192.0.2.80', n, 'on'
       from accounts, generate_series(1001, 1400) as n order by n`,
    );
    const id = await newService("one.example.test", host.outside, port);
    host.startEdge(url, key);
    const silent = async () =>
      (await runSql(database.url, "select from edge_acknowledgements where warning like '%does not answer%'")).length;
    await expect.poll(silent, SLOW).toBe(400);
    const latencies = () =>
      runSql<{ latency_ms: number | null; silent: number }>(
        database.url,
        `select latency_ms, (select count(latency_ms)::int from metric_samples where service_id <> $1) as silent
         from metric_samples where service_id = $1 order by ts desc limit 2`,
        [id],
      );
    const known = { latency_ms: expect.any(Number), silent: 0 };
    await expectInMinutes(latencies).toEqual([known, known]);
  });

  test("a name that leads to a private ip after a public one leaves players with the public one, also over a restart, and says why", async () => {
    const node = await newNodeWithNames("edge-1");
    const { host, url, key } = node;
    const open = await newOrigin("public", host.outside);
    const inner = await newOrigin("private", host.outside);
    host.leadOutside("192.0.2.80", String(inner.port), open.port);
    names.answers.set("origin.example.test", ["192.0.2.80"]);
    names.answers.set("inner.example.test", [host.outside]);
    const id = await newService("one.example.test", "origin.example.test", inner.port);
    const never = await newService("two.example.test", "inner.example.test", inner.port);
    const errorOf = async (service: number) => (await get<Service>(`/game-services/${service}`)).error;
    const isPrivate = (name: string) =>
      `edge-1: The origin ${name}.example.test is a private ip, which this node does not serve.`;
    host.startEdge(url, key, { isPublic: true });
    await expect.poll(() => statusOf(id)).toBe("active");
    await expect.poll(() => errorOf(never)).toBe(isPrivate("inner"));
    const alice = await Player.join(host.ip, PORT, "one.example.test", "Alice");
    alice?.stays();
    for (const what of ["while it runs", "over a restart"]) {
      names.answers.set("origin.example.test", [host.outside]);
      await expectInMinutes(() => get<Service>(`/game-services/${id}`)).toMatchObject({
        status: "failed",
        error: `${isPrivate("origin")} Players still reach its last ip.`,
      });
      expect(await askStatus(host.ip, PORT, "one.example.test"), what).toBe("public");
      expect(await alice?.plays(1000), what).toBe(true);
      expect(await askStatus(host.ip, PORT, "two.example.test"), what).not.toBe("private");
      if (what === "over a restart") break;
      await startAgain(node, { isPublic: true });
    }
    // A private ip beside a public one is passed over.
    names.answers.set("origin.example.test", [host.outside, "192.0.2.80"]);
    await expectInMinutes(() => statusOf(id)).toBe("active");
    expect(await alice?.plays(1000)).toBe(true);
    expect(inner.origin.connections).toBe(0);
  });

  test("a clock that is off by an hour, and set while the node runs, moves no interval and closes no player", async () => {
    const { host, way, url, key } = await newNode("edge-1");
    // By the console's clock the node's minute ends fifteen seconds from now. No interval may be ahead of this machine's.
    way.timeBehind = MINUTE + ((Date.now() + 15 * SECOND) % MINUTE);
    const startedAt = Date.now() - way.timeBehind;
    const one = await newOrigin("one", host.outside);
    const two = await newOrigin("two", host.outside);
    const id = await newService("one.example.test", host.outside, one.port);
    const steady = { isSteady: true };
    host.startEdge(url, key, { ...steady, minutesAgo: 60 });
    await expect.poll(() => statusOf(id)).toBe("active");
    const alice = await Player.join(host.ip, PORT, "one.example.test", "Alice");
    alice?.stays();
    await changeService(id, { port: two.port });
    await expect.poll(() => askStatus(host.ip, PORT, "one.example.test")).toBe("two");
    // Two hours ahead at once, and over a restart. She stays with the old origin.
    host.skip(120 * MINUTE);
    await expect.poll(async () => (await seriesOf(id)).length, SLOW).toBeGreaterThanOrEqual(1);
    await host.stopEdge();
    // The node is away for most of the next minute.
    way.timeBehind -= 40 * SECOND;
    host.startEdge(url, key, steady);
    expect(await askStatus(host.ip, PORT, "one.example.test")).toBe("two");
    await expect
      .poll(async () => total(await seriesOf(id), "connections"), SLOW)
      .toBe(one.origin.connections + two.origin.connections);
    expect(await alice?.plays(1000)).toBe(true);
    expect((await host.servers()).map(({ isReady }) => isReady).sort()).toEqual([false, true]);
    const minutes = (await seriesOf(id)).map(({ ts }) => ts);
    expectConsecutive(minutes);
    expect(minutes[0]).toBeGreaterThan(startedAt - MINUTE - 3 * SECOND);
    expect(minutes.at(-1)).toBeLessThan(Date.now());
    expect(host.output).not.toMatch(/HAProxy did not take|Given up/);
  });
});

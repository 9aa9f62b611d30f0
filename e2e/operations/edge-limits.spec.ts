import { connect, type Socket } from "node:net";
import { LATELY, PORT, test, tile } from "@/e2e/support/edge-world";
import { expect } from "@/e2e/support/fixtures";
import { askStatus, Player } from "@/e2e/support/minecraft";
import { needs } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import { runSql } from "@/e2e/support/run-sql";
import { SECOND } from "@/lib/format/time";

// What one of many costs the others at an edge node. With a real HAProxy and nftables, in a network namespace.

/** Closed or reset. */
const untilClosed = (socket: Socket) =>
  new Promise((resolve) => {
    socket.on("error", () => {});
    socket.on("close", resolve);
    socket.resume();
  });

test.describe("an edge node with a real HAProxy", { tag: "@waits" }, () => {
  needs("haproxy", "nft", "ip", "ss", "libfaketime", "namespaces");

  test("joins and pings count apart, and closed excess connections cost nobody else anything", async ({
    page,
    world,
  }) => {
    const { database, app, opsPort, statusOf, newNode, expectInMinutes, newOrigin, newService, signedIn } = world;
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

  test("services beyond an origin's free ports fail without taking anything from the others", async ({ world }) => {
    const { database, newNode, newOrigin, newService, wish } = world;
    const { host, url, key } = await newNode("edge-1", [], 32);
    const { port } = await newOrigin("shared", host.outside);
    const alone = await newOrigin("alone", host.outside);
    await runSql(
      database.url,
      `insert into game_services (account_id, name, java_hostname, origin_host, origin_port, wish)
       select accounts.id, n || '.example.test', n || '.example.test', $1, $2, case when n = 1 then 'off' else 'on' end::service_wish
       from accounts, generate_series(1, 30) as n order by n`,
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
    await expect.poll(async () => (await namesOf("failed")).length).toBe(4);
    expect(await errors()).toEqual([{ error: room }]);
    for (const name of shared) expect(await askStatus(host.ip, PORT, name), name).toBe("shared");
    expect(await askStatus(host.ip, PORT, "29.example.test")).toBeNull();

    // Nobody's place is for somebody who comes later, however low the id.
    const alice = await Player.join(host.ip, PORT, "26.example.test", "Alice");
    alice?.stays();
    await wish(late?.id ?? 0, "on");
    await expect.poll(() => namesOf("failed")).toHaveLength(5);
    expect(await namesOf("active")).toEqual([...shared, "alone.example.test"]);
    expect(await alice?.plays(1000)).toBe(true);
    expect(await askStatus(host.ip, PORT, "alone.example.test")).toBe("alone");
    // A place that was left is the next one's.
    await wish(other - 29, "off");
    await expect.poll(() => askStatus(host.ip, PORT, "1.example.test")).toBe("shared");
    expect(await alice?.plays(1000)).toBe(true);
    expect(await host.ledHostnames()).toHaveLength(26);
    expect(host.output).not.toMatch(/HAProxy did not take|Given up/);
  });

  test("hundreds of silent origins cost no other origin its latency", async ({ world }) => {
    const { database, newNode, expectInMinutes, newOrigin, newMuteOrigin, newService } = world;
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
});

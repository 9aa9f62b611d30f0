import { connect, type Socket } from "node:net";
import { LATELY, PORT, test } from "@/e2e/support/edge-world";
import { expect } from "@/e2e/support/fixtures";
import { askStatus, Player } from "@/e2e/support/minecraft";
import { needs } from "@/e2e/support/needs";
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

  test("joins and pings count apart, and closed excess connections cost nobody else anything", async ({ world }) => {
    const { database, opsPort, statusOf, newNode, expectInMinutes, newOrigin, newService } = world;
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
    const playing = () => runSql(database.url, "select players::int from metric_samples order by ts desc limit 1");
    await expectInMinutes(playing).toEqual([{ players: 1 }]);
  });
});

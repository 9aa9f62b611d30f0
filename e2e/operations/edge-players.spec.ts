import { PORT, test, total } from "@/e2e/support/edge-world";
import { expect, getData } from "@/e2e/support/fixtures";
import { insertCallerWithTokens } from "@/e2e/support/insert-caller";
import { askKick, askOldStatus, askStatus, askWholeStatus, Player } from "@/e2e/support/minecraft";
import { needs } from "@/e2e/support/needs";
import { runSql } from "@/e2e/support/run-sql";
import type { MetricSeries } from "@/lib/api/schemas";
import { SECOND } from "@/lib/format/time";

// What origins and players read of each other. With a real HAProxy and nftables, in a network namespace.

test.describe("an edge node with a real HAProxy", { tag: "@waits" }, () => {
  needs("haproxy", "nft", "ip", "ss", "libfaketime", "namespaces");

  test("two accounts share one origin over IPv4 and IPv6 with exact separate counters", async ({ world }) => {
    const { database, app, token, newNode, expectInMinutes, newOrigin, newService } = world;
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
          return (await getData<MetricSeries>(path, tokens[index] ?? "", { origin: app.origin })).series;
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

  test("an origin learns each player's ip by PROXY protocol v2, over IPv4 and IPv6", async ({ world }) => {
    const { statusOf, seriesOf, newNode, expectInMinutes, changeService, newOrigin, newService } = world;
    const { host, url, key } = await newNode("edge-1");
    const { origin, port } = await newOrigin("one", "::");
    const id = await newService("one.example.test", host.outside, port);
    host.startEdge(url, key);
    await expect.poll(() => statusOf(id)).toBe("active");
    expect(await askStatus(host.ip, PORT, "one.example.test")).toBe("one");
    expect(await askStatus(host.ip6, PORT, "one.example.test")).toBe("one");
    expect(origin.toldIps).toEqual([]);
    const alice = await Player.join(host.ip, PORT, "one.example.test", "Alice");
    alice?.stays();
    const setRealIps = (sendsRealIps: boolean) => changeService(id, { sendsRealIps });

    // The origin does not expect it yet: nobody gets in. Who plays stays.
    await setRealIps(true);
    await expect.poll(() => askStatus(host.ip, PORT, "one.example.test")).toBeNull();
    expect(await alice?.plays(1000)).toBe(true);
    await alice?.leave();
    origin.expectsProxy = true;
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
    await expectInMinutes(async () => [...new Set(origin.toldIpsOfPings)]).toEqual([host.ip]);
    expect(await statusOf(id)).toBe("active");
    await expectInMinutes(async () => total(await seriesOf(id), "connections")).toBe(origin.connections);

    // An origin in IPv6.
    await changeService(id, { host: host.outside6 });
    await expect.poll(() => askStatus(host.ip, PORT, "one.example.test")).toBe("one");
    await expect.poll(() => origin.toldIpsOfPings.at(-1)).toBe(host.ip6);
    await setRealIps(false);
    await expect.poll(() => askStatus(host.ip, PORT, "one.example.test")).toBeNull();
    expect(host.output).not.toMatch(/HAProxy did not take|Given up/);
  });

  test("an unavailable or faulty origin is answered for, and both are counted apart", async ({ world }) => {
    const { database, newNode, startAgain, expectInMinutes, changeService, newOrigin, newService } = world;
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
    const id = await newService("one.example.test", host.outside, port);
    const text = 'Back at nine "\u00a7a\u{1f600}\\';
    await changeService(id, { text });
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
    const { origin: again } = await newOrigin("one", host.outside, port);
    await wayIs(/^kept_/);
    expect(await ask()).toMatchObject({ motd: "one" });
    await again.stop();
    for (let n = 0; n < 2; n++) expect(await ask()).toBeNull();
    await wayIs(/^off_/);
    await host.stopEdge();
    const { origin: last } = await newOrigin("one", host.outside, port);
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
});

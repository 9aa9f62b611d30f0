import { command } from "@/e2e/support/command";
import { expectConsecutive, PORT, test, total } from "@/e2e/support/edge-world";
import { call, expect } from "@/e2e/support/fixtures";
import { askStatus, type Origin, Player } from "@/e2e/support/minecraft";
import { needs } from "@/e2e/support/needs";
import { FACT, SLOW } from "@/e2e/support/patience";
import { MINUTE, SECOND } from "@/lib/format/time";

// An edge node serves players, and counts what they bring. With a real HAProxy and nftables, in a network namespace.

test.describe("an edge node with a real HAProxy", { tag: "@waits" }, () => {
  needs("haproxy", "nft", "ip", "ss", "libfaketime", "namespaces");

  test("serves players, counts their traffic exactly, never mixes origins and outlives the console", async ({
    world,
  }) => {
    const {
      database,
      app,
      token,
      statusOf,
      seriesOf,
      answeredOf,
      newNodeWithKey,
      expectInMinutes,
      newOrigin,
      newService,
      changeService,
    } = world;
    const { stdout } = await command(["console", "edge", "add", "edge-1"], { DATABASE_URL: database.url });
    const { host, way, url, key } = await newNodeWithKey(/cedg_\w+/.exec(stdout)?.[0] ?? "");
    const one = await newOrigin("one", host.outside);
    const two = await newOrigin("two", host.outside);
    const first = await newService("one.example.test", host.outside, one.port);
    const second = await newService("two.example.test", host.outside, two.port);
    host.startEdge(url, key);
    await expect.poll(() => statusOf(first)).toBe("active");
    await expect.poll(() => statusOf(second)).toBe("active");

    expect(await askStatus(host.ip, PORT, "one.example.test")).toBe("one");
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
    await changeService(second, { wish: "off" });
    await bob?.closed;
    expect(Date.now() - askedAt).toBeLessThan(30 * SECOND);
    await expect.poll(() => statusOf(second)).toBe("disabled");
    expect(await askStatus(host.ip, PORT, "two.example.test")).toBeNull();
    expect(host.output).not.toMatch(/HAProxy did not take|Given up/);
  });

  test("HAProxy restarts lead nobody to another's origin and count every minute once", async ({ world }) => {
    const { statusOf, seriesOf, newNode, expectInMinutes, newOrigin, newService } = world;
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

  test("a clock off by an hour moves no interval and disconnects no player", async ({ world }) => {
    const { statusOf, seriesOf, newNode, changeService, newOrigin, newService } = world;
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

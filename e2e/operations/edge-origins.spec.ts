import { PORT, test, total } from "@/e2e/support/edge-world";
import { expect } from "@/e2e/support/fixtures";
import { askStatus, Player } from "@/e2e/support/minecraft";
import { needs } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import type { GameService } from "@/lib/api/schemas";

// Origins that change, or that an edge node cannot find. With a real HAProxy and nftables, in a network namespace.

test.describe("an edge node with a real HAProxy", { tag: "@waits" }, () => {
  needs("haproxy", "nft", "ip", "ss", "libfaketime", "namespaces");

  test("a changed origin takes new players while current ones stay on the old one", async ({ world }) => {
    const { statusOf, seriesOf, newNode, startAgain, expectInMinutes, changeService, newOrigin, newService } = world;
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

  test("players keep the last servable version until the service is disabled or deleted", async ({ world }) => {
    const { get, statusOf, startAgain, newNode, changeService, newOrigin, newService } = world;
    const node = await newNode("edge-1");
    const { host, url, key } = node;
    const one = await newOrigin("one", host.outside);
    const two = await newOrigin("two", host.outside);
    const id = await newService("one.example.test", host.outside, one.port);
    const other = await newService("two.example.test", host.outside, two.port);
    host.startEdge(url, key);
    await expect.poll(() => statusOf(id)).toBe("active");
    await expect.poll(() => statusOf(other)).toBe("active");
    const alice = await Player.join(host.ip, PORT, "one.example.test", "Alice");
    alice?.stays();
    const errorOf = async (service = id) => (await get<GameService>(`/game-services/${service}`)).error;
    const expectServed = async (what: string) => {
      expect(await alice?.plays(1000), what).toBe(true);
      expect(await askStatus(host.ip, PORT, "one.example.test"), what).toBe("one");
    };

    // A name that nobody has.
    await changeService(id, { host: "typo.invalid" });
    await expect
      .poll(() => errorOf())
      .toBe("edge-1: The origin typo.invalid cannot be found in DNS. Players still reach version 1.");
    expect(await statusOf(id)).toBe("failed");
    await expectServed("typo");

    // An address that is refused, and a hostname that is another service's.
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
    await changeService(id, { wish: "off" });
    await alice?.closed;
    expect(await askStatus(host.ip, PORT, "one.example.test")).toBeNull();
    await changeService(id, { host: "typo.invalid", hostname: "one.example.test" });
    await changeService(id, { wish: "on" });
    await expect.poll(() => errorOf()).toBe("edge-1: The origin typo.invalid cannot be found in DNS.");
    expect(await askStatus(host.ip, PORT, "one.example.test")).toBeNull();

    // So does deleting.
    await changeService(other, { host: "typo.invalid" });
    await expect
      .poll(() => errorOf(other))
      .toBe("edge-1: The origin typo.invalid cannot be found in DNS. Players still reach version 1.");
    const bob = await Player.join(host.ip, PORT, "two.example.test", "Bob");
    expect(await bob?.plays(1000)).toBe(true);
    await changeService(other, { wish: "gone" });
    await bob?.closed;
    expect(await askStatus(host.ip, PORT, "two.example.test")).toBeNull();
    expect(host.output).not.toMatch(/HAProxy did not take|Given up/);
  });
});

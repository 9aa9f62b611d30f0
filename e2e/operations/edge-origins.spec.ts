import { PORT, type Service, test, total } from "@/e2e/support/edge-world";
import { expect } from "@/e2e/support/fixtures";
import { askStatus, Player } from "@/e2e/support/minecraft";
import type { NameAnswer } from "@/e2e/support/name-server";
import { needs } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import { SECOND } from "@/lib/format/time";

// Origins that change, or that an edge node cannot find. With a real HAProxy and nftables, in a network namespace.

test.describe("an edge node with a real HAProxy", { tag: "@waits" }, () => {
  needs("haproxy", "nft", "ip", "ss", "libfaketime", "namespaces");

  test("players stay and join while an origin's name is not found, over restarts", async ({ page, world }) => {
    const { app, names, statusOf, startAgain, newNodeWithNames, newOrigin, newService, signedIn } = world;
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
    for (const answer of ["NXDOMAIN", "SERVFAIL", "silent"] satisfies NameAnswer[]) {
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

  test("players of an old origin are closed an hour after the change, not earlier", async ({ world }) => {
    const { statusOf, newNode, startAgain, changeService, newOrigin, newService } = world;
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

  test("a name that turns private leaves players on its public ip and says why", async ({ world }) => {
    const { names, get, statusOf, startAgain, expectInMinutes, newNodeWithNames, newOrigin, newService } = world;
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
});

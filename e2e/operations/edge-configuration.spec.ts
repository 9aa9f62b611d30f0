import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { EdgeHost } from "@/e2e/support/edge-host";
import { LATELY, PORT, type Service, test, total } from "@/e2e/support/edge-world";
import { expect } from "@/e2e/support/fixtures";
import { listen } from "@/e2e/support/listen";
import { askKick, askStatus, askWholeStatus, Player } from "@/e2e/support/minecraft";
import { needs } from "@/e2e/support/needs";
import { SECOND } from "@/lib/format/time";
import { mintToken } from "@/lib/tokens/format";

// What an edge node does with what consoles say. With a real HAProxy and nftables, in a network namespace.

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
test.describe("an edge node with a real HAProxy", { tag: "@waits" }, () => {
  needs("haproxy", "nft", "ip", "ss", "libfaketime", "namespaces");

  test("invalid values from the console never become HAProxy or nft commands", async ({ world }) => {
    const { hosts, newOrigin } = world;
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
    });
    const url = `http://${host.outside}:${await listen(hostile, host.outside)}`;
    try {
      host.startEdge(url, mintToken("edgeKey"));
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

  test("an unservable service reports its own error, and /metrics still covers the others", async ({ world }) => {
    const { app, token, get, statusOf, seriesOf, newNode, expectInMinutes, newOrigin, newService } = world;
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

  test("players keep the last servable version until the service is disabled or deleted", async ({ page, world }) => {
    const {
      app,
      get,
      statusOf,
      startAgain,
      newNodeWithNames,
      changeService,
      newOrigin,
      newService,
      signedIn,
      createInBrowser,
      wish,
    } = world;
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
});

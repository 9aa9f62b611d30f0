import { expect, onTestFinished, test } from "vitest";
import { expectNowhereWhole, hasIp } from "@/e2e/support/breakable-ips";
import { newAccount, newGameService, unique } from "@/e2e/support/factories";
import { getData } from "@/e2e/support/over-http";
import { recordIntervals } from "@/e2e/support/record-intervals";
import { newVisitor, visitorWithService } from "@/e2e/support/site";
import type { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { MINUTE } from "@/lib/format/time";
import { MEANINGS } from "@/lib/game-services/counters";

const SERVICES = "/dashboard/game-services";
const serviceOf = (accountId: number) => db.gameService.findFirstOrThrow({ where: { accountId } });
/** What a tile of the traffic says. */
const tile = (page: Visitor, name: string) => page.$("dl > div").filter((_, div) => page.$(div).text().includes(name));

test("each change of a service from creation to deletion is its own version", async () => {
  const { account, page } = await newVisitor();
  await page.goto(SERVICES);
  await page.follow("Create your first game service");
  const hostname = `${unique("play")}.example.com`;
  const create = (hostname: string, origin: string) =>
    page.press("Create game service", {
      Name: "Survival",
      "Public hostname": hostname,
      Origin: origin,
      "Port of the origin": "25565",
    });
  await create(`*.${hostname}`, "192.0.2.80");
  expect(page.text).toContain("Wildcards are not possible.");
  expect(page.value("Name")).toBe("Survival");
  await create(hostname, "10.0.0.1");
  expect(page.text).toContain("private, loopback or link-local");
  await create(hostname.toUpperCase(), "192.0.2.80");
  expect(page.text).toContain("The service is created.");
  const { id } = await serviceOf(account.id);
  const created = { javaHostname: hostname, status: "pending_config", configVersion: 1, wish: "on" };
  expect(await serviceOf(account.id)).toMatchObject(created);
  expect(page.text).toContain("No edge node has fetched this service yet");

  await page.follow("Settings", page.$("main"));
  await page.press("Save", { "Port of the origin": "25570" });
  expect(page.text).toContain("Edge nodes apply the change");
  expect(await serviceOf(account.id)).toMatchObject({ originPort: 25_570, configVersion: 2 });
  // Disabling asks, with what it means now, and stands with the settings. Enabling asks nothing.
  const ts = Math.floor(Date.now() / MINUTE) * MINUTE - 5 * MINUTE;
  const interval = { serviceId: id, nodeId: 7, packets: 1, bytes: 1, dropped: 0, latencyMs: null };
  await recordIntervals([
    { ...interval, ts, connections: 1759 },
    { ...interval, ts: ts + MINUTE, connections: 1 },
  ]);
  await page.goto(`${SERVICES}/${id}`);
  expect(page.buttons("Disable").length).toBe(0);
  await page.follow("Settings", page.$("main"));
  await page.follow("Disable this service…");
  expect(page.text).toContain("It had 1,760 connections in the last hour.");
  expect(await serviceOf(account.id)).toMatchObject({ wish: "on", configVersion: 2 });
  await page.press("Disable service");
  expect(page.text).toContain("Edge nodes close its connections");
  expect(await serviceOf(account.id)).toMatchObject({ wish: "off", configVersion: 3 });
  await page.press("Enable");
  expect(page.text).toContain("Edge nodes let players join");
  expect(await serviceOf(account.id)).toMatchObject({ wish: "on", configVersion: 4 });

  await page.goto(`${SERVICES}/${id}/delete`);
  await page.press("Delete service", { "Type the name of the service": "Creative" });
  expect(page.text).toContain("This is not the name of the service.");
  await page.press("Delete service", { "Type the name of the service": "Survival" });
  expect(page.text).toContain("The service is being deleted.");
  expect(await db.gameService.count({ where: { accountId: account.id } })).toBe(0);
});

test("an origin's mistyped name is asked about, saved anyway, and its failure shown", async () => {
  const { page, id } = await visitorWithService();
  const stored = () => db.gameService.findUniqueOrThrow({ where: { id } });
  await page.goto(`${SERVICES}/${id}/settings`);
  await page.press("Save", { Origin: "typo.invalid" });
  expect(page.text).toContain("typo.invalid cannot be found in DNS. Save it anyway?");
  expect(await stored()).toMatchObject({ originHost: "198.51.100.7", configVersion: 1 });
  await page.press("Save anyway");
  expect(page.text).toContain("Edge nodes apply the change");
  expect(await stored()).toMatchObject({ originHost: "typo.invalid", configVersion: 2 });
  await db.gameService.update({ where: { id }, data: { status: "failed", error: "edge-1: no such name" } });
  await page.goto(`${SERVICES}/${id}`);
  expect(page.text).toContain("Version 2 cannot be served: edge-1: no such name");
});

test("real ips are switched on, with instructions for the origin, and off again", async () => {
  const { page, id } = await visitorWithService();
  const stored = () => db.gameService.findUniqueOrThrow({ where: { id } });
  await page.goto(`${SERVICES}/${id}`);
  expect(page.text).toContain("Off: the origin sees edge nodes");
  await page.follow("Settings", page.$("main"));
  const section = page.part("Real ips");
  expect(page.textOf(section)).toContain("refuses everybody");
  const servers = page.textsOf(section.find("li"));
  for (const server of ["Paper", "Velocity", "BungeeCord", "Waterfall"]) {
    expect(
      servers.filter((line) => line.includes(server) && /prox/.test(line)),
      server,
    ).not.toEqual([]);
  }
  await page.press("Switch real ips on");
  expect(page.statuses.join()).toMatch(/Real ips are on\. Edge nodes apply this/);
  expect(page.text).toContain("On: the origin is told them by PROXY protocol v2");
  expect(await stored()).toMatchObject({ sendsRealIps: true, configVersion: 2 });
  await page.follow("Settings", page.$("main"));
  await page.press("Switch real ips off");
  expect(page.statuses.join()).toMatch(/Real ips are off\. Edge nodes apply this/);
  expect(await stored()).toMatchObject({ sendsRealIps: false, configVersion: 3 });
});

test("the text for players is kept as typed, and an unusable one is refused", async () => {
  const { page, id } = await visitorWithService();
  const text = 'Back at nine "\u00a7a\u{1f600}\\';
  const set = async (typed: string) => {
    await page.goto(`${SERVICES}/${id}/settings`);
    await page.press("Set the text", { "Text for players": typed });
  };
  await set(text);
  expect(page.text).toContain("The text for players is saved");
  await set(`${text}\0`);
  expect(page.text).toContain("A text cannot hold line breaks, control characters");
  await set("a".repeat(121));
  expect(page.text).toContain("A text has at most 120 characters.");
  const stored = await db.gameService.findUniqueOrThrow({ where: { id } });
  expect(stored).toMatchObject({ offlineText: text, configVersion: 2 });
  await page.goto(`${SERVICES}/${id}/settings`);
  expect(page.value("Text for players")).toBe(text);
});

test("tiles are the sums of what the API answers, for all nodes or one", async () => {
  const { account, page } = await newVisitor();
  const reader = await newAccount();
  const { id } = await newGameService(account.id);
  await db.serviceGrant.create({ data: { serviceId: id, accountId: reader.id } });
  const start = Math.floor(Date.now() / MINUTE) * MINUTE - 20 * MINUTE;
  await recordIntervals(
    [7, 9].flatMap((nodeId) =>
      Array.from({ length: 15 }, (_, n) => ({
        serviceId: id,
        nodeId,
        ts: start + n * MINUTE,
        packets: 1000 * nodeId + n,
        bytes: 2 ** 40 + n,
        dropped: n,
        connections: 3 * n,
        latencyMs: n % 5 === 0 ? null : nodeId + n,
      })),
    ),
  );
  type Sample = Record<"packets" | "bytes" | "dropped" | "connections" | "node_id", number>;
  const { series } = await getData<{ series: Sample[] }>(`/api/v1/game-services/${id}/metrics?range=1h`, reader.token);
  for (const node of [null, 7, 9]) {
    await page.goto(`${SERVICES}/${id}?range=1h${node === null ? "" : `&node=${node}`}`);
    const chosen = series.filter(({ node_id }) => node === null || node_id === node);
    for (const [name, counter] of [
      ["Connections", "connections"],
      ["Packets", "packets"],
      ["Bytes", "bytes"],
      ["Dropped", "dropped"],
    ] as const) {
      const sum = chosen.reduce((sum, sample) => sum + sample[counter], 0);
      expect(tile(page, name).find("data").attr("value"), `${name} of ${node}`).toBe(String(sum));
    }
  }
  expect(page.textOf(tile(page, "Latency"))).toContain("10 ms to 23 ms");
  // 15 intervals of 2^40 bytes.
  expect(page.textOf(tile(page, "Bytes"))).toContain("16.5 TB");
  expect(page.text).toContain("What is counted");
  for (const meaning of Object.values(MEANINGS)) expect(page.text).toContain(`${meaning}.`);
});

test("a new service shows the steps to its first player until one has come", async () => {
  const { account, page } = await newVisitor();
  const hostname = `${unique("play")}.example.com`;
  const { id } = await newGameService(account.id, { javaHostname: hostname, wish: "on", status: "configuring" });
  const heard = { isLive: true, lastHeardAt: new Date() };
  const agents = ["console-edge/1.2", "console-edge/1.2 port/25570", "other"];
  const ips = ["192.0.2.201", "2001:db8::201", "192.0.2.201"];
  const names = agents.map(() => unique("edge"));
  const steps = "Before players can join";
  onTestFinished(async () => void (await db.edgeNode.deleteMany({ where: { name: { in: names } } })));
  for (const [index, agent] of agents.entries()) {
    const ip = ips[index] ?? "";
    const data = { ...heard, name: names[index] ?? "", agent, lastHeardIp: ip };
    const node = await db.edgeNode.create({ data, select: { id: true } });
    const said = { serviceId: id, nodeId: node.id, version: 1, warning: "The origin answers as to no player." };
    if (index === 0) await db.edgeAcknowledgement.create({ data: said });
  }
  expect((await page.goto(SERVICES)).text).toMatch(/Edge nodes: \d+ not fetched yet, 1 at the newest version/);
  await page.goto(`${SERVICES}/${id}`);
  expect(page.textsOf("tr[data-node]").filter((row) => row.includes("Serving version 1"))).toHaveLength(1);
  expect(page.html).not.toContain("/edge-nodes#node-");
  expect(page.textOf(page.part(steps))).toMatch(/1 of \d+ edge nodes/);
  expect(page.textsOf(".notice.warning")).toContain(`${names[0]}: The origin answers as to no player.`);
  expect(page.textOf(page.part(steps))).toContain("First player seen: not yet.");
  for (const [kind, name, value] of [
    ["A", hostname, "192.0.2.201"],
    ["AAAA", hostname, "2001:db8::201"],
    ["SRV", `_minecraft._tcp.${hostname}`, `0 5 25570 ${hostname}.`],
  ] as const) {
    const row = page
      .part(steps)
      .find("tr")
      .filter((_, one) => page.$(one).text().includes(value));
    expect(page.textOf(row.find("th")), kind).toBe(kind);
    expect(page.textOf(row)).toContain(name);
    expect(page.textOf(row)).toContain("300");
  }
  expect(page.textsOf("h2")).not.toContain("Traffic");
  expect(page.link("check again", page.part(steps)).attr("href")).toBe(`${SERVICES}/${id}/dns`);
  expect(hasIp(await page.goto(`${SERVICES}/${id}/dns`), "2001:db8::201")).toBe(true);
  expectNowhereWhole(page, "2001:db8::201");
  // Where the nodes listen elsewhere than Minecraft's clients ask, there has to be a record that says so.
  expect(page.textOf(page.rows("SRV"))).toContain("This name, port 25570");
  await page.goto(`${SERVICES}/${id}`);
  // Status pings are traffic, and no player.
  const ts = Math.floor(Date.now() / MINUTE) * MINUTE - 5 * MINUTE;
  const pinged = { serviceId: id, ts, nodeId: 7, packets: 9, bytes: 9, dropped: 0, connections: 3, latencyMs: null };
  await recordIntervals([{ ...pinged, joins: 0, pings: 3, answered: 2, players: 0 }]);
  await page.reload();
  expect(page.hasPart(steps)).toBe(true);
  expect(page.text).toContain("0 joins, 3 status pings");
  expect(page.text).toContain("Edge nodes answered 2 status pings themselves");
  await recordIntervals([{ ...pinged, ts: ts + MINUTE, joins: 1, pings: 2, answered: 0, players: 1 }]);
  await page.reload();
  expect(page.hasPart(steps)).toBe(false);
  expect(page.text).toContain("1 join, 5 status pings");
  expect(tile(page, "Players now").find("data").attr("value")).toBe("1");
  await db.account.update({ where: { id: account.id }, data: { role: "admin" } });
  await page.reload();
  expect(page.link(names[0] ?? "").attr("href")).toMatch(/\/edge-nodes#node-\d+$/);
});

test("services are found by name, and traffic is shown by time and edge node", async () => {
  const { account, page, id } = await visitorWithService({ name: "Survival" });
  await newGameService(account.id, { name: "Creative" });
  const ts = Math.floor(Date.now() / MINUTE) * MINUTE - 5 * MINUTE;
  const interval = { serviceId: id, ts, bytes: 1, dropped: 0, connections: 1, latencyMs: null };
  // No node of another test has these ids, so none has a name.
  await recordIntervals([7, 9].map((packets) => ({ ...interval, nodeId: 900_000 + packets, packets })));
  await page.goto(SERVICES);
  expect(page.$("tr[data-service]").length).toBe(2);
  await page.press("Filter", { "Name or hostname": "nothing" });
  await page.follow("Show all 2 game services");
  expect([page.path, page.$("tr[data-service]").length]).toEqual([SERVICES, 2]);
  await page.press("Filter", { "Name or hostname": "surv" });
  expect(page.$("tr[data-service]").length).toBe(1);
  await page.follow("Survival");
  const packets = () => page.textOf(tile(page, "Packets"));
  expect(packets()).toContain("16");
  await page.follow("Node 900009");
  expect(packets()).toContain("9");
  expect(packets()).not.toContain("16");
  await page.follow("7 days");
  for (const chosen of ["7 days", "Node 900009"]) expect(page.link(chosen).attr("aria-current"), chosen).toBe("true");
  expect(packets()).toContain("9");
});

test("every page of a service names it in its title and heading", async () => {
  const { page, id } = await visitorWithService({ name: "Survival" });
  for (const [path, title] of [
    ["", "Survival"],
    ["/settings", "Settings of Survival"],
    ["/access", "Access to Survival"],
    ["/dns", "DNS of Survival"],
    ["/disable", "Disable Survival?"],
    ["/delete", "Delete Survival?"],
  ] as const) {
    await page.goto(`${SERVICES}/${id}${path}`);
    expect([page.textOf("title"), page.heading]).toEqual([`${title} · Console`, title]);
  }
});

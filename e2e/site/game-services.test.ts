import { expect, test } from "vitest";
import { newAccount, newGameService, unique } from "@/e2e/support/factories";
import { call, getData, origin } from "@/e2e/support/over-http";
import { recordIntervals } from "@/e2e/support/record-intervals";
import { newVisitor } from "@/e2e/support/site";
import { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { MINUTE } from "@/lib/format/time";
import { listViewers } from "@/lib/game-services/access";
import { MEANINGS } from "@/lib/game-services/counters";

type Service = { id: number; name: string; status: string; config_version: number; java_hostname: string };

const SERVICES = "/dashboard/game-services";
const serviceOf = (accountId: number) => db.gameService.findFirstOrThrow({ where: { accountId } });
const seenBy = async (token: string) =>
  (await getData<{ services: Service[] }>("/api/v1/game-services", token)).services.map(({ id }) => id);
/** What a tile of the traffic says. */
const tile = (page: Visitor, name: string) =>
  page.$.root()
    .find("dl > div")
    .filter((_, div) => page.$(div).text().includes(name));

test("a service is created, changed, disabled, enabled and deleted, each change a version of its own", async () => {
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

  await page.follow("Settings", page.$.root().find("main"));
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
  await page.follow("Settings", page.$.root().find("main"));
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

test("real ips are switched on with what to do at the origin, and off again, each a version", async () => {
  const { account, page } = await newVisitor();
  const { id } = await newGameService(account.id);
  const stored = () => db.gameService.findUniqueOrThrow({ where: { id } });
  await page.goto(`${SERVICES}/${id}`);
  expect(page.text).toContain("Off: the origin sees edge nodes");
  await page.follow("Settings", page.$.root().find("main"));
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
  await page.follow("Settings", page.$.root().find("main"));
  await page.press("Switch real ips off");
  expect(page.statuses.join()).toMatch(/Real ips are off\. Edge nodes apply this/);
  expect(await stored()).toMatchObject({ sendsRealIps: false, configVersion: 3 });
});

test("the text for players is kept as it was typed, with quotes, section signs and emoji; one with NUL or too long is refused in a sentence", async () => {
  const { account, page } = await newVisitor();
  const { id } = await newGameService(account.id);
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

test("an e-mail without an account is shared with like any other, and sees the service as soon as it has one", async () => {
  const { account, page } = await newVisitor();
  const { id } = await newGameService(account.id);
  const known = await newAccount();
  const unknown = `${unique("later")}@example.com`;
  for (const email of [known.email.toUpperCase(), unknown]) {
    await page.goto(`${SERVICES}/${id}/access`);
    await page.press("Share", { "E-mail": email });
    expect(page.text).toContain("Shared. The account with this e-mail sees the service");
    expect(page.textsOf("tbody th")).toContainEqual(expect.stringMatching(new RegExp(email, "i")));
  }
  expect(await seenBy(known.token)).toEqual([id]);
  // Another program makes the account.
  const later = await db.account.create({ data: { name: "Later", email: unknown }, select: { id: true } });
  expect(await db.serviceGrant.count({ where: { serviceId: id, accountId: later.id } })).toBe(1);
  await page.goto(`${SERVICES}/${id}/access`);
  await page.press("Stop sharing", {}, { within: page.rows(new RegExp(known.email, "i")) });
  expect(page.text).toContain("no longer shared");
  expect(await seenBy(known.token)).toEqual([]);

  await page.press("Allow support access");
  expect(page.text).toContain("Support staff can see this service now.");
  await page.press("Open a ticket", { Subject: "Players cannot connect" });
  expect(page.text).toContain("The ticket is open.");
  expect(await db.ticket.findMany({ where: { serviceId: id } })).toMatchObject([
    { accountId: account.id, subject: "Players cannot connect", status: "open" },
  ]);
  await page.press("Close");
  expect(page.text).toContain("The ticket is closed.");
});

/** All combinations of ownership, grant, support access and open ticket: 16 rows for each of four viewers. */
const NO_OR_YES = [false, true] as const;
const ROWS = NO_OR_YES.flatMap((owns) =>
  NO_OR_YES.flatMap((granted) =>
    NO_OR_YES.flatMap((support) => NO_OR_YES.map((ticket) => ({ owns, granted, support, ticket }))),
  ),
);

for (const role of ["customer", "support", "admin", "disabled"] as const) {
  test(`${role}: page and API agree in all 16 combinations of owner, grant, support access and ticket, and so does "Who can see this now"`, async () => {
    const viewer = await newAccount(role === "disabled" ? "support" : role);
    const other = await newAccount();
    const { cookies } = await Visitor.signedIn(origin, viewer.id);
    const statusOf = async (path: string) => {
      const headers = { Cookie: `session=${cookies.get("session")}` };
      const answer = await fetch(origin + path, { headers, redirect: "manual" });
      return { status: answer.status, text: await answer.text() };
    };
    if (role === "disabled") await db.account.update({ where: { id: viewer.id }, data: { disabledAt: new Date() } });
    for (const row of ROWS) {
      const label = JSON.stringify(row);
      const owner = row.owns ? viewer : other;
      const { id } = await newGameService(owner.id, { supportAccess: row.support });
      if (row.granted) await db.serviceGrant.create({ data: { serviceId: id, accountId: viewer.id } });
      if (row.ticket) await db.ticket.create({ data: { accountId: owner.id, serviceId: id, subject: "Help" } });
      const answer = await call(`/api/v1/game-services/${id}`, viewer.token);
      const shown = await statusOf(`${SERVICES}/${id}`);
      const isSeen =
        role !== "disabled" && (row.owns || row.granted || (role !== "customer" && (row.support || row.ticket)));
      if (role === "disabled") {
        expect([answer.status, shown.status], label).toEqual([401, 307]);
        continue;
      }
      expect([answer.status, shown.status], label).toEqual(isSeen ? [200, 200] : [404, 404]);
      const viewers = await listViewers(id);
      expect(
        viewers.some(({ accountId }) => accountId === viewer.id),
        label,
      ).toBe(isSeen);
      if (!isSeen) continue;
      const { data } = answer.json as { data: Service };
      for (const value of [data.name, data.java_hostname]) expect(shown.text, label).toContain(value);
      expect((await statusOf(`${SERVICES}/${id}/access`)).status, label).toBe(row.owns ? 200 : 307);
    }
  });
}

test("foreign, unknown and impossible services are the same page that is not there, on every page of one", async () => {
  const { page } = await newVisitor();
  const { id } = await newGameService((await newAccount()).id);
  for (const rest of ["", "/settings", "/access", "/delete", "/dns"]) {
    const pages: string[] = [];
    for (const text of [String(id), "2147483647", "nonsense"]) {
      await page.goto(`${SERVICES}/${text}${rest}`);
      expect(page.status, text + rest).toBe(404);
      // What the browser shows, whole: all but nonces and the place that was asked for.
      page.$.root().find("[nonce]").removeAttr("nonce");
      pages.push(page.$.root().find("body").html()?.replaceAll(`game-services/${text}`, "game-services/ID") ?? "");
    }
    expect(new Set(pages).size, rest).toBe(1);
  }
});

test("tiles are the sums of what the API answers, of all nodes and of one, bytes in decimal units, each with its meaning, and a latency that nobody measured is a gap", async () => {
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

for (const role of ["support", "admin"] as const) {
  test(`${role}: services of others are found by id and by open ticket, those that the API shows and no others`, async () => {
    const [staff, owner, stranger] = [await newAccount(role), await newAccount(), await newAccount()];
    const page = await Visitor.signedIn(origin, staff.id);
    const open = await newGameService(owner.id);
    const allowed = await newGameService(owner.id, { supportAccess: true });
    const hidden = await newGameService(owner.id);
    const subject = unique("Players cannot connect");
    const ticket = { accountId: owner.id, serviceId: open.id, subject };
    await db.ticket.create({ data: ticket });
    await db.ticket.create({
      data: { ...ticket, serviceId: hidden.id, subject: `${subject} closed`, status: "closed" },
    });
    // Not the owner's, so it shows nothing.
    const foreign = { accountId: stranger.id, serviceId: hidden.id, subject: `${subject} foreign` };
    await db.ticket.create({ data: foreign });
    await page.goto(SERVICES);
    await page.follow("Support");
    expect(page.textsOf(page.rows(subject))).toEqual([expect.stringContaining(owner.email)]);
    for (const { id } of [open, allowed, hidden]) {
      await page.goto(`${SERVICES}/support`);
      await page.press("Open", { "Id of the game service": String(id) });
      const { status } = await call(`/api/v1/game-services/${id}`, staff.token);
      expect(status).toBe(id === hidden.id ? 404 : 200);
      if (status === 200) expect(page.path).toMatch(new RegExp(`^${SERVICES}/${id}(?:$|\\?)`));
      else expect(page.text).toContain(`You may see no game service with the id "${id}".`);
    }
    await page.goto(`${SERVICES}/support`);
    await page.follow(/./, page.rows(subject));
    expect(page.path).toBe(`${SERVICES}/${open.id}`);
    // The API lists what is owned and granted, as before.
    expect(await seenBy(staff.token)).toEqual([]);
    const ofOwner = await Visitor.signedIn(origin, owner.id);
    await ofOwner.goto(`${SERVICES}/support`);
    expect(ofOwner.path).toBe(SERVICES);
  });
}

test("a new service leads to its first player: nodes that fetched it, records to create, and no longer once one came", async () => {
  const { account, page } = await newVisitor();
  const hostname = `${unique("play")}.example.com`;
  const { id } = await newGameService(account.id, { javaHostname: hostname, wish: "on", status: "configuring" });
  const heard = { isLive: true, lastHeardAt: new Date() };
  const agents = ["console-edge/1.2", "console-edge/1.2 port/25570", "other"];
  const ips = ["192.0.2.201", "2001:db8::201", "192.0.2.201"];
  const names = agents.map(() => unique("edge"));
  const steps = "Before players can join";
  try {
    for (const [index, agent] of agents.entries()) {
      const ip = ips[index] ?? "";
      const data = { ...heard, name: names[index] ?? "", agent, lastHeardIp: ip };
      const node = await db.edgeNode.create({ data, select: { id: true } });
      if (index === 0) await db.edgeAcknowledgement.create({ data: { serviceId: id, nodeId: node.id, version: 1 } });
    }
    await page.goto(`${SERVICES}/${id}`);
    expect(page.textOf(page.part(steps))).toMatch(/1 of \d+ edge nodes/);
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
  } finally {
    await db.edgeNode.deleteMany({ where: { name: { in: names } } });
  }
});

test("services are found by their names, and their traffic is shown for the chosen time and edge node", async () => {
  const { account, page } = await newVisitor();
  const { id } = await newGameService(account.id, { name: "Survival" });
  await newGameService(account.id, { name: "Creative" });
  const ts = Math.floor(Date.now() / MINUTE) * MINUTE - 5 * MINUTE;
  const interval = { serviceId: id, ts, bytes: 1, dropped: 0, connections: 1, latencyMs: null };
  // No node of another test has these ids, so none has a name.
  await recordIntervals([7, 9].map((packets) => ({ ...interval, nodeId: 900_000 + packets, packets })));
  await page.goto(SERVICES);
  expect(page.$("tr[data-service]").length).toBe(2);
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
  const { account, page } = await newVisitor();
  const { id } = await newGameService(account.id, { name: "Survival" });
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

test("the filter of game services that finds nothing leads back to all of them", async () => {
  const { account, page } = await newVisitor();
  await newGameService(account.id, { name: "Survival" });
  await page.goto(`${SERVICES}?filter=nothing`);
  await page.follow("Show all 1 game service");
  expect(page.path).toBe(SERVICES);
  expect(page.links("Survival").length).toBe(1);
});

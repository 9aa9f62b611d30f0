import type { Page } from "playwright/test";
import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newAccount, newGameService, unique } from "@/e2e/support/factories";
import { getData } from "@/e2e/support/fixtures";
import { expect, signInDirectly, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { MINUTE, SECOND } from "@/lib/format/time";
import { listViewers } from "@/lib/game-services/access";
import { MEANINGS } from "@/lib/game-services/counters";
import { recordIntervals } from "@/lib/game-services/metrics";

type Service = { id: number; name: string; status: string; config_version: number; java_hostname: string };

const serviceOf = (accountId: number) => db.gameService.findFirstOrThrow({ where: { accountId } });

async function fillIn(page: Page, values: { name: string; hostname: string; origin: string; port?: string }) {
  await page.getByLabel("Name", { exact: true }).fill(values.name);
  await page.getByLabel("Public hostname").fill(values.hostname);
  await page.getByLabel("Origin", { exact: true }).fill(values.origin);
  await page.getByLabel("Port of the origin").fill(values.port ?? "25565");
}

withAndWithoutJavaScript(() => {
  test("a service is created, changed, disabled, enabled and deleted, each change a version of its own", async ({
    page,
    account,
  }) => {
    await page.goto("/dashboard/game-services");
    await page.getByRole("link", { name: "Create your first game service" }).click();
    const hostname = `${unique("play")}.example.com`;
    await fillIn(page, { name: "Survival", hostname: `*.${hostname}`, origin: "192.0.2.80" });
    await page.getByRole("button", { name: "Create game service" }).click();
    await expect(page.getByText("Wildcards are not possible.")).toBeVisible();
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Survival");
    await fillIn(page, { name: "Survival", hostname, origin: "10.0.0.1" });
    await page.getByRole("button", { name: "Create game service" }).click();
    await expect(page.getByText("private, loopback or link-local")).toBeVisible();
    await fillIn(page, { name: "Survival", hostname: hostname.toUpperCase(), origin: "192.0.2.80" });
    await page.getByRole("button", { name: "Create game service" }).click();
    await expect(page.getByText("The service is created.")).toBeVisible();
    const { id } = await serviceOf(account.id);
    expect(await serviceOf(account.id)).toMatchObject({
      javaHostname: hostname,
      status: "pending_config",
      configVersion: 1,
      wish: "on",
    });
    await expect(page.getByText("No edge node has fetched this service yet")).toBeVisible();

    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Port of the origin").fill("25570");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Edge nodes apply the change")).toBeVisible();
    expect(await serviceOf(account.id)).toMatchObject({ originPort: 25_570, configVersion: 2 });
    // Disabling asks, with what it means now, and stands with the settings. Enabling asks nothing.
    const ts = Math.floor(Date.now() / MINUTE) * MINUTE - 5 * MINUTE;
    const interval = { serviceId: id, nodeId: 7, packets: 1, bytes: 1, dropped: 0, latencyMs: null };
    await recordIntervals([
      { ...interval, ts, connections: 1759 },
      { ...interval, ts: ts + MINUTE, connections: 1 },
    ]);
    await page.goto(`/dashboard/game-services/${id}`);
    await expect(page.getByRole("button", { name: "Disable" })).toHaveCount(0);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Disable this service…" }).click();
    await expect(page.getByText("It had 1,760 connections in the last hour.")).toBeVisible();
    expect(await serviceOf(account.id)).toMatchObject({ wish: "on", configVersion: 2 });
    await page.getByRole("button", { name: "Disable service" }).click();
    await expect(page.getByText("Edge nodes close its connections")).toBeVisible();
    expect(await serviceOf(account.id)).toMatchObject({ wish: "off", configVersion: 3 });
    await page.getByRole("button", { name: "Enable" }).click();
    await expect(page.getByText("Edge nodes let players join")).toBeVisible();

    await page.goto(`/dashboard/game-services/${id}/delete`);
    await page.getByLabel("Type the name of the service").fill("Creative");
    await page.getByRole("button", { name: "Delete service" }).click();
    await expect(page.getByText("This is not the name of the service.")).toBeVisible();
    await page.getByLabel("Type the name of the service").fill("Survival");
    await page.getByRole("button", { name: "Delete service" }).click();
    await expect(page.getByText("The service is being deleted.")).toBeVisible();
    expect(await db.gameService.count({ where: { accountId: account.id } })).toBe(0);
  });

  test("real ips are switched on with what to do at the origin, and off again, each a version", async ({
    page,
    account,
  }) => {
    const { id } = await newGameService(account.id);
    const stored = () => db.gameService.findUniqueOrThrow({ where: { id } });
    await page.goto(`/dashboard/game-services/${id}`);
    await expect(page.getByText("Off: the origin sees edge nodes")).toBeVisible();
    await page.getByRole("link", { name: "Settings" }).click();
    const section = page.getByRole("region", { name: "Real ips" });
    await expect(section.getByText("refuses everybody")).toBeVisible();
    for (const server of ["Paper", "Velocity", "BungeeCord", "Waterfall"]) {
      await expect(section.getByRole("listitem").filter({ hasText: server })).toContainText(/prox/);
    }
    await section.getByRole("button", { name: "Switch real ips on" }).click();
    await expect(page.getByText(/^Real ips are on\. Edge nodes apply this/)).toBeVisible();
    await expect(page.getByText("On: the origin is told them by PROXY protocol v2")).toBeVisible();
    expect(await stored()).toMatchObject({ sendsRealIps: true, configVersion: 2 });
    await page.getByRole("link", { name: "Settings" }).click();
    await section.getByRole("button", { name: "Switch real ips off" }).click();
    await expect(page.getByText(/^Real ips are off\. Edge nodes apply this/)).toBeVisible();
    expect(await stored()).toMatchObject({ sendsRealIps: false, configVersion: 3 });
  });

  test("the text for players is kept as it was typed, with quotes, section signs and emoji; one with NUL or too long is refused in a sentence", async ({
    page,
    account,
  }) => {
    const { id } = await newGameService(account.id);
    const text = 'Back at nine "\u00a7a\u{1f600}\\';
    const field = page.getByLabel("Text for players", { exact: true });
    const set = async (typed: string) => {
      await page.goto(`/dashboard/game-services/${id}/settings`);
      await field.fill(typed);
      await page.getByRole("button", { name: "Set the text" }).click();
    };
    await set(text);
    await expect(page.getByText("The text for players is saved")).toBeVisible();
    await set(`${text}\0`);
    await expect(page.getByText("A text cannot hold line breaks, control characters")).toBeVisible();
    await set("a".repeat(121));
    await expect(page.getByText("A text has at most 120 characters.")).toBeVisible();
    expect(await db.gameService.findUniqueOrThrow({ where: { id } })).toMatchObject({
      offlineText: text,
      configVersion: 2,
    });
    await page.goto(`/dashboard/game-services/${id}/settings`);
    await expect(field).toHaveValue(text);
  });

  test("an e-mail without an account is shared with like any other, and sees the service as soon as it has one", async ({
    page,
    account,
  }) => {
    const { id } = await newGameService(account.id);
    const known = await newAccount();
    const unknown = `${unique("later")}@example.com`;
    await page.goto(`/dashboard/game-services/${id}/access`);
    for (const email of [known.email.toUpperCase(), unknown]) {
      await page.getByLabel("E-mail").fill(email);
      await page.getByRole("button", { name: "Share" }).click();
      await expect(page.getByText("Shared. The account with this e-mail sees the service")).toBeVisible();
      await expect(page.getByRole("rowheader", { name: email })).toBeVisible();
      await page.goto(`/dashboard/game-services/${id}/access`);
    }
    const seenBy = (token: string) => getData<{ services: Service[] }>("/api/v1/game-services", token);
    expect((await seenBy(known.token)).services.map((service) => service.id)).toEqual([id]);
    // Another program makes the account.
    const later = await db.account.create({ data: { name: "Later", email: unknown }, select: { id: true } });
    expect(await db.serviceGrant.count({ where: { serviceId: id, accountId: later.id } })).toBe(1);
    const row = page.getByRole("row").filter({ hasText: known.email.toUpperCase() });
    await row.getByRole("button", { name: "Stop sharing" }).click();
    await expect(page.getByText("no longer shared")).toBeVisible();
    expect((await seenBy(known.token)).services).toEqual([]);

    await page.getByRole("button", { name: "Allow support access" }).click();
    await expect(page.getByText("Support staff can see this service now.")).toBeVisible();
    await page.getByLabel("Subject").fill("Players cannot connect");
    await page.getByRole("button", { name: "Open a ticket" }).click();
    await expect(page.getByText("The ticket is open.")).toBeVisible();
    expect(await db.ticket.findMany({ where: { serviceId: id } })).toMatchObject([
      { accountId: account.id, subject: "Players cannot connect", status: "open" },
    ]);
    await page.getByRole("button", { name: "Close" }).click();
    await expect(page.getByText("The ticket is closed.")).toBeVisible();
  });
});

/** All combinations of ownership, grant, support access and open ticket: 16 rows for each of four viewers. */
const NO_OR_YES = [false, true] as const;
const ROWS = NO_OR_YES.flatMap((owns) =>
  NO_OR_YES.flatMap((granted) =>
    NO_OR_YES.flatMap((support) => NO_OR_YES.map((ticket) => ({ owns, granted, support, ticket }))),
  ),
);

for (const role of ["customer", "support", "admin", "disabled"] as const) {
  test(`${role}: page and API agree in all 16 combinations of owner, grant, support access and ticket, and so does "Who can see this now"`, async ({
    page,
    context,
  }) => {
    test.slow();
    const viewer = await newAccount(role === "disabled" ? "support" : role);
    const other = await newAccount();
    await signInDirectly(context, viewer.id);
    if (role === "disabled") await db.account.update({ where: { id: viewer.id }, data: { disabledAt: new Date() } });
    for (const row of ROWS) {
      const label = JSON.stringify(row);
      const owner = row.owns ? viewer : other;
      const { id } = await newGameService(owner.id, { supportAccess: row.support });
      if (row.granted) await db.serviceGrant.create({ data: { serviceId: id, accountId: viewer.id } });
      if (row.ticket) {
        await db.ticket.create({ data: { accountId: owner.id, serviceId: id, subject: "Help" } });
      }
      const answer = await page.request.get(`/api/v1/game-services/${id}`, {
        headers: { Authorization: `Bearer ${viewer.token}` },
      });
      const shown = await page.request.get(`/dashboard/game-services/${id}`, { maxRedirects: 0 });
      const isSeen =
        role !== "disabled" && (row.owns || row.granted || (role !== "customer" && (row.support || row.ticket)));
      if (role === "disabled") {
        expect([answer.status(), shown.status()], label).toEqual([401, 307]);
        continue;
      }
      expect([answer.status(), shown.status()], label).toEqual(isSeen ? [200, 200] : [404, 404]);
      const viewers = await listViewers(id);
      expect(
        viewers.some(({ accountId }) => accountId === viewer.id),
        label,
      ).toBe(isSeen);
      if (!isSeen) continue;
      const { data } = (await answer.json()) as { data: Service };
      const text = await shown.text();
      for (const value of [data.name, data.java_hostname]) expect(text, label).toContain(value);
      const ofOwner = await page.request.get(`/dashboard/game-services/${id}/access`, { maxRedirects: 0 });
      expect(ofOwner.status(), label).toBe(row.owns ? 200 : 307);
    }
  });
}

test("foreign, unknown and impossible services are the same page that is not there, on every page of one", async ({
  page,
  account,
}) => {
  const { id } = await newGameService((await newAccount()).id);
  expect(account.id).toBeGreaterThan(0);
  for (const rest of ["", "/settings", "/access", "/delete", "/dns"]) {
    const bodies = await Promise.all(
      [String(id), "2147483647", "nonsense"].map(async (text) => {
        const answer = await page.request.get(`/dashboard/game-services/${text}${rest}`);
        expect(answer.status(), text + rest).toBe(404);
        return (await answer.text()).replaceAll(/nonce="[^"]*"|nonce":"[^"]*"/g, "").replaceAll(text, "ID").length;
      }),
    );
    expect(Math.max(...bodies) - Math.min(...bodies)).toBeLessThan(400);
  }
});

withAndWithoutJavaScript(() => {
  test("tiles are the sums of what the API answers, of all nodes and of one, bytes in decimal units, each with its meaning, and a latency that nobody measured is a gap", async ({
    page,
    account,
  }) => {
    const { token } = await newAccount();
    const own = await db.account.findUniqueOrThrow({ where: { id: account.id } });
    expect(own.email).toBe(account.email);
    const { id } = await newGameService(account.id);
    await db.serviceGrant.create({ data: { serviceId: id, accountId: (await accountOf(token)).id } });
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
    const { series } = await getData<{ series: Sample[] }>(`/api/v1/game-services/${id}/metrics?range=1h`, token);
    for (const node of [null, 7, 9]) {
      await page.goto(`/dashboard/game-services/${id}?range=1h${node === null ? "" : `&node=${node}`}`);
      const chosen = series.filter(({ node_id }) => node === null || node_id === node);
      for (const [tile, counter] of [
        ["Connections", "connections"],
        ["Packets", "packets"],
        ["Bytes", "bytes"],
        ["Dropped", "dropped"],
      ] as const) {
        const value = page.locator("dl > div", { hasText: tile }).locator("data");
        await expect(value, `${tile} of ${node}`).toHaveAttribute(
          "value",
          String(chosen.reduce((sum, sample) => sum + sample[counter], 0)),
        );
      }
    }
    await expect(page.locator("dl > div", { hasText: "Latency" })).toContainText("10 ms to 23 ms");
    // 15 intervals of 2^40 bytes.
    await expect(page.locator("dl > div", { hasText: "Bytes" })).toContainText("16.5 TB");
    await page.getByText("What is counted").click();
    for (const meaning of Object.values(MEANINGS)) await expect(page.getByText(`${meaning}.`)).toBeVisible();
  });

  for (const role of ["support", "admin"] as const) {
    test(`${role}: services of others are found by id and by open ticket, those that the API shows and no others`, async ({
      page,
      context,
    }) => {
      const [staff, owner, stranger] = [await newAccount(role), await newAccount(), await newAccount()];
      await signInDirectly(context, staff.id);
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
      await page.goto("/dashboard/game-services");
      await page.getByRole("link", { name: "Support", exact: true }).first().click();
      const row = page.getByRole("row").filter({ hasText: subject });
      await expect(row).toHaveCount(1);
      await expect(row).toContainText(owner.email);
      for (const { id } of [open, allowed, hidden]) {
        await page.goto("/dashboard/game-services/support");
        await page.getByLabel("Id of the game service").fill(String(id));
        await page.getByRole("button", { name: "Open" }).click();
        const { status } = await fetch(new URL(`/api/v1/game-services/${id}`, page.url()), {
          headers: { Authorization: `Bearer ${staff.token}` },
        });
        expect(status).toBe(id === hidden.id ? 404 : 200);
        if (status === 200) await expect(page).toHaveURL(`/dashboard/game-services/${id}`);
        else await expect(page.getByText(`You may see no game service with the id "${id}".`)).toBeVisible();
      }
      await page.goto("/dashboard/game-services/support");
      await row.getByRole("link").click();
      await expect(page).toHaveURL(`/dashboard/game-services/${open.id}`);
      // The API lists what is owned and granted, as before.
      const { services } = await getData<{ services: Service[] }>("/api/v1/game-services", staff.token);
      expect(services).toEqual([]);
      await signInDirectly(context, owner.id);
      await page.goto("/dashboard/game-services/support");
      await expect(page).toHaveURL("/dashboard/game-services");
    });
  }

  test("a new service leads to its first player: nodes that fetched it, records to create, and no longer once one came", async ({
    page,
    account,
  }) => {
    const hostname = `${unique("play")}.example.com`;
    const { id } = await newGameService(account.id, { javaHostname: hostname, wish: "on", status: "configuring" });
    const heard = { isLive: true, lastHeardAt: new Date() };
    const agents = ["console-edge/1.2", "console-edge/1.2 port/25570", "other"];
    const ips = ["192.0.2.201", "2001:db8::201", "192.0.2.201"];
    const names = agents.map(() => unique("edge"));
    try {
      for (const [index, agent] of agents.entries()) {
        const ip = ips[index] ?? "";
        const data = { ...heard, name: names[index] ?? "", agent, lastHeardIp: ip };
        const node = await db.edgeNode.create({ data, select: { id: true } });
        if (index === 0) await db.edgeAcknowledgement.create({ data: { serviceId: id, nodeId: node.id, version: 1 } });
      }
      await page.goto(`/dashboard/game-services/${id}`);
      const steps = page.getByRole("region", { name: "Before players can join" });
      await expect(steps.getByText(/1 of \d+ edge nodes/)).toBeVisible();
      await expect(steps.getByText("First player seen: not yet.")).toBeVisible();
      for (const [kind, name, value] of [
        ["A", hostname, "192.0.2.201"],
        ["AAAA", hostname, "2001:db8::201"],
        ["SRV", `_minecraft._tcp.${hostname}`, `0 5 25570 ${hostname}.`],
      ] as const) {
        const row = steps.getByRole("row").filter({ hasText: value });
        await expect(row.getByRole("rowheader"), kind).toHaveText(kind);
        await expect(row).toContainText(name);
        await expect(row).toContainText("300");
      }
      await expect(page.getByRole("heading", { name: "Traffic" })).toHaveCount(0);
      await expect(steps.getByRole("link", { name: "check again" })).toHaveAttribute(
        "href",
        `/dashboard/game-services/${id}/dns`,
      );
      // Status pings are traffic, and no player.
      const ts = Math.floor(Date.now() / MINUTE) * MINUTE - 5 * MINUTE;
      const pinged = {
        serviceId: id,
        ts,
        nodeId: 7,
        packets: 9,
        bytes: 9,
        dropped: 0,
        connections: 3,
        latencyMs: null,
      };
      await recordIntervals([{ ...pinged, joins: 0, pings: 3, answered: 2, players: 0 }]);
      await page.reload();
      await expect(steps).toBeVisible();
      await expect(page.getByText("0 joins, 3 status pings")).toBeVisible();
      await expect(page.getByText("Edge nodes answered 2 status pings themselves")).toBeVisible();
      await recordIntervals([{ ...pinged, ts: ts + MINUTE, joins: 1, pings: 2, answered: 0, players: 1 }]);
      await page.reload();
      await expect(steps).toHaveCount(0);
      await expect(page.getByText("1 join, 5 status pings")).toBeVisible();
    } finally {
      await db.edgeNode.deleteMany({ where: { name: { in: names } } });
    }
  });

  test("services are found by their names, and their traffic is shown for the chosen time and edge node", async ({
    page,
    account,
  }) => {
    const { id } = await newGameService(account.id, { name: "Survival" });
    await newGameService(account.id, { name: "Creative" });
    const ts = Math.floor(Date.now() / MINUTE) * MINUTE - 5 * MINUTE;
    const interval = { serviceId: id, ts, bytes: 1, dropped: 0, connections: 1, latencyMs: null };
    // No node of another test has these ids, so none has a name.
    await recordIntervals([7, 9].map((packets) => ({ ...interval, nodeId: 900_000 + packets, packets })));
    await page.goto("/dashboard/game-services");
    await expect(page.locator("tr[data-service]")).toHaveCount(2);
    await page.getByLabel("Name or hostname").fill("surv");
    await page.getByRole("button", { name: "Filter" }).click();
    await expect(page.locator("tr[data-service]")).toHaveCount(1);
    await page.getByRole("rowheader").getByRole("link", { name: "Survival" }).click();
    const packets = page.locator("dl > div", { hasText: "Packets" });
    await expect(packets).toContainText("16");
    await page.getByRole("link", { name: "Node 900009" }).click();
    await expect(packets).toContainText("9");
    await page.getByRole("link", { name: "7 days" }).click();
    await expect(page.getByRole("link", { name: "7 days" })).toHaveAttribute("aria-current", "true");
    await expect(page.getByRole("link", { name: "Node 900009" })).toHaveAttribute("aria-current", "true");
    await expect(packets).toContainText("9");
  });

  test("every page of a service names it in its title and heading", async ({ page, account }) => {
    const { id } = await newGameService(account.id, { name: "Survival" });
    for (const [path, title] of [
      ["", "Survival"],
      ["/settings", "Settings of Survival"],
      ["/access", "Access to Survival"],
      ["/dns", "DNS of Survival"],
      ["/disable", "Disable Survival?"],
      ["/delete", "Delete Survival?"],
    ] as const) {
      await page.goto(`/dashboard/game-services/${id}${path}`);
      await expect(page).toHaveTitle(`${title} · Console`);
      await expect(page.getByRole("heading", { level: 1, name: title, exact: true })).toBeVisible();
    }
  });
});

test("an open page of a service shows the next interval and the next status by itself, and says so when the console is away", {
  tag: "@one-engine",
}, async ({ page, context, account }) => {
  const { id } = await newGameService(account.id, { status: "configuring" });
  const ts = Math.floor(Date.now() / MINUTE) * MINUTE - 5 * MINUTE;
  const interval = { serviceId: id, nodeId: 7, packets: 1, bytes: 1, dropped: 0, connections: 3, latencyMs: null };
  await recordIntervals([{ ...interval, ts }]);
  await page.goto(`/dashboard/game-services/${id}`);
  const connections = page.locator("dl > div", { hasText: "Connections" });
  await expect(connections).toContainText("3");
  const settings = page.getByRole("main").getByRole("link", { name: "Settings" });
  await settings.focus();
  await recordIntervals([{ ...interval, ts: ts + MINUTE }]);
  await db.gameService.update({ where: { id }, data: { status: "active" } });
  // A browser that says it is online again makes the page ask at once.
  const ask = () => page.evaluate(() => window.dispatchEvent(new Event("online")));
  await expect(async () => {
    await ask();
    await expect(connections).toContainText("6", { timeout: 5 * SECOND });
  }).toPass();
  await expect(page.locator("header data[value=active]")).toBeVisible();
  await expect(settings).toBeFocused();
  await context.setOffline(true);
  await ask();
  await expect(page.getByRole("status").filter({ hasText: "Not updated since" })).toBeVisible();
  await expect(page.locator("header data[value=active]")).toContainText("Last known: Active");
  await expect(connections).toContainText("6");
});

const accountOf = (token: string) => getData<{ id: number }>("/api/v1/me", token);

test("every page of a service is accessible and fits, with names that want to break out", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  // Other programs write these columns, too, with line breaks, terminal commands and changes of the text's direction.
  const hostile = `<b>${"W".repeat(50)}</b>\u001b[2J\u0007\n\u202E`;
  const { id } = await newGameService(account.id, {
    name: hostile,
    javaHostname: `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.example.com`,
    originHost: `${"o".repeat(60)}.example.com`,
    status: "failed",
    error: "fra-1: <script>alert(1)</script> connection\u001b[2J\u202E refused\r\n".repeat(4),
  });
  await db.ticket.create({ data: { accountId: account.id, serviceId: id, subject: hostile } });
  for (const path of ["", "/new", `/${id}`, `/${id}/settings`, `/${id}/access`, `/${id}/disable`, `/${id}/delete`]) {
    await page.goto(`/dashboard/game-services${path}`);
    await expectAccessible(page);
    await expectToFit(page);
    await page.setViewportSize({ width: 375, height: 800 });
    const thin = await page
      .locator("main tbody :is(th, td)")
      .evaluateAll((cells: HTMLElement[]) =>
        cells.filter((cell) => cell.offsetWidth < 48 && cell.offsetHeight > 48).map((cell) => cell.textContent),
      );
    expect(thin, "words stand upright").toEqual([]);
    if (path !== "/new") await expect(page.getByText("<b>W", { exact: false }).first()).toBeVisible();
    // What turns the direction turns no text of ours that follows it in its line.
    const turned = await page.getByText("<b>W").evaluateAll((all) =>
      all.flatMap((element) => {
        let block = element;
        while (block.parentElement && getComputedStyle(block).display === "inline") block = block.parentElement;
        const isLast = block.textContent?.trimEnd().endsWith("\u202E");
        return element.closest("bdi, title") || isLast ? [] : [block.outerHTML];
      }),
    );
    expect(turned).toEqual([]);
  }
});

test("the filter of game services that finds nothing leads back to all of them", { tag: "@one-engine" }, async ({
  page,
  account,
}) => {
  const name = "Survival";
  await newGameService(account.id, { name });
  await page.goto("/dashboard/game-services?filter=nothing");
  await page.getByRole("link", { name: "Show all 1 game service" }).click();
  await expect(page).toHaveURL("/dashboard/game-services");
  await expect(page.getByRole("link", { name })).toBeVisible();
});

test("the public hostname of a game service stays in one line of the list on a screen of 1280 pixels", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  const end = `-${account.id}.example.net`;
  // 25 characters, as many as "survival.play.example.net" has.
  const javaHostname = "survivalists".slice(0, 25 - end.length) + end;
  const { id } = await newGameService(account.id, { javaHostname });
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto("/dashboard/game-services");
  const lines = await page.locator(`#hostname-${id}`).evaluate((name) => {
    const text = document.createRange();
    text.selectNodeContents(name);
    return text.getClientRects().length;
  });
  expect(lines).toBe(1);
});

import type { Page } from "playwright/test";
import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newGameService, unique } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { MINUTE, SECOND } from "@/lib/format/time";
import { recordIntervals } from "@/lib/game-services/metrics";

const serviceOf = (accountId: number) => db.gameService.findFirstOrThrow({ where: { accountId } });

async function fillIn(page: Page, values: { name: string; hostname: string; origin: string; port?: string }) {
  await page.getByLabel("Name", { exact: true }).fill(values.name);
  await page.getByLabel("Public hostname").fill(values.hostname);
  await page.getByLabel("Origin", { exact: true }).fill(values.origin);
  await page.getByLabel("Port of the origin").fill(values.port ?? "25565");
}

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

test("an open page of a service shows the next interval and the next status by itself, and says so when the console is away", async ({
  page,
  context,
  account,
}) => {
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

test("every page of a service is accessible and fits, with names that want to break out", async ({ page, account }) => {
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

test("the public hostname of a game service stays in one line of the list on a screen of 1280 pixels", async ({
  page,
  account,
}) => {
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

import type { Page } from "playwright/test";
import { eventfulService } from "@/e2e/support/eventful-service";
import { newGameService, unique } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/pages";
import { recordIntervals } from "@/e2e/support/record-intervals";
import { db } from "@/lib/database/client";
import { MINUTE, SECOND } from "@/lib/format/time";

const serviceOf = (accountId: number) => db.gameService.findFirstOrThrow({ where: { accountId } });

async function fillIn(page: Page, values: { name: string; hostname: string; origin: string; port?: string }) {
  await page.getByLabel("Name", { exact: true }).fill(values.name);
  await page.getByLabel("Public hostname").fill(values.hostname);
  await page.getByLabel("Origin", { exact: true }).fill(values.origin);
  await page.getByLabel("Port of the origin").fill(values.port ?? "25565");
}

test("each change of a service from creation to deletion is its own version", async ({ page, account }) => {
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

test("an open service page shows new intervals, new statuses and an unreachable console", async ({
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

test("arrow keys and the mouse reach every event mark of a game service", async ({ page, account }) => {
  const id = await eventfulService(account.id);
  await page.goto(`/dashboard/game-services/${id}?range=24h`);
  const lane = page.getByRole("figure", { name: "Connections a minute" }).getByRole("group", { name: "Events" });
  const marks = lane.getByRole("radio");
  await expect(marks).toHaveCount(5);
  await expect(marks.nth(2)).toHaveAccessibleName(/^Edge node silent \(edge-2\): /);
  const words = lane.locator("label > span");
  await expect(words.filter({ visible: true })).toHaveCount(0);
  await marks.first().focus();
  for (const [index, key] of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "Tab"].entries()) {
    await expect(words.filter({ visible: true })).toHaveCount(1);
    await expect(words.nth(index)).toBeVisible();
    await page.keyboard.press(key);
  }
  await expect(lane.locator(":focus")).toHaveCount(0);
  await lane.locator("rect[data-mark=node_silent]").hover();
  await expect(words.nth(2)).toBeVisible();
});

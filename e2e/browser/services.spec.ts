import { eventfulService } from "@/e2e/support/eventful-service";
import { newGameService } from "@/e2e/support/factories";
import { expect, renewNow, test } from "@/e2e/support/pages";
import { recordIntervals } from "@/e2e/support/record-intervals";
import { db } from "@/lib/database/client";
import { MINUTE, SECOND } from "@/lib/format/time";

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
  await expect(async () => {
    await renewNow(page);
    await expect(connections).toContainText("6", { timeout: 5 * SECOND });
  }).toPass();
  await expect(page.locator("header data[value=active]")).toBeVisible();
  await expect(settings).toBeFocused();
  await context.setOffline(true);
  await renewNow(page);
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

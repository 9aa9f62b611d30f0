import type { Page } from "playwright/test";
import { ago, newServer } from "@/e2e/support/factories";
import { sharedOrigin } from "@/e2e/support/fixtures";
import { fillMixedFleet, sample } from "@/e2e/support/mixed-fleet";
import { expect, renewNow, test } from "@/e2e/support/pages";
import { checkInAt, recordCheckIn } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import { DAY, MINUTE, SECOND } from "@/lib/format/time";

const KEY = /csrv_[0-9A-Za-z]{36}/;

/** The only key on the page, wherever it stands. */
async function keyOn(page: Page): Promise<string> {
  await expect(page.getByText(KEY).first()).toBeVisible();
  return KEY.exec((await page.getByRole("main").textContent()) ?? "")?.[0] ?? "";
}

test("an open page updates itself, keeps the focus and reports an unreachable console", async ({
  page,
  context,
  account,
}) => {
  const { id } = await newServer(account.id, { createdAt: ago(DAY) });
  await recordCheckIn(id, { sample }, ago(10 * MINUTE));
  await page.goto(`/dashboard/servers/${id}`);
  await expect(page.locator("header data")).toHaveText("Offline");
  // Of its own accord the console notices who is silent.
  const ongoing = { subject: "server", subjectId: id, kind: "offline", endedAt: null };
  await expect.poll(() => db.event.count({ where: ongoing })).toBe(1);
  const settings = page.getByRole("main").getByRole("link", { name: "Settings" });
  await settings.focus();
  await recordCheckIn(id, { sample: { ...sample, cpuPct: 41.5 } });
  const cpu = page.locator("[data-field=cpu_pct]");
  await expect(cpu).toHaveText("41.5 %");
  await expect(page.getByText("Online", { exact: true })).toBeVisible();
  await expect(settings).toBeFocused();

  await context.setOffline(true);
  await renewNow(page);
  await expect(page.getByRole("status").filter({ hasText: "Not updated since" })).toBeVisible();
  await expect(cpu).toHaveText("41.5 %");
  await expect(page.getByText("Was online", { exact: true })).toBeVisible();
  await expect(settings).toBeFocused();

  await recordCheckIn(id, { sample: { ...sample, cpuPct: 17.5 } });
  await context.setOffline(false);
  await renewNow(page);
  await expect(cpu).toHaveText("17.5 %");
  await expect(page.getByText("Online", { exact: true })).toBeVisible();
  await expect(page.getByText("Not updated since")).toHaveCount(0);
});

test("the fleet's title keeps counting; away, rows keep their last state and search filters", async ({
  page,
  context,
  account,
}) => {
  const [online, silent] = await fillMixedFleet(account.id);
  const fresh = await newServer(account.id, { label: "Web front", stability: 1000 });
  const well = { cpuPct: 1, memUsedMb: 1, memTotalMb: 100, diskUsedPct: 1, netLossPct: 0 };
  await recordCheckIn(fresh.id, { sample: well });
  await page.goto("/dashboard");
  await expect(page).toHaveTitle("(2) Servers · Console");
  const search = page.getByRole("searchbox");
  const servers = page.locator("[data-server]").filter({ visible: true });
  const state = (id: number) => page.locator(`tr[data-server="${id}"] td`).first();
  await expect(servers).toHaveCount(4);
  await expect(state(online)).toHaveText("Needs attention");
  await expect(state(silent)).toHaveText("Offline");
  // Filtering as one types begins when the page's program runs.
  await expect(async () => {
    await search.fill("");
    await search.fill("2001:db8");
    await expect(page).toHaveURL(/q=2001/, { timeout: 2 * SECOND });
  }).toPass();
  await expect(servers).toHaveCount(1);
  await search.fill("nowhere");
  await expect(page.getByText("No server matches.")).toBeVisible();
  await search.fill("");
  await expect(servers).toHaveCount(4);
  await expect(page).toHaveURL("/dashboard");

  await context.setOffline(true);
  await renewNow(page);
  await expect(page.getByText("Not updated since")).toBeVisible();
  await expect(state(online)).toHaveText("Was online");
  await expect(state(silent)).toHaveText("Was offline");
  await expect(page.locator("tr[data-group=never] td").first()).toHaveText("Never checked in");
  const url = page.url();
  const asked = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/readyz"));
  await search.fill("FRONT web");
  await expect(servers).toHaveCount(1);
  await expect(servers).toContainText("Web front");
  await asked;
  expect(page.url()).toBe(url);
  await expect(search).toHaveValue("FRONT web");
  await context.setOffline(false);
  await expect(page).toHaveURL(/q=FRONT/);
  await expect(servers).toHaveCount(1);
  await search.fill("");
  await expect(servers).toHaveCount(4);
  await renewNow(page);
  await expect(state(online)).toHaveText("Needs attention");

  // A renewal that is under way takes no second.
  await expect(async () => {
    await recordCheckIn(fresh.id, { sample: { ...well, diskUsedPct: 99 } });
    await recordCheckIn(silent, { sample: well });
    await renewNow(page);
    await expect(page).toHaveTitle("(3) Servers · Console", { timeout: 10 * SECOND });
  }).toPass();
  await expect(state(fresh.id)).toHaveText("Needs attention");
});

test("a new key outlasts an unreachable console and is gone after leaving it", async ({ page, context, account }) => {
  await page.goto("/dashboard/servers/new");
  await page.getByLabel("Label").fill("Typed");
  await page.getByLabel("Hostname").fill("typed.example.com");
  await context.setOffline(true);
  await page.getByRole("button", { name: "Add server" }).click();
  await expect(page.getByText("No answer came from the console.")).toBeVisible();
  await expect(page.getByLabel("Label")).toHaveValue("Typed");
  await context.setOffline(false);
  await page.getByRole("button", { name: "Add server" }).click();
  const key = await keyOn(page);
  await expect(page.getByText("Waiting for the first check-in")).toBeVisible();
  await context.setOffline(true);
  await expect(page.getByText("The console does not answer at the moment")).toBeVisible();
  expect(await keyOn(page)).toBe(key);
  await context.setOffline(false);
  expect(await checkInAt(sharedOrigin(), key)).toBeLessThan(300);
  await expect(page.getByText("First check-in received")).toBeVisible();
  expect(await keyOn(page)).toBe(key);
  await page.getByRole("link", { name: "Go to the server" }).click();
  await expect(page.getByRole("heading", { name: "Typed", level: 1 })).toBeVisible();
  await expect(page.getByText("Online", { exact: true })).toBeVisible();
  expect(await page.content()).not.toMatch(KEY);
  await page.goBack();
  await expect(page.getByRole("main")).toBeVisible();
  expect(await page.content()).not.toMatch(KEY);
  expect(await db.server.count({ where: { accountId: account.id } })).toBe(1);
});

test("a time of maintenance can be typed without looking: month, day, year, hour, minute", async ({
  page,
  account,
}) => {
  await db.account.update({ where: { id: account.id }, data: { timeZone: "Europe/Berlin" } });
  const { id } = await newServer(account.id, { lastSeenAt: new Date() });
  await page.goto(`/dashboard/servers/${id}/settings`);
  const from = page.getByRole("form", { name: "Maintenance" }).getByLabel("From");
  await from.pressSequentially("030420271005PM");
  await expect(from).toHaveValue("2027-03-04T22:05");
});

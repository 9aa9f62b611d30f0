import type { Page } from "playwright/test";
import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newServer, steadyRecord } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/pages";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";

const SERVERS = 120;
const WELL = { cpuPct: 5, memUsedMb: 10, memTotalMb: 100, diskUsedPct: 10, netLossPct: 0, uptimeS: 9000 };
const LONG_AGO = new Date(Date.now() - 2 * DAY);

/** A fleet of 120: one offline, some with a full disk, one never set up, the others well. */
async function fillFleet(accountId: number): Promise<void> {
  await db.$executeRaw`
    insert into servers (account_id, label, hostname, created_at, last_seen_at, stability)
    select ${accountId}, 'node ' || i || '.frankfurt', 'node-' || i || '.example.com', ${LONG_AGO}, ${LONG_AGO}, ${steadyRecord()}::jsonb
    from generate_series(1, ${SERVERS - 1}) i`;
  await newServer(accountId, { label: "never set up" });
  const servers = await db.server.findMany({ where: { accountId, createdAt: LONG_AGO }, orderBy: { id: "asc" } });
  for (const [index, { id }] of servers.entries()) {
    const sample = index % 10 === 3 ? { ...WELL, diskUsedPct: 99.5, memUsedMb: 97 } : WELL;
    await recordCheckIn(id, { sample }, new Date(Date.now() - (index === 0 ? HOUR : 0)));
  }
}

/** Where the last of the servers ends, in pixels from the top of the page. */
function lowest(page: Page): Promise<number> {
  return page
    .locator("li[data-server]")
    .evaluateAll((rows) => Math.max(...rows.map((row) => row.getBoundingClientRect().bottom + window.scrollY)));
}

for (const [width, height] of [
  [1280, 900],
  [1920, 1000],
] as const) {
  test(`the compact view shows 120 servers on one screen of ${width} by ${height}, whoever needs somebody first and with the cause`, async ({
    page,
    account,
  }) => {
    await fillFleet(account.id);
    await page.setViewportSize({ width, height });
    await page.goto("/dashboard");
    await page.getByRole("navigation", { name: "View" }).getByRole("link", { name: "Compact" }).click();
    const rows = page.locator("li[data-server]");
    await expect(rows).toHaveCount(SERVERS);
    await expect(page).toHaveURL("/dashboard?view=compact");
    expect(await lowest(page)).toBeLessThanOrEqual(height);
    await expect(rows.first()).toContainText(/Last check-in 1 hour ago.*offline/);
    await expect(rows.nth(1)).toHaveAttribute("data-level", /strained|critical/);
    await expect(rows.nth(1)).toContainText(/(Disk|Memory): \d+(\.\d)? %/);
    await expect(rows.last()).toContainText("never set up");
    const cut = await page
      .locator("li[data-server] a > span")
      .evaluateAll((parts) =>
        parts
          .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0)
          .map((p) => p.textContent),
      );
    // A cause is read whole; a name that is too long is read in its tooltip.
    expect(cut).toEqual([]);
    await expect(rows.nth(1).getByRole("link")).toHaveAttribute("title", /^node \d+\.frankfurt: (Disk|Memory): /);

    await page.getByRole("link", { name: "Offline 1" }).click();
    await expect(rows).toHaveCount(1);
    await rows.getByRole("link").click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("node 1.frankfurt");

    // When everything is down, all of it is still on the screen.
    const down = { lastSeenAt: new Date(Date.now() - HOUR) };
    await db.server.updateMany({ where: { accountId: account.id, createdAt: LONG_AGO }, data: down });
    await page.goto("/dashboard?view=compact");
    await expect(page.locator("li[data-group=offline]")).toHaveCount(SERVERS - 1);
    expect(await lowest(page)).toBeLessThanOrEqual(height);
  });
}

test("a row is two lines on a phone and its cause is read whole on every screen", {
  tag: "@with-javascript-alone",
}, async ({ page, account }) => {
  for (const [label, sample] of [
    ["A disk is full", { ...WELL, diskUsedPct: 99 }],
    ["A swap", { ...WELL, swapUsedPct: 80 }],
    ["A network not measured", { ...WELL, netLossPct: null }],
    ["A service that failed", { ...WELL, failedUnits: 3 }],
  ] as const) {
    const { id } = await newServer(account.id, { label, createdAt: LONG_AGO, lastSeenAt: LONG_AGO });
    await recordCheckIn(id, { sample });
  }
  for (const width of [375, 1024, 1280, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto("/dashboard");
    const rows = page.locator("tr[data-server]");
    await expect(rows).toHaveCount(4);
    for (const row of await rows.all()) {
      const cause = row.getByText(/^[A-Z]\w+: /).last();
      expect(await cause.evaluate((cell) => cell.scrollWidth - cell.clientWidth), String(width)).toBeLessThanOrEqual(0);
      const { height = 0 } = (await row.boundingBox()) ?? {};
      expect(height, String(width)).toBeLessThan(width === 375 ? 72 : 56);
    }
  }
});

test("compact rows: no axe violation in light and dark, and nothing wider than the screen from 320 to 3840 pixels", async ({
  page,
  account,
}) => {
  await fillFleet(account.id);
  await page.goto("/dashboard?view=compact");
  await expect(page.locator("li[data-server]")).toHaveCount(SERVERS);
  await expectToFit(page);
  await expectAccessible(page);
});

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "playwright/test";
import { expectReadable, expectToFit } from "@/e2e/support/axe";
import { newAccount, newServer, putEvents, putSample } from "@/e2e/support/factories";
import { needs } from "@/e2e/support/needs";
import { expect, signInDirectly, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { HOUR } from "@/lib/format/time";
import { rangeParams } from "@/lib/format/time-range";
import { instantOf, wallClock } from "@/lib/format/time-zone";

/** A server heard for so many hours, with an outage in the last one. */
async function serverWithEvents(accountId: number, hours: number) {
  const now = Date.now();
  const at = (hoursAgo: number) => new Date(now - hoursAgo * HOUR);
  const { id } = await newServer(accountId, { createdAt: at(hours), firstSeenAt: at(hours), lastSeenAt: new Date() });
  await putSample(id, new Date(), { cpuPct: 5 });
  await putEvents(id, { kind: "offline", startedAt: at(0.03), endedAt: at(0.02) });
  return id;
}

withAndWithoutJavaScript((hasJavaScript) => {
  test("a server's page shows uptime of five ranges and a strip of ninety days", async ({ page, account }) => {
    const zone = "Europe/Berlin";
    await db.account.update({ where: { id: account.id }, data: { timeZone: zone } });
    const id = await serverWithEvents(account.id, 1);
    // The list that somebody came from goes on.
    const list = "show=offline&q=day";
    await page.goto(`/dashboard/servers/${id}?${list}`);
    const rows = page.locator("[data-uptime]");
    await expect(rows).toHaveCount(5);
    for (const name of ["24 hours", "7 days", "30 days", "90 days", "365 days"]) {
      const row = page.locator(`[data-uptime='${name}']`);
      await expect(row).toContainText(/\d %: 3[67] s offline in 1 outage \(1 h recorded\)$/);
    }
    await expect(page.locator("#uptime")).toHaveText("Uptime");
    await expect(page.locator("main")).toContainText("Recorded since");
    const days = page.getByRole("list", { name: "The last 90 days" }).getByRole("link");
    await expect(days).toHaveCount(90);
    const { year, month, day } = wallClock(Date.now(), zone);
    const midnight = (later: number) =>
      instantOf({ year, month, day: day + later, hour: 0, minute: 0, second: 0 }, zone);
    const today = new URLSearchParams(rangeParams({ from: midnight(0), to: midnight(1) }));
    await expect(days.last()).toHaveAttribute("href", `/dashboard/servers/${id}?${list}&${today}#history`);
    await expect(days.first()).toHaveAttribute("title", /: not recorded$/);
    const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? 0;
    const tops = [page.locator("h1"), days.first(), page.getByRole("region", { name: "Current values" })].map(topOf);
    expect(await Promise.all(tops)).toEqual((await Promise.all(tops)).toSorted((a, b) => a - b));
    // The Tab key need not go through them all.
    await page.getByRole("link", { name: "Skip the 90 days" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await expect(
      page
        .getByRole("table", { name: /^The six components/ })
        .getByRole("link")
        .first(),
    ).toBeFocused();
    // axe is a script.
    await (hasJavaScript ? expectReadable(page) : expectToFit(page));
    await days.last().click();
    await expect(page.getByRole("heading", { name: "History" })).toBeInViewport();
  });
});

test("the recipe recomputes a page's uptime from its CSV, which no other account gets", async ({
  page,
  account,
  browser,
}) => {
  needs("python3");
  const id = await serverWithEvents(account.id, 100);
  await page.goto(`/dashboard/servers/${id}`);
  const path = `/dashboard/servers/${id}/events.csv`;
  const file = await page.request.get(path);
  expect(file.headers()["content-type"]).toBe("text/csv; charset=utf-8");
  const dir = mkdtempSync(join(tmpdir(), "uptime-"));
  try {
    writeFileSync(join(dir, "events.csv"), await file.text());
    const said = execFileSync("python3", ["public/recipes/uptime.py", join(dir, "events.csv")], { encoding: "utf8" });
    for (const line of said.trim().split("\n")) {
      const [, name = "", seconds = ""] = /^(.*): .* %; (\d+) seconds in/.exec(line) ?? [];
      await expect(page.locator(`[data-uptime='${name}']`)).toHaveAttribute("data-seconds", seconds);
    }
    expect(said.trim().split("\n")).toHaveLength(5);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  const other = await newAccount();
  const context = await browser.newContext();
  await signInDirectly(context, other.id);
  expect((await context.request.get(path)).status()).toBe(404);
  await context.close();
});

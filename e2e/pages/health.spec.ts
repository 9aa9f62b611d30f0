import { newServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { serverPath } from "@/lib/page-paths";
import { momentText } from "@/lib/relative-time";
import { recordCheckIn } from "@/lib/servers/telemetry/check-ins";
import { DAY, HOUR, MINUTE } from "@/lib/time";

const STRAINED = { cpuPct: 88, memUsedMb: 9000, memTotalMb: 10_000, diskUsedPct: 96, netLossPct: 0 };

test("the points that a server lost add up to its score on sight, the worst first, each with a link to its chart, and one piece of advice", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - 2 * DAY) });
  await recordCheckIn(id, { sample: STRAINED });
  await page.goto(serverPath(id));
  const score = Number(await page.locator("[data-score]").textContent());
  const table = page.getByRole("table", { name: /six components/ });
  const lost = (await table.locator("tbody td:last-child data").allTextContents()).map(
    (text) => -Number(text.replace("−", "-")),
  );
  // What is at full score stands in one line.
  const full = table.locator("tfoot [data-component]");
  expect(lost.length + (await full.count())).toBe(6);
  for (const text of await full.locator("data").all()) expect(await text.getAttribute("value")).toBe("1000");
  expect(lost).toEqual(lost.toSorted((a, b) => b - a));
  expect(1000 - lost.reduce((sum, points) => sum + points, 0)).toBe(score);
  await expect(table.locator("tfoot")).toContainText(`1000 − ${1000 - score} = ${score}`);
  for (const link of await table.getByRole("link").all()) {
    await expect(page.locator(String(await link.getAttribute("href")))).toHaveCount(1);
  }
  const section = page.getByRole("region", { name: `Why the score is ${score}` });
  await expect(section.locator("p:visible")).toHaveText([/^Find the largest folders/]);
});

test("of an offline server one sentence says since when, and what the score was before", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  const lastSeenAt = new Date(Math.floor((Date.now() - 3 * HOUR) / MINUTE) * MINUTE);
  const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - 2 * DAY), lastSeenAt });
  await db.$executeRaw`insert into telemetry_samples (server_id, ts, cpu_pct) values (${id}, ${lastSeenAt}, 20)`;
  await page.goto(serverPath(id));
  const section = page.getByRole("region", { name: /^Why the score is \d+$/ });
  const sentence = `No check-in since ${momentText(lastSeenAt, "UTC")} UTC; the score was \\d+ before\\.`;
  await expect(section.locator("strong")).toHaveText(new RegExp(`^${sentence}$`));
  await expect(section.getByRole("table", { name: /six components/ })).toBeHidden();
});

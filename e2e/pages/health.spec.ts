import { newServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/pages";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import { momentText } from "@/lib/format/relative-time";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { serverPath } from "@/lib/page-paths";

const STRAINED = { cpuPct: 88, memUsedMb: 9000, memTotalMb: 10_000, diskUsedPct: 96, netLossPct: 0 };

/** What the sample above does not measure. */
const NEVER_LOST =
  "Not measured on this server, so no points are lost for: load per core (up to 100 points), time stolen by other guests (160), waiting for disks (100), swap (50), retransmissions (150), processes killed for lack of memory (185), failed services (45).";

test("the points that a server lost add up to its score on sight, the worst first, each with a link to its chart, one piece of advice, and what it can never lose", async ({
  page,
  account,
}) => {
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
  await expect(section.locator("p:visible")).toHaveText([/^Find the largest folders/, NEVER_LOST]);
});

test("the advice follows what took the points: of a server whose check-ins were missing it does not look for what failed", async ({
  page,
  account,
}) => {
  const [firstSeenAt, createdAt] = [new Date(Date.now() - 2 * DAY), new Date(Date.now() - 3 * DAY)];
  const { id } = await newServer(account.id, { createdAt, firstSeenAt });
  await recordCheckIn(id, { sample: { ...STRAINED, cpuPct: 10, memUsedMb: 100, diskUsedPct: 10 } });
  await page.goto(serverPath(id));
  const section = page.getByRole("region", { name: /^Why the score is \d+$/ });
  await expect(section.getByRole("row", { name: /^Stability/ })).toContainText("of check-ins received in 24 hours");
  const advice = /^Check-ins were missing: see whether the machine was up/;
  await expect(section.locator("p:visible")).toHaveText([advice, NEVER_LOST]);
});

test("of an offline server one sentence says since when, and what the score was before, and another one when the values shown were measured", async ({
  page,
  account,
}) => {
  const lastSeenAt = new Date(Math.floor((Date.now() - 3 * HOUR) / MINUTE) * MINUTE);
  const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - 2 * DAY), lastSeenAt });
  await db.$executeRaw`insert into telemetry_samples (server_id, ts, cpu_pct) values (${id}, ${lastSeenAt}, 20)`;
  await page.goto(serverPath(id));
  await expect(page.getByRole("region", { name: "Current values" })).toContainText("Measured 3 hours ago.");
  const section = page.getByRole("region", { name: /^Why the score is \d+$/ });
  const sentence = `No check-in since ${momentText(lastSeenAt, "UTC")} UTC; the score was \\d+ before\\.`;
  await expect(section.locator("strong")).toHaveText(new RegExp(`^${sentence}$`));
  await expect(section.getByRole("table", { name: /six components/ })).toBeHidden();
});

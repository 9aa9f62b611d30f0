import type { Page } from "playwright/test";
import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newServer } from "@/e2e/support/factories";
import { sharedOrigin } from "@/e2e/support/fixtures";
import { INVISIBLE, listShifts, recordShifts, sumOf } from "@/e2e/support/layout-shift";
import { expect, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { DAY } from "@/lib/format/time";
import { rangeParams } from "@/lib/format/time-range";
import { requestBenchmark } from "@/lib/servers/benchmarks";
import { hashToken } from "@/lib/tokens/format";

const KEY = /csrv_[0-9A-Za-z]{36}/;

/** The only key on the page, wherever it stands. */
async function keyOn(page: Page): Promise<string> {
  await expect(page.getByText(KEY).first()).toBeVisible();
  return KEY.exec((await page.getByRole("main").textContent()) ?? "")?.[0] ?? "";
}

async function checkIn(key: string): Promise<number> {
  const { status } = await fetch(`${sharedOrigin()}/ingest/v1/check-ins`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ cpu_pct: 12, mem_used_mb: 100 }),
  });
  return status;
}

async function addServer(page: Page, label = "Web front"): Promise<string> {
  await page.goto("/dashboard/servers/new");
  await page.getByLabel("Label").fill(label);
  await page.getByLabel("Hostname").fill("web-1.example.com");
  await page.getByRole("button", { name: "Add server" }).click();
  return keyOn(page);
}

test("a server is added, its key is on the page once, with the two lines to paste, and works", async ({
  page,
  account,
}) => {
  const key = await addServer(page);
  const server = await db.server.findFirstOrThrow({ where: { accountId: account.id } });
  const stored = await db.serverKey.findFirstOrThrow({
    where: { serverId: server.id },
    omit: { keyHash: false },
  });
  expect(stored.keyHash).toBe(hashToken(key));
  const lines = page.getByText("sudo sh agent.sh install");
  await expect(lines).toContainText(`curl -fsSO ${sharedOrigin()}/agent.sh`);
  await expect(lines).not.toContainText("csrv_");

  await expect(page.getByText("Waiting for the first check-in")).toBeVisible();
  expect(await checkIn(key)).toBeLessThan(300);
  await expect(page.getByText("First check-in received")).toBeVisible();
  expect(await keyOn(page)).toBe(key);
  await page.getByRole("link", { name: "Go to the server" }).click();
  await expect(page.getByRole("heading", { name: "Web front", level: 1 })).toBeVisible();
  await expect(page.getByText("Online", { exact: true })).toBeVisible();
  expect(await page.content()).not.toMatch(KEY);
  await page.goBack();
  await expect(page.getByRole("main")).toBeVisible();
  expect(await page.content()).not.toMatch(KEY);
});

test("a console that is away loses neither the key on the page nor what was typed", async ({
  page,
  context,
  account,
}) => {
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
  await context.setOffline(true);
  // Waits until a poll has failed.
  await page.waitForTimeout(4000);
  expect(await keyOn(page)).toBe(key);
  await context.setOffline(false);
  await checkIn(key);
  await expect(page.getByText("First check-in received")).toBeVisible();
  expect(await db.server.count({ where: { accountId: account.id } })).toBe(1);
});

test("a month of the noisiest history is under 60 KB as transferred, and under 70 in four times as many points, complete without JavaScript, and nothing of it jumps", async ({
  page,
  account,
}) => {
  const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - 40 * DAY), lastSeenAt: new Date() });
  // Every measurement over its whole range within every hour: the longest paths there are.
  await db.$executeRaw`
    insert into telemetry_hours (server_id, hour, samples, bands)
    select ${id}, date_trunc('hour', now(), 'UTC') - n * interval '1 hour', 120, (
      select jsonb_object_agg(name, jsonb_build_array(round(least::numeric, 3), round((least + 13)::numeric, 3), round((least + 31 + 37 * random())::numeric, 3), 120))
      from (select name, random() * 30 + n % 3 as least from unnest(array['score', 'cpuPct', 'cpuStealPct',
        'cpuIowaitPct', 'memUsedPct', 'swapUsedPct', 'diskUsedPct', 'netLossPct', 'netRetransmitPct']) as name) m)
    from generate_series(1, 721) n`;
  await recordShifts(page);
  const month = new URLSearchParams(rangeParams({ from: Date.now() - 30 * DAY, to: Date.now() }));
  const hours = await page.goto(`/dashboard/servers/${id}?${month}`, { waitUntil: "networkidle" });
  await expect(page.getByText("Each point is 1 hour, from hourly summaries.")).toBeVisible();
  const { responseBodySize: bytesOfHours } = (await hours?.request().sizes()) ?? { responseBodySize: Number.NaN };
  expect(bytesOfHours).toBeLessThan(70_000);
  const response = await page.goto(`/dashboard/servers/${id}?range=30d`, { waitUntil: "networkidle" });
  const { responseBodySize } = (await response?.request().sizes()) ?? { responseBodySize: Number.NaN };
  expect(responseBodySize).toBeLessThan(60_000);
  expect(responseBodySize).toBeGreaterThan(10_000);
  expect(sumOf(await listShifts(page))).toBeLessThan(INVISIBLE);
  await expect(page.getByText("Times in UTC")).toBeVisible();

  const html = (await response?.text()) ?? "";
  for (const title of ["Score", "CPU", "Memory", "Fullest disk", "Network"])
    expect(html).toContain(`${title} in numbers`);
  expect(html).toContain("Times in UTC");
  expect(html.match(/data-series=/g)).toHaveLength(9);
  expect(html).not.toMatch(/ style="/);
});

const STATES: readonly { name: string; reach(page: Page, accountId: number): Promise<void> }[] = [
  {
    name: "fleet",
    async reach(page, accountId) {
      await newServer(accountId, { label: "W".repeat(64), hostname: `${"h".repeat(63)}.example.com` });
      await newServer(accountId, { publicIp: "2001:db8:1234:5678:9abc:def0:1234:5678" });
      await page.goto("/dashboard");
    },
  },
  { name: "empty fleet", reach: async (page) => void (await page.goto("/dashboard")) },
  {
    name: "one server",
    async reach(page, accountId) {
      const { id } = await newServer(accountId, { label: "W".repeat(64), facts: { long: "x".repeat(300), cores: 2 } });
      await db.$executeRaw`
        insert into telemetry_samples (server_id, ts, cpu_pct, cpu_steal_pct, mem_used_mb, mem_total_mb, net_loss_pct)
        select ${id}, now() - n * interval '1 minute', n % 100, n % 7, 500, 1000, 0.3 from generate_series(1, 600) n`;
      await db.benchmarkRun.create({
        data: { serverId: id, label: "W".repeat(64), status: "done", cpu: 70, finishedAt: new Date() },
      });
      await page.goto(`/dashboard/servers/${id}`);
      await page.getByText("Table of CPU").click();
    },
  },
  { name: "add a server", reach: async (page) => void (await page.goto("/dashboard/servers/new")) },
  { name: "key of a new server", reach: async (page) => void (await addServer(page, "W".repeat(64))) },
  {
    name: "settings of a server",
    async reach(page, accountId) {
      const { id } = await newServer(accountId, { label: "W".repeat(64) });
      await page.goto(`/dashboard/servers/${id}/settings`);
    },
  },
  {
    name: "remove a server",
    async reach(page, accountId) {
      const { id } = await newServer(accountId, { label: "W".repeat(64) });
      await page.goto(`/dashboard/servers/${id}/remove`);
    },
  },
  {
    name: "benchmark",
    async reach(page, accountId) {
      const { id } = await newServer(accountId);
      await requestBenchmark(accountId, id, "W".repeat(64));
      await page.goto(`/dashboard/servers/${id}/benchmark`);
    },
  },
];

for (const { name, reach } of STATES) {
  test(`${name}: no axe violation in light and dark, and nothing wider than the screen from 320 to 3840 pixels`, async ({
    page,
    account,
  }) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await reach(page, account.id);
    await expect(page.getByRole("main")).toBeVisible();
    await expectToFit(page);
    await expectAccessible(page);
  });
}

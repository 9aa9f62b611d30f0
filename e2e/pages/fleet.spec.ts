import { newAccount, newBenchmarkRun, newServer, steadyRecord } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/pages";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";

const sample = { cpuPct: 72.5, memUsedMb: 1536.25, memTotalMb: 2048, diskUsedPct: 88, netLossPct: 0.4, uptimeS: 9000 };
const facts = { os: "Debian <b>13</b>", kernel: "6.12", cores: 4, nested: { deep: [1, null, "x"] }, "\u202Eodd": true };

/** An online server, one that fell silent, one that never checked in, and one of somebody else's. */
async function fill(accountId: number): Promise<number[]> {
  const createdAt = new Date(Date.now() - 2 * DAY);
  const online = await newServer(accountId, {
    label: "Online <i>one</i>",
    createdAt,
    firstSeenAt: createdAt,
    lastSeenAt: createdAt,
  });
  const silent = await newServer(accountId, { label: "\u202EGone quiet", createdAt, lastSeenAt: createdAt });
  const never = await newServer(accountId, { label: "Never seen" });
  await recordCheckIn(online.id, { sample, facts, publicIp: "2001:db8::7" });
  await recordCheckIn(silent.id, { sample: { cpuPct: 3, memUsedMb: 10 } }, new Date(Date.now() - HOUR));
  await newBenchmarkRun(online.id, { cpu: 71, disk: 0, network: null, total: 55, verified: true });
  await newBenchmarkRun(online.id, { status: "pending", finishedAt: null });
  const other = await newAccount();
  await newServer(other.id);
  return [online.id, silent.id, never.id];
}

test("an open page shows the next check-in by itself, keeps the focus, and says so when the console is away, in its states too", {
  tag: "@waits",
}, async ({ page, context, account }) => {
  const { id } = await newServer(account.id, { ...neverHeard() });
  await recordCheckIn(id, { sample }, ago(10 * MINUTE));
  await page.goto(`/dashboard/servers/${id}`);
  await expect(page.locator("header data")).toHaveText("Offline");
  const settings = page.getByRole("main").getByRole("link", { name: "Settings" });
  await settings.focus();
  await recordCheckIn(id, { sample: { ...sample, cpuPct: 41.5 } });
  const cpu = page.locator("[data-field=cpu_pct]");
  await expect(cpu).toHaveText("41.5 %");
  await expect(page.getByText("Online", { exact: true })).toBeVisible();
  await expect(settings).toBeFocused();

  // A browser that says it is online again makes the page ask at once.
  const ask = () => page.evaluate(() => window.dispatchEvent(new Event("online")));
  await context.setOffline(true);
  await ask();
  await expect(page.getByRole("status").filter({ hasText: "Not updated since" })).toBeVisible();
  await expect(cpu).toHaveText("41.5 %");
  await expect(page.getByText("Was online", { exact: true })).toBeVisible();
  await expect(settings).toBeFocused();

  await recordCheckIn(id, { sample: { ...sample, cpuPct: 17.5 } });
  await context.setOffline(false);
  await ask();
  await expect(cpu).toHaveText("17.5 %");
  await expect(page.getByText("Online", { exact: true })).toBeVisible();
  await expect(page.getByText("Not updated since")).toHaveCount(0);
});

test("the fleet says in its title what needs somebody while it refreshes, and typing searches it", async ({
  page,
  account,
}) => {
  const [, silent = 0] = await fill(account.id);
  const fresh = await newServer(account.id, { stability: steadyRecord() });
  const well = { cpuPct: 1, memUsedMb: 1, memTotalMb: 100, diskUsedPct: 1, netLossPct: 0 };
  await recordCheckIn(fresh.id, { sample: well });
  await page.goto("/dashboard");
  await expect(page).toHaveTitle("(2) Servers · Console");
  // The page listens only once its scripts run.
  await expect(async () => {
    await recordCheckIn(fresh.id, { sample: { ...well, diskUsedPct: 99 } });
    await recordCheckIn(silent, { sample: well });
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await expect(page).toHaveTitle("(3) Servers · Console", { timeout: 10 * SECOND });
  }).toPass();
  await expect(page.locator(`tr[data-server="${fresh.id}"] td`).first()).toHaveText("Needs attention");
  await page.getByRole("searchbox").fill("2001:db8");
  await expect(page.locator("tr[data-server]")).toHaveCount(1);
  await expect(page).toHaveURL(/q=2001/);
  await page.getByRole("searchbox").fill("nowhere");
  await expect(page.getByText("No server matches.")).toBeVisible();
});

test("names of 24 characters are read whole, and every row is of one height, whatever its cause", async ({
  page,
  account,
}) => {
  const labels = ["Survival world 3 of Adam", "Cache"];
  for (const [index, label] of labels.entries()) {
    const { id } = await newServer(account.id, { label, createdAt: ago(DAY) });
    await recordCheckIn(id, { sample: { cpuPct: 10, memUsedMb: 97, memTotalMb: 100, swapUsedPct: 90 * index } });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto("/dashboard");
  for (const label of labels) {
    const name = page.getByRole("rowheader").getByRole("link", { name: label });
    expect(await name.evaluate((link) => link.scrollWidth - link.clientWidth), label).toBe(0);
  }
  const heights = await page
    .locator("tr[data-server]")
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
  // The last row has no line below it.
  expect(Math.max(...heights) - Math.min(...heights)).toBeLessThanOrEqual(1);
});

test("while the console is away, typing into the search filters the servers that are there; it is asked when it is back", async ({
  page,
  context,
  account,
}) => {
  await newServer(account.id, { label: "Web front" });
  await newServer(account.id, { label: "Database", hostname: "db-1.example.net" });
  for (const path of ["/dashboard", "/dashboard?view=compact"]) {
    await page.goto(path);
    const servers = page.locator("[data-server]").filter({ visible: true });
    await expect(servers).toHaveCount(2);
    // Filtering as one types begins when the page's program runs.
    await expect(async () => {
      await page.getByRole("searchbox").fill("");
      await page.getByRole("searchbox").fill("db-1");
      await expect(page).toHaveURL(/q=db-1/, { timeout: 2 * SECOND });
    }).toPass();
    await page.getByRole("searchbox").fill("");
    await expect(servers).toHaveCount(2);

    await context.setOffline(true);
    const url = page.url();
    const asked = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/readyz"));
    await page.getByRole("searchbox").fill("FRONT web");
    await expect(servers).toHaveCount(1);
    await expect(servers).toContainText("Web front");
    await asked;
    expect(page.url()).toBe(url);
    await expect(page.getByRole("searchbox")).toHaveValue("FRONT web");
    await context.setOffline(false);
    await expect(page).toHaveURL(/q=FRONT/);
    await expect(servers).toHaveCount(1);
  }
});

test("while the console is away, each row of the fleet says what its server was when it was last heard of", async ({
  page,
  context,
  account,
}) => {
  const [online, silent] = await fill(account.id);
  await page.goto("/dashboard");
  const state = (id?: number) => page.locator(`tr[data-server="${id}"] td`).first();
  await expect(state(online)).toHaveText("Needs attention");
  await expect(state(silent)).toHaveText("Offline");
  await context.setOffline(true);
  // The page listens only once its program runs.
  await expect(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await expect(page.getByText("Not updated since")).toBeVisible({ timeout: 2 * SECOND });
  }).toPass();
  await expect(state(online)).toHaveText("Was online");
  await expect(state(silent)).toHaveText("Was offline");
  await expect(page.locator("tr[data-group=never] td").first()).toHaveText("Never checked in");
  await context.setOffline(false);
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await expect(state(online)).toHaveText("Needs attention");
});

/** The times of a server that was added a day ago and has not checked in since: its first check-in will be its first sign. */
function neverHeard() {
  const createdAt = ago(DAY);
  return { createdAt, lastSeenAt: createdAt };
}

function ago(ms: number): Date {
  return new Date(Date.now() - ms);
}

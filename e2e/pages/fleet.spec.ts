import type { Page } from "playwright/test";
import { newAccount, newBenchmarkRun, newServer, steadyRecord } from "@/e2e/support/factories";
import { getData } from "@/e2e/support/fixtures";
import { expect, signInDirectly, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import type { BenchmarkRuns, ServerDetail, ServerList } from "@/lib/api/schemas";
import { db } from "@/lib/database/client";
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

/** What the list shows, in the shape of the API. */
function shownList(page: Page): Promise<ServerList["servers"]> {
  return page.locator("tr[data-server]").evaluateAll((rows) =>
    rows.map((row) => {
      const text = (selector: string) => row.querySelector(selector)?.textContent ?? "";
      const value = (cell: number) => row.querySelector<HTMLDataElement>(`td:nth-child(${cell}) data`)?.value;
      const ip = row.querySelector("td:last-child")?.textContent ?? "";
      return {
        id: Number((row as HTMLElement).dataset.server),
        label: text("th bdi"),
        hostname: text("th > bdi"),
        online: value(2) === "true",
        score: Number(value(3)),
        last_seen: Date.parse(row.querySelector("time")?.dateTime ?? ""),
        public_ip: ip === "Not reported" ? null : ip,
      };
    }),
  );
}

/** The part of the detail that a page shows as data. */
type Shown = Omit<ServerDetail, "facts" | "scored_at" | "stability"> & { facts: Record<string, string> };

/** What the page of a server shows, in the shape of the API. */
function shownServer(page: Page): Promise<Shown> {
  return page.locator("article[data-server]").evaluate((article) => {
    const all = (selector: string) => [...article.querySelectorAll<HTMLElement>(selector)];
    const value = (selector: string) => article.querySelector<HTMLDataElement>(selector)?.value;
    const definition = (name: string) => all("dt").find((term) => term.textContent === name)?.nextElementSibling;
    const timeIn = (parent?: Element | null) => Date.parse(parent?.querySelector("time")?.dateTime ?? "");
    const sampledAt = Number(article.querySelector<HTMLElement>("[data-sampled-at]")?.dataset.sampledAt);
    const field = (name: string) => {
      const text = value(`[data-field=${name}]`);
      return text === undefined ? {} : { [name]: Number(text) };
    };
    return {
      id: Number((article as HTMLElement).dataset.server),
      label: article.querySelector("h1")?.textContent ?? "",
      hostname: article.querySelector("#copied-hostname")?.textContent ?? "",
      online: value("header data") === "true",
      score: Number(value("[data-score]")),
      // A server that never checked in says once when it was added, which the API calls its last check-in.
      last_seen: timeIn(article.querySelector("header:has(time)") ?? definition("Added")),
      public_ip: article.querySelector("#copied-public-ip")?.textContent ?? null,
      created_at: timeIn(definition("Added")),
      facts: Object.fromEntries(all("[data-fact]").map((fact) => [fact.dataset.fact ?? "", fact.textContent ?? ""])),
      score_components: Object.fromEntries(
        all("[data-component]").map((row) => [row.dataset.component, Number(row.querySelector("data")?.value)]),
      ) as ServerDetail["score_components"],
      score_notes: all("[aria-label='Notes on the score'] li").map((note) => note.textContent ?? ""),
      latest_sample: sampledAt ? { ts: sampledAt, ...field("cpu_pct"), ...field("mem_used_mb") } : null,
    };
  });
}

function shownRuns(page: Page): Promise<BenchmarkRuns["benchmarks"]> {
  return page.locator("tr[data-run]").evaluateAll((rows) =>
    rows.map((row) => ({
      id: Number((row as HTMLElement).dataset.run),
      label: row.querySelector("th")?.textContent ?? "",
      status: "done" as const,
      scores: Object.fromEntries(
        [...row.querySelectorAll<HTMLElement>("[data-section]")].map((cell) => {
          const measured = cell.querySelector("data");
          return [cell.dataset.section, measured ? Number(measured.value) : null];
        }),
      ) as BenchmarkRuns["benchmarks"][number]["scores"],
      verified: row.querySelector<HTMLDataElement>("td:not([data-section]) data")?.value === "true",
      finished_at: Date.parse(row.querySelector("time")?.dateTime ?? ""),
    })),
  );
}

/** A server as the page writes it: facts as text, and the measurements that the page shows as data. */
function asText({ scored_at: _, stability: __, latest_sample: sample, ...server }: ServerDetail): Shown {
  const facts = Object.entries(server.facts).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const shown = Object.entries(sample ?? {}).filter(([name]) => ["ts", "cpu_pct", "mem_used_mb"].includes(name));
  return {
    ...server,
    facts: Object.fromEntries(facts),
    latest_sample: sample && (Object.fromEntries(shown) as typeof sample),
  };
}

for (const role of ["customer", "support", "admin"] as const) {
  test(`an account of role ${role} sees on the pages, value by value, what the API answers it at that moment`, async ({
    page,
    context,
  }) => {
    const account = await newAccount(role);
    await signInDirectly(context, account.id);
    const ids = await fill(account.id);

    // Freshness changes with time. When the answers before and after the page are equal, the page used the same values.
    await expect(async () => {
      const before = await getData<ServerList>("/api/v1/servers", account.token);
      await page.goto("/dashboard?order=name");
      const shown = await shownList(page);
      expect(await getData("/api/v1/servers", account.token)).toEqual(before);
      expect(shown.sort((a, b) => a.id - b.id)).toEqual(before.servers);
      expect(shown.map(({ id }) => id)).toEqual(ids);
    }).toPass();
    for (const id of ids) {
      await expect(async () => {
        const before = await getData<ServerDetail>(`/api/v1/servers/${id}`, account.token);
        await page.goto(`/dashboard/servers/${id}`);
        const [shown, runs] = [await shownServer(page), await shownRuns(page)];
        const after = await getData<ServerDetail>(`/api/v1/servers/${id}`, account.token);
        expect(asText(after)).toEqual(asText(before));
        // Of a server that never checked in the page shows how to set it up, and no score.
        const [expected, isNew] = [asText(before), id === ids.at(-1)];
        expect(shown).toEqual(isNew ? { ...expected, score_components: {}, score_notes: [] } : expected);
        await expect(page.locator("[data-score]")).toHaveText(isNew ? "–" : String(before.score));
        expect(runs).toEqual(
          (await getData<BenchmarkRuns>(`/api/v1/servers/${id}/benchmarks`, account.token)).benchmarks,
        );
      }).toPass();
    }
  });
}

test("a server of another account is the same page as one that does not exist, for staff too", async ({
  page,
  context,
}) => {
  const owner = await newAccount();
  const { id } = await newServer(owner.id);
  const { id: staffId } = await newAccount("admin");
  await signInDirectly(context, staffId);
  for (const path of [`/dashboard/servers/${id}`, "/dashboard/servers/2147483647", "/dashboard/servers/01"]) {
    expect((await page.goto(path))?.status(), path).toBe(404);
    await expect(page.getByRole("heading", { name: "You have no such server" })).toBeVisible();
  }
});

withAndWithoutJavaScript(() => {
  test("an account without servers is shown the way to its first one", async ({ page, account }) => {
    expect(account.role).toBe("customer");
    await page.goto("/dashboard");
    await expect(page.getByRole("heading", { name: "No servers yet" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Add your first server" })).toBeVisible();
  });

  test("the worst server comes first, or they are listed by name; beyond 150 there are pages that show each once", async ({
    page,
    account,
  }) => {
    await db.$executeRaw`
      insert into servers (account_id, label, hostname, created_at, last_seen_at)
      select ${account.id}, 'server ' || i, 'host-' || i, now() - i * interval '1 day', now() - i * interval '1 day'
      from generate_series(1, 153) i`;
    const { id } = await newServer(account.id, { label: "Zulu", ...neverHeard() });
    await recordCheckIn(id, { sample: { cpuPct: 100, memUsedMb: 99, memTotalMb: 100, diskUsedPct: 99 } }, ago(HOUR));

    await page.goto("/dashboard");
    await expect(page.locator("tr[data-server]")).toHaveCount(150);
    const [first] = await shownList(page);
    expect(first?.label).toBe("Zulu");
    await page.getByRole("link", { name: "Server", exact: true }).click();
    await expect(page).toHaveURL(/order=name/);
    await expect(page.locator("tr[data-server]").first()).toContainText("server 1");
    const labels = (await shownList(page)).map(({ label }) => label);
    await page.getByRole("link", { name: "Next" }).click();
    await expect(page.getByText("Page 2 of 2")).toBeVisible();
    await expect(page.locator("tr[data-server]")).toHaveCount(4);
    labels.push(...(await shownList(page)).map(({ label }) => label));
    expect(labels).toEqual([...Array.from({ length: 153 }, (_, index) => `server ${index + 1}`), "Zulu"]);
    await page.goto("/dashboard?page=77&order=nonsense");
    await expect(page.getByText("Page 2 of 2")).toBeVisible();
  });
});

test("an open page shows the next check-in by itself, keeps the focus, and says so when the console is away, in its states too", {
  tag: ["@one-engine", "@waits"],
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

test("the fleet says what needs somebody: in its title and icon while it refreshes, in chips, and row by row", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  const [online, silent] = await fill(account.id);
  await page.goto("/dashboard");
  await expect(page).toHaveTitle("(2) Servers · Console");
  const icon = page.locator('link[rel="icon"][type="image/svg+xml"]');
  await expect(icon).toHaveAttribute("href", "/favicon-alert.svg");
  expect((await page.request.get("/favicon-alert.svg")).status()).toBe(200);
  const row = (id?: number) => page.locator(`tr[data-server="${id}"]`);
  await expect(row(silent)).toContainText("Offline");
  await expect(row(silent)).toContainText("Last check-in 1 hour ago");
  await expect(row(online)).toContainText(/Stability: 0\.\d+\s% of check-ins received/);
  await expect(row(online)).toContainText("72.5 %");
  await expect(page.locator("tr[data-group=never]")).toContainText("Never checked in");
  await expect(page.locator("tr[data-group=never] td").nth(1)).toContainText("–");
  await expect(page.locator("tr[data-server]").first()).toHaveAttribute("data-group", "offline");
  await expect(page.locator("tr[data-server]").last()).toHaveAttribute("data-group", "never");

  await page.getByRole("link", { name: "Offline 1" }).click();
  await expect(page.locator("tr[data-server]")).toHaveCount(1);
  await page.getByRole("link", { name: "All 3" }).click();
  await expect(page.locator("tr[data-server]")).toHaveCount(3);
  await page.getByRole("searchbox").fill("2001:db8");
  await expect(page.locator("tr[data-server]")).toHaveCount(1);
  await expect(page).toHaveURL(/q=2001/);
  await page.getByRole("searchbox").fill("nowhere");
  await expect(page.getByText("No server matches.")).toBeVisible();

  // One component at zero needs somebody although the score is healthy, and so does an outage of the last day.
  const fresh = await newServer(account.id, { stability: steadyRecord() });
  const well = { cpuPct: 1, memUsedMb: 1, memTotalMb: 100, diskUsedPct: 1, netLossPct: 0 };
  await recordCheckIn(fresh.id, { sample: well });
  await page.goto("/dashboard");
  await expect(page).toHaveTitle("(2) Servers · Console");
  await expect(row(fresh.id)).toHaveAttribute("data-group", "well");
  // The page listens only once its scripts run.
  await expect(async () => {
    await recordCheckIn(fresh.id, { sample: { ...well, diskUsedPct: 99 } });
    await recordCheckIn(silent ?? 0, { sample: well });
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await expect(page).toHaveTitle("(3) Servers · Console", { timeout: 10 * SECOND });
  }).toPass();
  await expect(row(fresh.id).locator("td").first()).toHaveText("Needs attention");
  await expect(row(fresh.id)).toContainText(/Disk: 99\s% full/);
  expect(Number(await row(fresh.id).locator("td").nth(1).locator("data").getAttribute("value"))).toBe(800);
});

test("names of 24 characters are read whole, and every row is of one height, whatever its cause", {
  tag: "@one-engine",
}, async ({ page, account }) => {
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

test("while the console is away, typing into the search filters the servers that are there; it is asked when it is back", {
  tag: "@one-engine",
}, async ({ page, context, account }) => {
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

test("while the console is away, each row of the fleet says what its server was when it was last heard of", {
  tag: "@one-engine",
}, async ({ page, context, account }) => {
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

test("each title that sorts says the order of the rows to screen readers, and its link turns it round", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  for (const [label, cpuPct, used, diskUsedPct] of [
    ["one", 62, 30, 20],
    ["two", 75, 10, 30],
    ["three", 90, 20, 10],
  ] as const) {
    const { id } = await newServer(account.id, { label, ...neverHeard() });
    // The cpu alone costs points.
    await recordCheckIn(id, { sample: { cpuPct, memUsedMb: used, memTotalMb: 100, diskUsedPct } });
  }
  await page.goto("/dashboard");
  const sorted = page.locator("th[aria-sort]");
  await expect(sorted).toHaveText("Score");
  for (const [title, order, first] of [
    ["Server", "ascending", ["one", "three", "two"]],
    ["CPU", "descending", ["three", "two", "one"]],
    ["Memory", "descending", ["one", "three", "two"]],
    ["Disk", "descending", ["two", "one", "three"]],
    ["Score", "ascending", ["three", "two", "one"]],
  ] as const) {
    const turned = order === "ascending" ? "descending" : "ascending";
    for (const [said, expected] of [
      [order, first],
      [turned, [...first].reverse()],
    ] as const) {
      await page.getByRole("columnheader", { name: title, exact: true }).getByRole("link").click();
      await expect(sorted, title).toHaveText(title);
      await expect(sorted, title).toHaveAttribute("aria-sort", said);
      await expect(page.locator("tr[data-server] th a"), `${title}, ${said}`).toHaveText(expected);
    }
  }
});

test("a server that never checked in is nowhere said to have been seen, nor what its score would say", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  const createdAt = ago(3 * DAY);
  const { id } = await newServer(account.id, { label: "Fresh", createdAt, lastSeenAt: createdAt });
  await page.goto("/dashboard");
  await expect(page.locator("tr[data-group=never]")).toContainText("Added 3 days ago");
  await page.goto("/dashboard?view=compact");
  await expect(page.locator("li[data-group=never] a")).toHaveAttribute("title", "Fresh");
  await page.goto(`/dashboard/servers/${id}/remove`);
  await expect(page.getByRole("main")).toContainText("Never checked in");
  await expect(page.getByRole("main")).not.toContainText("days ago");
});

/** The times of a server that was added a day ago and has not checked in since: its first check-in will be its first sign. */
function neverHeard() {
  const createdAt = ago(DAY);
  return { createdAt, lastSeenAt: createdAt };
}

function ago(ms: number): Date {
  return new Date(Date.now() - ms);
}

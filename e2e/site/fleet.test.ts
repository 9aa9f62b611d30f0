import { expect, test } from "vitest";
import { ago, newAccount, newServer, newToken } from "@/e2e/support/factories";
import { fillMixedFleet } from "@/e2e/support/mixed-fleet";
import { getData, origin } from "@/e2e/support/over-http";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { newVisitor } from "@/e2e/support/site";
import type { Part, Visitor } from "@/e2e/support/visitor";
import type { BenchmarkRuns, ServerDetail, ServerList } from "@/lib/api/schemas";
import { db } from "@/lib/database/client";
import { DAY, HOUR, SECOND } from "@/lib/format/time";

const each = (page: Visitor, selector: string): Part[] =>
  page.$.root()
    .find(selector)
    .toArray()
    .map((element) => page.$.root().find(element));
const timeIn = (part: Part) => Date.parse(part.find("time").first().attr("datetime") ?? "");
const dataOf = (part: Part) => part.attr("value");

/** What the list shows, in the shape of the API. */
function shownList(page: Visitor): ServerList["servers"] {
  return each(page, "tr[data-server]").map((row) => {
    const ip = row.find("td").last().text();
    return {
      id: Number(row.attr("data-server")),
      label: row.find("th bdi").first().text(),
      hostname: row.find("th > bdi").first().text(),
      online: dataOf(row.find("td:nth-child(2) data")) === "true",
      score: Number(dataOf(row.find("td:nth-child(3) data"))),
      last_seen: timeIn(row),
      public_ip: ip === "Not reported" ? null : ip,
    };
  });
}

/** The part of the detail that a page shows as data. */
type Shown = Omit<ServerDetail, "facts"> & { facts: Record<string, string> };

/** What the page of a server shows, in the shape of the API. */
function shownServer(page: Visitor): Shown {
  const article = page.$("article[data-server]");
  const definition = (name: string) =>
    article
      .find("dt")
      .filter((_, term) => page.$(term).text() === name)
      .next();
  const sampledAt = Number(article.find("[data-sampled-at]").attr("data-sampled-at") ?? 0);
  const field = (name: string) => {
    const text = dataOf(article.find(`[data-field=${name}]`));
    return text === undefined ? {} : { [name]: Number(text) };
  };
  const head = article.find("header:has(time)");
  return {
    id: Number(article.attr("data-server")),
    label: article.find("h1").text(),
    hostname: article.find("#copied-hostname").text(),
    online: dataOf(article.find("header data").first()) === "true",
    score: Number(dataOf(article.find("[data-score]"))),
    // A server that never checked in says once when it was added, which the API calls its last check-in.
    last_seen: timeIn(head.length > 0 ? head.first() : definition("Added")),
    public_ip: article.find("#copied-public-ip").length > 0 ? article.find("#copied-public-ip").text() : null,
    created_at: timeIn(definition("Added")),
    facts: Object.fromEntries(
      each(page, "article [data-fact]").map((fact) => [fact.attr("data-fact") ?? "", fact.text()]),
    ),
    score_components: Object.fromEntries(
      each(page, "article [data-component]").map((row) => [
        row.attr("data-component"),
        Number(dataOf(row.find("data").first())),
      ]),
    ) as ServerDetail["score_components"],
    score_notes: each(page, "[aria-label='Notes on the score'] li").map((note) => note.text()),
    latest_sample: sampledAt ? { ts: sampledAt, ...field("cpu_pct"), ...field("mem_used_mb") } : null,
  };
}

function shownRuns(page: Visitor): BenchmarkRuns["benchmarks"] {
  return each(page, "tr[data-run]").map((row) => ({
    id: Number(row.attr("data-run")),
    label: row.find("th").text(),
    status: "done" as const,
    scores: Object.fromEntries(
      row
        .find("[data-section]")
        .toArray()
        .map((cell) => {
          const measured = page.$(cell).find("data").attr("value");
          return [page.$(cell).attr("data-section"), measured === undefined ? null : Number(measured)];
        }),
    ) as BenchmarkRuns["benchmarks"][number]["scores"],
    verified: dataOf(row.find("td:not([data-section]) data").first()) === "true",
    finished_at: timeIn(row),
  }));
}

/** A server as the page writes it: facts as text, and the measurements that the page shows as data. */
function asText({ latest_sample: sample, ...server }: ServerDetail): Shown {
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

/**
 * Freshness changes with time: shows the page again until the API answers the same before and after it. @throws what the
 * answers never agree on
 */
async function whileUnchanged<Answer>(ask: () => Promise<Answer>, show: () => Promise<unknown>): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    const before = await ask();
    await show();
    const after = await ask();
    if (JSON.stringify(after) === JSON.stringify(before)) return before;
    if (tries === 20) expect(after).toEqual(before);
  }
}

for (const role of ["customer", "support", "admin"] as const) {
  test(`an account of role ${role} sees on the pages exactly what the API answers`, async () => {
    const { account, page } = await newVisitor(role);
    const token = await newToken(account.id);
    const ids = await fillMixedFleet(account.id);
    const { servers } = await whileUnchanged(
      () => getData<ServerList>("/api/v1/servers", token),
      () => page.goto("/dashboard?order=name"),
    );
    const shown = shownList(page).sort((a, b) => a.id - b.id);
    expect(shown).toEqual(servers);
    expect(shown.map(({ id }) => id)).toEqual(ids);
    for (const id of ids) {
      const server = await whileUnchanged(
        async () => asText(await getData<ServerDetail>(`/api/v1/servers/${id}`, token)),
        () => page.goto(`/dashboard/servers/${id}`),
      );
      // Of a server that never checked in the page shows how to set it up, and no score.
      const isNew = id === ids.at(-1);
      expect(shownServer(page)).toEqual(isNew ? { ...server, score_components: {}, score_notes: [] } : server);
      expect(page.textOf("[data-score]")).toBe(isNew ? "–" : String(server.score));
      const runs = await getData<BenchmarkRuns>(`/api/v1/servers/${id}/benchmarks`, token);
      expect(shownRuns(page)).toEqual(runs.benchmarks);
    }
  });
}

test("another account's server is the same page as a missing one, for staff too", async () => {
  const owner = await newAccount();
  const { id } = await newServer(owner.id);
  const { page } = await newVisitor("admin");
  for (const path of [`/dashboard/servers/${id}`, "/dashboard/servers/2147483647", "/dashboard/servers/01"]) {
    await page.goto(path);
    expect([page.status, page.heading], path).toEqual([404, "You have no such server"]);
  }
});

test("an account without servers is shown the way to its first one", async () => {
  const { page } = await newVisitor();
  await page.goto("/dashboard");
  expect(page.text).toContain("No servers yet");
  expect(page.links("Add your first server").length).toBe(1);
});

test("servers are listed worst first or by name, with 150 on a page", async () => {
  const { account, page } = await newVisitor();
  await db.$executeRaw`
    insert into servers (account_id, label, hostname, created_at, last_seen_at)
    select ${account.id}, 'server ' || i, 'host-' || i, now() - i * interval '1 day', now() - i * interval '1 day'
    from generate_series(1, 153) i`;
  const { id } = await newServer(account.id, { label: "Zulu", createdAt: ago(DAY), lastSeenAt: ago(DAY) });
  await recordCheckIn(id, { sample: { cpuPct: 100, memUsedMb: 99, memTotalMb: 100, diskUsedPct: 99 } }, ago(HOUR));

  await page.goto("/dashboard");
  expect(shownList(page)).toHaveLength(150);
  expect(shownList(page)[0]?.label).toBe("Zulu");
  await page.follow("Server", page.$("thead"));
  expect(page.path).toMatch(/order=name/);
  const labels = shownList(page).map(({ label }) => label);
  await page.follow("Next");
  expect(page.text).toContain("Page 2 of 2");
  expect(shownList(page)).toHaveLength(4);
  labels.push(...shownList(page).map(({ label }) => label));
  expect(labels).toEqual([...Array.from({ length: 153 }, (_, index) => `server ${index + 1}`), "Zulu"]);
  await page.goto("/dashboard?page=77&order=nonsense");
  expect(page.text).toContain("Page 2 of 2");
});

test("the fleet says what needs attention in title, icon, chips and rows", async () => {
  const { account, page } = await newVisitor();
  const [online, silent] = await fillMixedFleet(account.id);
  await page.goto("/dashboard");
  const title = () => page.textOf("title");
  expect(title()).toBe("(2) Servers · Console");
  expect(page.$('link[rel="icon"][type="image/svg+xml"]').attr("href")).toBe("/favicon-alert.svg");
  expect((await fetch(`${origin}/favicon-alert.svg`)).status).toBe(200);
  const row = (id: number) => page.$(`tr[data-server="${id}"]`);
  expect(page.textOf(row(silent))).toContain("Offline");
  expect(page.textOf(row(silent))).toContain("Last check-in 1 hour ago");
  expect(page.textOf(row(online))).toMatch(/Stability: 0\s% of check-ins received/);
  expect(page.textOf(row(online))).toMatch(/72\.5\s%/);
  const never = page.$("tr[data-group=never]");
  expect(page.textOf(never)).toContain("Never checked in");
  expect(page.textOf(never.find("td").eq(1))).toContain("–");
  const groups = () => each(page, "tr[data-server]").map((one) => one.attr("data-group"));
  expect([groups()[0], groups().at(-1)]).toEqual(["offline", "never"]);

  await page.follow("Offline 1");
  expect(groups()).toHaveLength(1);
  await page.follow("All 3");
  expect(groups()).toHaveLength(3);
  const search = page.$("input[type=search]").attr("name") ?? "";
  await page.goto(`/dashboard?${new URLSearchParams({ [search]: "2001:db8" })}`);
  expect(groups()).toHaveLength(1);
  await page.goto(`/dashboard?${new URLSearchParams({ [search]: "nowhere" })}`);
  expect(page.text).toContain("No server matches.");

  // One component at zero needs somebody although the score is healthy, and so does an outage of the last day.
  const fresh = await newServer(account.id, { stability: 1000 });
  const well = { cpuPct: 1, memUsedMb: 1, memTotalMb: 100, diskUsedPct: 1, netLossPct: 0 };
  await recordCheckIn(fresh.id, { sample: well }, ago(30 * SECOND));
  await page.goto("/dashboard");
  expect(title()).toBe("(2) Servers · Console");
  expect(row(fresh.id).attr("data-group")).toBe("well");
  await recordCheckIn(fresh.id, { sample: { ...well, diskUsedPct: 99 } });
  await recordCheckIn(silent, { sample: well });
  await page.goto("/dashboard");
  expect(title()).toBe("(3) Servers · Console");
  expect(page.textOf(row(fresh.id).find("td").first())).toBe("Needs attention");
  expect(page.textOf(row(fresh.id))).toMatch(/Disk: 99\s% full/);
  expect(Number(row(fresh.id).find("td").eq(1).find("data").attr("value"))).toBe(800);
});

test("each sorting title tells screen readers the order, and its link reverses it", async () => {
  const { account, page } = await newVisitor();
  for (const [label, cpuPct, used, diskUsedPct] of [
    ["one", 62, 30, 20],
    ["two", 75, 10, 30],
    ["three", 90, 20, 10],
  ] as const) {
    // Far from the edge of the day that stability looks at.
    const { id } = await newServer(account.id, { label, createdAt: ago(3 * DAY), lastSeenAt: ago(2 * DAY) });
    // The cpu alone costs points.
    await recordCheckIn(id, { sample: { cpuPct, memUsedMb: used, memTotalMb: 100, diskUsedPct } });
  }
  await page.goto("/dashboard");
  const sorted = () => page.$("th[aria-sort]");
  expect(page.textsOf(sorted())).toEqual(["Score"]);
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
      await page.follow(title, page.$("thead"));
      expect([page.textsOf(sorted()), sorted().attr("aria-sort")], title).toEqual([[title], said]);
      expect(page.textsOf("tr[data-server] th a"), `${title}, ${said}`).toEqual(expected);
    }
  }
});

test("a server that never checked in is nowhere said to have been seen", async () => {
  const { account, page } = await newVisitor();
  const createdAt = ago(3 * DAY);
  const { id } = await newServer(account.id, { label: "Fresh", createdAt, lastSeenAt: createdAt });
  await page.goto("/dashboard");
  expect(page.textOf("tr[data-group=never]")).toContain("Added 3 days ago");
  await page.goto(`/dashboard/servers/${id}/remove`);
  expect(page.textOf("main")).toContain("Never checked in");
  expect(page.textOf("main")).not.toContain("days ago");
});

import type { Page } from "playwright/test";
import { SERVERS_PER_PAGE } from "@/app/dashboard/fleet-query";
import { newBenchmarkRun, newGameService, newNamedToken, newServer, putPast, unique } from "@/e2e/support/factories";
import { expect, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { recordIntervals } from "@/e2e/support/record-intervals";
import { db } from "@/lib/database/client";
import { DAY, MINUTE } from "@/lib/format/time";
import { rangeParams } from "@/lib/format/time-range";
import { MAX_SHARES, MAX_TICKETS } from "@/lib/game-services/access";
import { MAX_SERVICES } from "@/lib/game-services/management";
import { MAX_CHANNELS } from "@/lib/notices/management";
import {
  ACCOUNT_PAGE,
  API_REFERENCE,
  CHANGELOG,
  DASHBOARD,
  GAME_SERVICES,
  maintenanceOfSeveralPath,
  NEW_SERVER,
  NOTICE_PAGE,
  serverPath,
  serverSettingsPath,
  serviceAccessPath,
  servicePath,
  tagsOfSeveralPath,
  tokenPath,
} from "@/lib/page-paths";
import { MOST_EVENTS } from "@/lib/servers/events/events";
import { MAX_ACTIVE_TOKENS } from "@/lib/tokens/management";

test.use({ ownContext: true });

/** A page with charts may load so much more JavaScript than one without, in bytes as transferred. */
const CHARTS = 8 * 1024;
/** How much more the reference may load than the start page, which has no search, no folding and no “Run”. */
const SEARCH_AND_RUN = 4 * 1024;

test("pages send under 160 KB of JavaScript, charts 8, the reference 4, none later", async ({ page, account }) => {
  const { token } = await newNamedToken(account.id, "weighed");
  const server = await newServer(account.id, { lastSeenAt: new Date() });
  await recordCheckIn(server.id, { sample: { cpuPct: 10 } });
  const service = await newGameService(account.id);
  await recordIntervals([{ serviceId: service.id, ts: Date.now() - 5 * MINUTE, packets: 1 }]);
  const withCharts = [serverPath(server.id), servicePath(service.id)];
  const pages = [
    "/",
    API_REFERENCE,
    DASHBOARD,
    GAME_SERVICES,
    ...withCharts,
    // They have the same head, forms and links, and no charts.
    ...withCharts.map((path) => `${path}/settings`),
    TOKEN_PAGE,
    tokenPath(token.id),
    ACCOUNT_PAGE,
  ];
  const scriptsOf: Record<string, Loaded[]> = {};
  for (const path of pages) {
    const loaded = await visit(page, path);
    if (withCharts.includes(path)) await expect(page.getByRole("slider").first()).toBeVisible();
    const scripts = loaded.filter(isScript);
    scriptsOf[path] = scripts;
    expect(scripts.length).toBeGreaterThan(0);
    expect(bytesOf(scripts)).toBeLessThan(160 * 1024);
    expect(loaded.filter(({ by }) => by === "fetch" || by === "xmlhttprequest")).toEqual([]);
  }
  for (const path of withCharts) {
    const without = new Set(scriptsOf[`${path}/settings`]?.map((one) => one.path));
    const own = scriptsOf[path]?.filter((one) => !without.has(one.path)) ?? [];
    expect(bytesOf(own), JSON.stringify(own)).toBeLessThanOrEqual(CHARTS);
  }
  const more = bytesOf(scriptsOf[API_REFERENCE] ?? []) - bytesOf(scriptsOf["/"] ?? []);
  expect(more).toBeLessThanOrEqual(SEARCH_AND_RUN);
});

/** What a page may weigh without its scripts, in bytes as transferred: the document and its style sheets. */
const PAGE = 60_000;

test("every kind of page, full of rows, transfers under 60 KB without scripts", async ({ page, account }) => {
  const now = new Date();
  await db.$executeRaw`
    insert into servers (account_id, label, hostname, public_ip, created_at, first_seen_at, last_seen_at, stability, cpu, memory, disk, sampled_at, sample)
    select ${account.id}, 'Survival world ' || n || ' of Ada', 'survival-' || n || '.fra.ada.example', ('192.0.2.' || n)::inet, ${now}, ${now}, ${now},
      1000, 900, 800, 700, ${now}, json_build_object('cpu_pct', n % 100, 'mem_used_mb', 100 * n, 'mem_total_mb', 16000, 'disk_used_pct', (7 * n) % 100, 'load5', 0.8)
    from generate_series(1, ${SERVERS_PER_PAGE}) n`;
  const { id: server } = await db.server.findFirstOrThrow({ where: { accountId: account.id }, select: { id: true } });
  await db.server.update({ where: { id: server }, data: { firstSeenAt: new Date(now.getTime() - 2 * DAY) } });
  const values = { cpu_pct: "100 * random()", mem_used_pct: "100 * random()", net_loss_pct: "random()" };
  await putPast(server, { from: new Date(now.getTime() - DAY), to: now }, values);
  for (let run = 0; run < 20; run++) await newBenchmarkRun(server);
  const { id: service } = await newGameService(account.id);
  await db.$executeRaw`
    insert into metric_samples (service_id, ts, node_id, packets, bytes, dropped, connections, latency_ms)
    select ${service}, ${now}::timestamptz - n * interval '1 minute', 1, 9000 * random(), 90000 * random(), 900 * random(), 90 * random(), 90 * random()
    from generate_series(1, 1440) n`;
  await db.gameService.createMany({
    data: Array.from({ length: MAX_SERVICES - 1 }, (_, n) => ({
      accountId: account.id,
      name: `Survival world ${n}`,
      javaHostname: `${unique("weighed-")}.play.example.net`,
      originHost: `198.51.100.${n}`,
      originPort: 25_565,
    })),
  });
  const shares = Array.from({ length: MAX_SHARES }, (_, n) => `${unique("player-")}-${n}@example.com`);
  await db.serviceShare.createMany({ data: shares.map((email) => ({ serviceId: service, email, typedEmail: email })) });
  const tickets = Array.from({ length: MAX_TICKETS }, (_, n) => `Players cannot join at number ${n}`);
  await db.ticket.createMany({
    data: tickets.map((subject) => ({ accountId: account.id, serviceId: service, subject, status: "closed" as const })),
  });
  await db.noticeChannel.createMany({
    data: Array.from({ length: MAX_CHANNELS }, (_, n) => ({
      ...{ accountId: account.id, kind: "webhook", name: `Channel ${n}`, host: "example.com", confirmedAt: now },
    })),
  });
  for (let n = 0; n < MAX_ACTIVE_TOKENS; n++) await newNamedToken(account.id, `Program ${n}`);
  const { id: token } = await db.accessToken.findFirstOrThrow({
    where: { accountId: account.id },
    select: { id: true },
  });
  for (const path of [
    "/",
    API_REFERENCE,
    CHANGELOG,
    DASHBOARD,
    serverPath(server),
    `${serverPath(server)}?range=1h`,
    serverSettingsPath(server),
    tagsOfSeveralPath({}),
    maintenanceOfSeveralPath({}),
    NEW_SERVER,
    GAME_SERVICES,
    servicePath(service),
    serviceAccessPath(service),
    TOKEN_PAGE,
    tokenPath(token),
    ACCOUNT_PAGE,
    NOTICE_PAGE,
  ]) {
    const parts = (await visit(page, path)).filter(isWithoutScripts);
    expect(parts.length, path).toBeGreaterThan(1);
    expect.soft(bytesOf(parts), `${path}: ${JSON.stringify(parts)}`).toBeLessThan(PAGE);
  }
});

test("400 days of a server full of events take under 60 KB without scripts", async ({ page, account }) => {
  const now = new Date();
  const { id } = await newServer(account.id, {
    createdAt: new Date(now.getTime() - 400 * DAY),
    firstSeenAt: new Date(now.getTime() - 400 * DAY),
    lastSeenAt: now,
  });
  await recordCheckIn(id, { sample: { cpuPct: 10 } });
  await db.$executeRaw`
    insert into events (subject, subject_id, kind, started_at, ended_at)
    select 'server', ${id}, 'offline', at, at + interval '20 minutes' + n % 97 * interval '7 s'
    from generate_series(1, ${MOST_EVENTS - 1}) n, lateral (select ${now}::timestamptz - n * interval '57 minutes') t (at)`;
  const range = new URLSearchParams(rangeParams({ from: now.getTime() - 399 * DAY, to: now.getTime() }));
  const bytes = bytesOf((await visit(page, `${serverPath(id)}?${range}`)).filter(isWithoutScripts));
  await expect(page.locator("[data-lane]").first()).toHaveAttribute("data-lane", String(MOST_EVENTS - 1));
  console.log(`Without its scripts, 400 days with ${MOST_EVENTS} events: ${bytes} bytes`);
  expect(bytes).toBeLessThan(PAGE);
});

/** Something that a page has loaded, the page itself included; `size`: in bytes as transferred. */
type Loaded = { path: string; by: string; size: number };

const isScript = ({ path }: Loaded) => path.endsWith(".js");
const isWithoutScripts = ({ path, by }: Loaded) => by === "navigation" || path.endsWith(".css");
const bytesOf = (loaded: readonly Loaded[]) => loaded.reduce((sum, { size }) => sum + size, 0);

async function visit(page: Page, path: string): Promise<Loaded[]> {
  await page.goto(path, { waitUntil: "networkidle" });
  return page.evaluate(() =>
    ["navigation", "resource"]
      .flatMap((type) => performance.getEntriesByType(type) as PerformanceResourceTiming[])
      .map(({ name, initiatorType, encodedBodySize }) => ({
        ...{ path: new URL(name).pathname, by: initiatorType, size: encodedBodySize },
      })),
  );
}

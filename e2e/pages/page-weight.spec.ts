import { newGameService, newNamedToken, newServer } from "@/e2e/support/factories";
import { expect, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { ACCOUNT_PAGE, API_REFERENCE, DASHBOARD, GAME_SERVICES, serverPath, servicePath } from "@/lib/page-paths";
import { recordCheckIn } from "@/lib/servers/telemetry/check-ins";

test("every kind of page sends under 160 KB of JavaScript, and asks for nothing more once they are loaded", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  const { token } = await newNamedToken(account.id, "weighed");
  const server = await newServer(account.id, { lastSeenAt: new Date() });
  await recordCheckIn(server.id, { sample: { cpuPct: 10 } });
  const service = await newGameService(account.id);
  const pages = [
    "/",
    API_REFERENCE,
    DASHBOARD,
    serverPath(server.id),
    GAME_SERVICES,
    servicePath(service.id),
    TOKEN_PAGE,
    `${TOKEN_PAGE}/${token.id}`,
    ACCOUNT_PAGE,
  ];
  for (const path of pages) {
    await page.goto(path, { waitUntil: "networkidle" });
    const resources = await page.evaluate(() =>
      (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).map(
        ({ name, initiatorType, encodedBodySize }) => ({
          path: new URL(name).pathname,
          initiatorType,
          encodedBodySize,
        }),
      ),
    );
    const scripts = resources.filter((resource) => resource.path.endsWith(".js"));
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)).toBeLessThan(160 * 1024);
    expect(
      resources.filter(({ initiatorType }) => initiatorType === "fetch" || initiatorType === "xmlhttprequest"),
    ).toEqual([]);
  }
});

test("the style sheet for failed pages may be kept for a day, so that not every page asks for it", {
  tag: "@one-engine",
}, async ({ request }) => {
  const answer = await request.get("/error.css");
  expect(answer.status()).toBe(200);
  expect(answer.headers()["cache-control"]).toBe("public, max-age=86400");
});

/** A page with charts may load so much more JavaScript than one without, in bytes as transferred. */
const CHARTS = 8 * 1024;

test("pages with charts load at most 8 KB of JavaScript that a page without charts does not load", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  const server = await newServer(account.id, { lastSeenAt: new Date() });
  await recordCheckIn(server.id, { sample: { cpuPct: 10 } });
  const service = await newGameService(account.id);
  await db.$executeRaw`
    insert into metric_samples (service_id, ts, node_id, packets, bytes, dropped, connections)
    values (${service.id}, now() - interval '5 minutes', 1, 1, 1, 0, 1)`;
  const scriptsOf = async (path: string) => {
    await page.goto(path, { waitUntil: "networkidle" });
    const scripts = await page.evaluate(() =>
      (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
        .filter(({ name }) => new URL(name).pathname.endsWith(".js"))
        .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize] as const),
    );
    return new Map(scripts);
  };
  // Their settings have the same head, forms and links, and no charts.
  for (const path of [serverPath(server.id), servicePath(service.id)]) {
    const without = await scriptsOf(`${path}/settings`);
    const own = [...(await scriptsOf(path))].filter(([name]) => !without.has(name));
    await expect(page.getByRole("slider").first()).toBeVisible();
    const bytes = own.reduce((sum, [, size]) => sum + size, 0);
    test.info().annotations.push({ type: "JavaScript of charts", description: `${path}: ${bytes} bytes` });
    console.log(`JavaScript beyond a page without charts, ${path.replace(/\d+$/, "…")}: ${bytes} bytes`);
    expect(bytes, JSON.stringify(own)).toBeLessThanOrEqual(CHARTS);
  }
});

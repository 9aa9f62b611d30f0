import { newGameService, newNamedToken, newServer } from "@/e2e/support/factories";
import { expect, TOKEN_PAGE, test } from "@/e2e/support/pages";
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

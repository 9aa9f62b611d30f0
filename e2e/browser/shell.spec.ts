import { createServer } from "node:http";
import pg from "pg";
import { expectReadable } from "@/e2e/support/axe";
import { startConsole } from "@/e2e/support/console-server";
import { newAccount, newGameService, newNamedToken, newServer } from "@/e2e/support/factories";
import { atEnd, own, sharedOrigin } from "@/e2e/support/fixtures";
import { insertCaller, insertSession } from "@/e2e/support/insert-caller";
import { listen } from "@/e2e/support/listen";
import {
  answerQuestion,
  createOnPage,
  expect,
  finishOnPage,
  holdRequests,
  signOut,
  submitSignIn,
  TOKEN_PAGE,
  test,
  untilTakenOver,
} from "@/e2e/support/pages";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { recordIntervals } from "@/e2e/support/record-intervals";
import { createTestDatabase } from "@/e2e/support/test-database";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { wallClock, zoneText } from "@/lib/format/time-zone";
import { serverPath, servicePath, tokenPath } from "@/lib/page-paths";
import { API_REQUESTS } from "@/lib/rate-limit/policy";

const ACCOUNT_PAGE = "/dashboard/settings/account";

test("a navigation that takes longer than 150 ms shows that it is under way", async ({ page, account }) => {
  await page.goto("/dashboard");
  const release = await holdRequests(page, "**/dashboard/settings/api**");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "API tokens" }).click();
  await expect(page.getByRole("progressbar", { name: "Loading the page" })).toBeVisible();
  release();
  await expect(page.getByRole("heading", { name: "API tokens" })).toBeVisible();
  await expect(page.getByRole("progressbar", { name: "Loading the page" })).toHaveCount(0);
  expect(account.id).toBeGreaterThan(0);
});

test("a full click-through violates no policy and asks nobody but the console", async ({ page }) => {
  const { email } = await newAccount();
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(page.url()).origin && page.url() !== "about:blank")
      foreign.push(request.url());
  });
  await page.goto("/");
  await page.getByRole("main").getByRole("link", { name: "Sign in", exact: true }).click();
  await submitSignIn(page, email);
  await page.getByRole("link", { name: "API tokens" }).click();
  await createOnPage(page, "click-through");
  await page.getByRole("button", { name: "Copy token" }).click();
  await page.getByText("Keep it out of your shell history").click();
  await finishOnPage(page);
  await page.getByRole("link", { name: /Revoke click-through/ }).click();
  await answerQuestion(page, "Revoke token");
  await expect(page.getByRole("status").filter({ hasText: "was revoked" })).toBeVisible();
  await signOut(page);
  await expect(page.getByText("You are signed out.")).toBeVisible();
  // Violations are errors in the browser's console, which the page fixture forbids.
  expect(foreign).toEqual([]);
});

test.describe("in a browser elsewhere", () => {
  test.use({ timezoneId: "America/New_York" });

  test("the browser's time zone holds until another is chosen; a colour scheme is kept", async ({ page, account }) => {
    const { id } = await newServer(account.id, { lastSeenAt: new Date() });
    await recordCheckIn(id, { sample: { cpuPct: 10 } });
    const hint = page.getByText(/Times in/);
    await page.goto(`/dashboard/servers/${id}`);
    await expect(hint).toContainText("Times in America/New York.");
    // From then on the first answer is in it.
    expect(await (await page.request.get(`/dashboard/servers/${id}`)).text()).toContain("Times in America/New York.");
    const zone = page.locator("select[name=timeZone]");
    // What is chosen before the scripts run stays chosen.
    const release = await holdRequests(page, "**/*.js");
    await page.goto(ACCOUNT_PAGE, { waitUntil: "commit" });
    await expect(zone).toHaveValue("America/New_York");
    await zone.selectOption("UTC");
    release();
    await untilTakenOver(page);
    await expect(page.getByRole("button", { name: "As this browser: America/New York" })).toBeVisible();
    await expect(zone).toHaveValue("UTC");
    await page.getByRole("button", { name: "Save time zone" }).click();
    await expect(page.getByText("Times are shown in UTC.")).toBeVisible();
    await page.goto(`/dashboard/servers/${id}`);
    await expect(hint).toContainText("Times in UTC.");
    await page.goto(ACCOUNT_PAGE);
    await page.getByRole("button", { name: "As this browser: America/New York" }).click();
    await expect(zone).toHaveValue("America/New_York");

    await page.emulateMedia({ colorScheme: "light" });
    await page.getByLabel("Dark").check();
    await expect(page.locator("html")).toHaveAttribute("data-color-scheme", "dark");
    await expect(page.locator("body")).toHaveCSS("background-color", "rgb(14, 17, 17)");
    // It is in the first bytes of a page.
    expect((await (await page.request.get("/")).text()).slice(0, 200)).toContain('data-color-scheme="dark"');
    await page.getByLabel("System").check();
    await expect(page.locator("html")).not.toHaveAttribute("data-color-scheme");
  });
});

test("the cursor of every chart shows times in the account's zone and names it", async ({ page, account }) => {
  const zone = "Pacific/Marquesas";
  await db.account.update({ where: { id: account.id }, data: { timeZone: zone } });
  const minute = Math.floor(Date.now() / MINUTE) * MINUTE;
  const { id: server } = await newServer(account.id, { createdAt: new Date(minute - DAY), lastSeenAt: new Date() });
  await recordCheckIn(server, { sample: { cpuPct: 10 } }, new Date(minute - MINUTE));
  const { id: service } = await newGameService(account.id);
  const counters = { packets: 5, bytes: 5, dropped: 5, connections: 5 };
  await recordIntervals([{ serviceId: service, ts: minute - 2 * MINUTE, ...counters, latencyMs: 8.5 }]);
  const { token } = await newNamedToken(account.id, "used");
  const hour = new Date(Math.floor(minute / HOUR) * HOUR);
  await db.tokenUseHour.create({ data: { tokenId: token.id, hour, requests: 9, limited: 2, peak: 9 } });
  const { hour: hours, minute: minutes } = wallClock(minute, zone);
  const sinceMidnight = (hours * HOUR + minutes * MINUTE) / DAY;
  for (const path of [`${serverPath(server)}?range=24h`, `${servicePath(service)}?range=24h`, tokenPath(token.id)]) {
    await page.goto(path);
    await expect(page.getByRole("main"), path).toContainText(`Times in ${zoneText(zone)}.`);
    // The line of midnight stands as far before the end of the day shown as the zone's clocks say.
    const share = Number.parseFloat((await page.locator("[data-midnight=true] line").first().getAttribute("x1")) ?? "");
    const off = (share / 100 + sinceMidnight) % 1;
    expect(Math.min(off, 1 - off), path).toBeLessThan(0.06);
    const cursors = page.getByRole("slider");
    await expect(cursors.first()).toHaveAttribute("aria-valuetext", new RegExp(`, in ${zoneText(zone)}(?:\\. |$)`));
    // The first key may come before the page listens.
    await expect(async () => {
      await cursors.first().press("End", { timeout: 5 * SECOND });
      await expect(cursors.first()).toContainText(zoneText(zone), { timeout: SECOND });
    }).toPass();
    for (const cursor of await cursors.all()) await expect(cursor, path).toContainText(zoneText(zone));
    const [, shownHour, shownMinute] =
      /, (\d\d):(\d\d)/.exec((await cursors.first().getAttribute("aria-valuetext")) ?? "") ?? [];
    const behind = (1 + sinceMidnight - (Number(shownHour) * HOUR + Number(shownMinute) * MINUTE) / DAY) % 1;
    expect(behind * DAY, `the last value of ${path}`).toBeLessThan(2 * HOUR);
  }
});

test("copy buttons of server and start page copy, and each says so", async ({ page, context, account }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const button = (what: string) => page.getByRole("button", { name: `Copy ${what}`, exact: true });
  const copied = async (what: string) => {
    await button(what).click();
    await expect(page.getByRole("status").filter({ hasText: `Copied: ${what}` })).toBeAttached();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const ip = "2001:db8:85a3::8a2e:370:7334";
  const { id } = await newServer(account.id, { hostname: "web-1.example.com", publicIp: ip, lastSeenAt: new Date() });
  await page.goto(`/dashboard/servers/${id}`);
  for (const [what, text] of [
    ["hostname", "web-1.example.com"],
    ["public ip", ip],
    ["id", String(id)],
  ] as const) {
    // What programs need stands in a menu of its own.
    if (what === "id") await page.getByRole("main").locator("summary", { hasText: "API" }).click();
    await expect(button(what).locator("svg")).toBeVisible();
    expect(await copied(what)).toBe(text);
  }
  await page.goto("/");
  for (const what of ["A first request", "In a terminal of the server"]) {
    const shown = page.getByRole("figure").filter({ hasText: what }).locator("pre");
    expect(await copied(what)).toBe(await shown.textContent());
  }
});

test("error pages have no axe violation, and Try again shows the recovered page", async ({ browser }) => {
  const database = await own(createTestDatabase());
  await insertCaller(database.url);
  const client = new pg.Client(database.url);
  atEnd(() => client.end());
  await client.connect();
  const session = await insertSession(database.url);
  await client.query("alter table access_tokens rename to elsewhere");
  const app = await own(startConsole(database.url));
  // Not the page that counts errors in the browser's console: here there must be one.
  const page = await browser.newPage();
  atEnd(() => page.close());
  await page.context().addCookies([{ name: "session", value: session, url: app.origin }]);
  expect((await page.goto(app.origin + TOKEN_PAGE))?.status()).toBe(500);
  await expect(page.getByRole("heading", { name: "Something went wrong on our side" })).toBeFocused();
  await expect(page.getByText(/^For the operator: error \w+$/)).toBeVisible();
  expect(await page.content()).not.toContain("access_tokens");
  await expectReadable(page);

  await client.query("alter table elsewhere rename to access_tokens");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "API tokens" })).toBeVisible();

  // A page that would be named after what it shows.
  await client.query("alter table servers rename to elsewhere");
  expect((await page.goto(app.origin + serverPath(1)))?.status()).toBe(500);
  await expect(page).toHaveTitle("Something went wrong · Console");

  await client.end();
  await database.stop();
  expect((await page.goto(app.origin + TOKEN_PAGE))?.status()).toBe(503);
  await expect(page.getByRole("heading", { name: "The console is unavailable right now" })).toBeVisible();
  await expectReadable(page);
  // Nobody is signed out meanwhile.
  expect(await page.context().cookies()).toMatchObject([{ name: "session", value: session }]);
});

test("a page of another origin can call the API and read the limit", async ({ page: tab }) => {
  const { token } = await newAccount();
  const page = createServer((_, response) => response.end("<!doctype html>"));
  atEnd(() => page.close());
  const port = await listen(page);
  // A browser asks before it sends a header of its own.
  await tab.context().setExtraHTTPHeaders({});
  await tab.goto(`http://127.0.0.1:${port}/`);
  const read = (path: string, authorization: string) =>
    tab.evaluate(
      async ([url, Authorization]) => {
        const response = await fetch(url as string, { headers: { Authorization: Authorization as string } });
        return {
          status: response.status,
          body: await response.text(),
          limit: response.headers.get("RateLimit"),
          remaining: response.headers.get("X-RateLimit-Remaining"),
          type: response.headers.get("Content-Type"),
          id: response.headers.get("X-Request-Id"),
        };
      },
      [sharedOrigin() + path, authorization],
    );
  const success = await read("/api/v1/me", `Bearer ${token}`);
  const left = String(API_REQUESTS.limit - 1);
  expect(success).toMatchObject({ status: 200, limit: `"default";r=${left};t=60`, remaining: left });
  expect(success.id).toMatch(/^[0-9a-f-]{36}$/);
  expect(await read("/api/v1/nope", `Bearer ${token}`)).toMatchObject({
    status: 404,
    remaining: String(API_REQUESTS.limit - 2),
  });
  expect(await read("/api/v1/me", "Bearer nonsense")).toMatchObject({ status: 401, limit: null });
  const scrape = await read("/metrics", `Bearer ${token}`);
  expect(scrape).toMatchObject({ status: 200, type: "text/plain; version=0.0.4; charset=utf-8", remaining: "117" });
  expect(await read("/metrics", "Bearer nonsense")).toMatchObject({
    status: 401,
    body: expect.stringMatching(/^Malformed/),
  });
});

import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newNamedToken } from "@/e2e/support/factories";
import { sharedOrigin } from "@/e2e/support/fixtures";
import { createOnPage, expect, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { ENDPOINTS } from "@/lib/api/contract";
import type { OpenApiDocument } from "@/lib/api/openapi";
import { API_REFERENCE } from "@/lib/page-paths";

test("the reference is complete without JavaScript and without an account: endpoints, fields, errors, curves, anchors", async ({
  browser,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: sharedOrigin() });
  const page = await context.newPage();
  await page.goto(API_REFERENCE);
  const described = (await (await fetch(`${sharedOrigin()}/openapi.json`)).json()) as OpenApiDocument;
  for (const [path, { get }] of Object.entries(described.paths)) {
    const section = page.getByRole("article", { name: `GET ${path}`, exact: true });
    await expect(section.locator("pre").first()).toContainText(`curl -sS "${sharedOrigin()}/api/v1/`);
    await expect(section).toContainText(get.summary);
  }
  const shown = await page.locator("dt code").allTextContents();
  const last = new Set(shown.map((name) => name.split(".").at(-1)?.replace("[]", "")));
  for (const [name, schema] of Object.entries(described.components.schemas)) {
    if (name === "Failure") continue;
    for (const field of Object.keys(schema.properties ?? {})) expect(last, `${name}.${field}`).toContain(field);
  }
  for (const status of ["400", "401", "404", "405", "429", "431", "500", "503"]) expect(shown).toContain(status);
  for (const header of Object.keys(described.components.headers)) expect(shown).toContain(header);
  await expect(page.getByRole("img")).toHaveCount(11);
  await expect(page.getByRole("main")).toContainText("load 1.5 per core: −100");
  // Each heading has a URL, and each link within the page leads to one.
  const targets = await page
    .locator("main a[href^='#']")
    .evaluateAll((links) => links.map((link) => document.querySelectorAll(link.getAttribute("href") ?? "").length));
  expect(targets.length).toBeGreaterThan(15);
  expect(new Set(targets)).toEqual(new Set([1]));
  await context.close();
});

test("the worked example recomputes the score of the example from its components", async ({ page }) => {
  await page.goto(API_REFERENCE);
  const rows = await page
    .locator("#worked-example ~ table tbody tr")
    .evaluateAll((lines) =>
      lines.map((line) => [...line.querySelectorAll("td")].map((cell) => Number(cell.textContent))),
    );
  expect(rows).toHaveLength(6);
  const sum = rows.reduce((total, [points = 0, weight = 0]) => total + points * weight, 0);
  expect(rows.map(([points = 0, weight = 0]) => points * weight)).toEqual(rows.map(([, , product]) => product));
  await expect(page.locator("tfoot td")).toHaveText([String(sum), String(Math.round(sum / 100))]);
  const answer = page
    .getByRole("article", { name: "GET /api/v1/servers/{id}", exact: true })
    .locator("details pre")
    .last();
  expect(JSON.parse((await answer.textContent()) ?? "").data.score).toBe(Math.round(sum / 100));
});

test("the reference has no accessibility violation and fits every screen", async ({ page }) => {
  test.slow();
  await page.goto(API_REFERENCE);
  for (const details of await page.locator("details").all())
    await details.evaluate((node) => node.setAttribute("open", ""));
  await expectAccessible(page);
  await expectToFit(page);
});

test("one finds the reference from the start page, from the token page, and beside a new token", async ({
  page,
  account,
}) => {
  expect(account.id).toBeGreaterThan(0);
  for (const path of ["/", TOKEN_PAGE]) {
    await page.goto(path);
    await page.getByRole("main").getByRole("link", { name: "API reference" }).first().click();
    await expect(page).toHaveURL(API_REFERENCE);
    await expect(page.getByRole("heading", { level: 1, name: "API reference" })).toBeVisible();
  }
  await page.goto(TOKEN_PAGE);
  await createOnPage(page, "new");
  const links = page.getByRole("main").getByRole("link", { name: "API reference" });
  await expect(links.first()).toHaveAttribute("href", API_REFERENCE);
});

test("the reference begins where the header and every other page begin, with its contents beside it on a wide screen", async ({
  page,
}) => {
  await page.goto("/docs/api");
  for (const width of [375, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const left = (name: string) =>
      page
        .locator(name)
        .first()
        .evaluate((part) => part.getBoundingClientRect().left);
    const header = await left("header a");
    for (const part of ["main h1", "main nav"]) expect(await left(part), `${part} at ${width}`).toBeCloseTo(header, 0);
    expect((await left("main section")) > header + 100, `beside the contents at ${width}`).toBe(width > 1200);
  }
});

test("the contents lead to every endpoint, a search finds parts without a request, and none of it is there without JavaScript", async ({
  page,
  browser,
}) => {
  await page.goto("/docs/api");
  const contents = page.getByRole("navigation", { name: "On this page" });
  const paths = ENDPOINTS.map(([path]) => path.replace("/api/v1", "").replace(/:(\w+)/g, "{$1}"));
  for (const path of paths) await expect(contents.getByRole("link", { name: path, exact: true })).toHaveCount(1);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await contents.getByLabel("Find on this page").fill("oom_kills swap");
  await expect(contents.getByRole("status")).toHaveText(/^Found: (\d) of \1$/);
  await contents.locator("search").getByRole("link").first().click();
  await expect(page).toHaveURL(/#\w/);
  await contents.getByLabel("Find on this page").fill("no such words anywhere");
  await expect(contents.getByRole("status")).toHaveText("Nothing found.");
  expect(asked).toEqual([]);
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.goto(`${sharedOrigin()}/docs/api`);
  await expect(still.getByRole("link", { name: paths[0] ?? "", exact: true })).toBeVisible();
  await expect(still.getByLabel("Find on this page")).toBeHidden();
  // Beside each endpoint's example, and a scrape.
  await expect(still.getByText("Run", { exact: true })).toHaveCount(ENDPOINTS.length + 1);
  for (const run of await still.getByText("Run", { exact: true }).all()) await expect(run).toBeHidden();
  await plain.close();
});

test("an example runs with a token that is typed in: it is in that request's header and nowhere else, without cookies, and the answer is shown", async ({
  page,
  account,
}) => {
  const { raw } = await newNamedToken(account.id, "typed in");
  await page.goto("/docs/api");
  const example = page
    .getByRole("article")
    .filter({ has: page.locator("#getAccount") })
    .first();
  const run = example.locator("details").filter({ hasText: "A token, for this request only" });
  await run.getByText("Run", { exact: true }).click();
  const field = run.getByLabel("A token, for this request only");
  expect(await field.getAttribute("name")).toBeNull();
  await field.fill(raw);
  const sent = page.waitForRequest("**/api/v1/me");
  await run.getByRole("button", { name: "Run getAccount" }).click();
  const headers = await (await sent).allHeaders();
  expect(headers.authorization).toBe(`Bearer ${raw}`);
  expect(headers.cookie).toBeUndefined();
  await expect(run.getByRole("status")).toHaveText("200 OK");
  await expect(run.locator("pre")).toContainText(`"id": ${account.id}`);
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  expect(kept + page.url()).not.toContain(raw.slice(5));
  await field.fill("cpat_wrong");
  await run.getByRole("button", { name: "Run getAccount" }).click();
  await expect(run.getByRole("status")).toHaveText("401 Unauthorized");
  // A double tap asks once, and what was typed is gone once one has left.
  let asked = 0;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/v1/me", async (route) => {
    asked++;
    await held;
    await route.continue();
  });
  await run.getByRole("button", { name: "Run getAccount" }).dblclick();
  await expect(run.getByRole("status")).toHaveText("Asking…");
  release();
  await expect(run.getByRole("status")).toHaveText("401 Unauthorized");
  expect(asked).toBe(1);
  await page.goto("/changelog");
  await page.goBack();
  await expect(field).toHaveValue("");
});

test("on a phone sections are folded until somebody opens one or follows a link into it, and whole without JavaScript", async ({
  page,
  browser,
}) => {
  const phone = { width: 390, height: 844 };
  await page.setViewportSize(phone);
  await page.goto("/docs/api");
  const errors = page.getByRole("region", { name: "Errors" });
  await expect(errors.getByText("They are checked in this order")).toBeHidden();
  await errors.getByRole("button", { name: "Show Errors" }).click();
  await expect(errors.getByText("They are checked in this order")).toBeVisible();
  await errors.getByRole("button", { name: "Hide Errors" }).click();
  await expect(errors.getByText("They are checked in this order")).toBeHidden();
  await page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "/me", exact: true }).click();
  await expect(page.getByRole("region", { name: "Endpoints" }).getByRole("article").first()).toBeInViewport();
  const plain = await browser.newContext({ javaScriptEnabled: false, viewport: phone });
  const still = await plain.newPage();
  await still.goto(`${sharedOrigin()}/docs/api`);
  await expect(still.getByText("They are checked in this order")).toBeVisible();
  await expect(still.getByRole("button", { name: "Show Errors" })).toHaveCount(0);
  await plain.close();
});

test("every file that the reference names is there to download, the Grafana dashboard among them, and the recipes link no folder", async ({
  page,
}) => {
  await page.goto("/docs/api");
  const dashboard = page.getByRole("link", { name: "/recipes/grafana/dashboard.json" });
  // The browser stores it instead of showing it.
  await expect(dashboard).toHaveAttribute("download");
  const answer = await page.request.get((await dashboard.getAttribute("href")) ?? "");
  expect(answer.status()).toBe(200);
  expect(await answer.json()).toHaveProperty("panels");
  const recipes = await (await page.request.get("/recipes/README.md")).text();
  const links = [...recipes.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link ?? "");
  expect(links.length).toBeGreaterThan(6);
  for (const link of links) expect((await page.request.get(`/recipes/${link}`)).status(), link).toBe(200);
});

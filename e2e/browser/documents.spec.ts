import { newNamedToken } from "@/e2e/support/factories";
import { sharedOrigin } from "@/e2e/support/fixtures";
import { expect, test } from "@/e2e/support/pages";
import { ENDPOINTS } from "@/lib/api/contract";

test("the contents link every endpoint, and their search works without a request", async ({ page, browser }) => {
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

test("an example sends the typed token in its own request header and nowhere else", async ({ page, account }) => {
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

test("on a phone sections stay folded until opened by hand or by a link", async ({ page, browser }) => {
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

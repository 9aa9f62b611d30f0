import { newNamedToken } from "@/e2e/support/factories";
import { expect, holdRequests, test } from "@/e2e/support/pages";

test("the search of the contents finds words of the page without a request", async ({ page }) => {
  await page.goto("/docs/api");
  const contents = page.getByRole("navigation", { name: "On this page" });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await contents.getByLabel("Find on this page").fill("oom_kills swap");
  await expect(contents.getByRole("status")).toHaveText(/^Found: (\d) of \1$/);
  await contents.locator("search").getByRole("link").first().click();
  await expect(page).toHaveURL(/#\w/);
  await contents.getByLabel("Find on this page").fill("no such words anywhere");
  await expect(contents.getByRole("status")).toHaveText("Nothing found.");
  expect(asked).toEqual([]);
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
  page.on("request", (request) => request.url().endsWith("/api/v1/me") && asked++);
  const release = await holdRequests(page, "**/api/v1/me");
  await run.getByRole("button", { name: "Run getAccount" }).dblclick();
  await expect(run.getByRole("status")).toHaveText("Asking…");
  release();
  await expect(run.getByRole("status")).toHaveText("401 Unauthorized");
  expect(asked).toBe(1);
  await page.goto("/changelog");
  await page.goBack();
  await expect(field).toHaveValue("");
});

test("on a phone sections stay folded until opened by hand or by a link", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/docs/api");
  const errors = page.getByRole("region", { name: "Errors" });
  await expect(errors.getByText("They are checked in this order")).toBeHidden();
  await errors.getByRole("button", { name: "Show Errors" }).click();
  await expect(errors.getByText("They are checked in this order")).toBeVisible();
  await errors.getByRole("button", { name: "Hide Errors" }).click();
  await expect(errors.getByText("They are checked in this order")).toBeHidden();
  await page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "/me", exact: true }).click();
  await expect(page.getByRole("region", { name: "Endpoints" }).getByRole("article").first()).toBeInViewport();
});

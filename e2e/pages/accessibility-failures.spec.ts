import { randomBytes } from "node:crypto";
import pg from "pg";
import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { startConsole } from "@/e2e/support/console-server";
import { expect, sharedOrigin } from "@/e2e/support/fixtures";
import { insertCaller } from "@/e2e/support/insert-caller";
import { TOKEN_PAGE, test } from "@/e2e/support/pages";
import { createTestDatabase } from "@/e2e/support/test-database";
import { hashToken } from "@/lib/tokens/format";

// The pages for when something went wrong are pages like the others: WCAG 2.2 AA, in both colour schemes.

test("a form from elsewhere: the 403 page says so, without an axe violation", async ({ page }) => {
  const signIn = await (await fetch(`${sharedOrigin()}/sign-in`)).text();
  const fields = signIn.match(/<input type="hidden"[^>]*>/g) ?? [];
  await page.setContent(
    `<form method="post" enctype="multipart/form-data" action="${sharedOrigin()}/sign-in">${fields.join("")}<button>Send</button></form>`,
  );
  const answered = page.waitForResponse(`${sharedOrigin()}/sign-in`);
  await page.getByRole("button").click();
  expect((await answered).status()).toBe(403);
  await expect(page.getByRole("heading", { name: "This form was not sent by the console" })).toBeVisible();
  await expectToFit(page);
  await expectAccessible(page);
});

test("no database: the 503 page says so, without an axe violation", async ({ page }) => {
  const app = await startConsole("postgresql://postgres@127.0.0.1:1/none");
  try {
    expect((await page.goto(app.origin + TOKEN_PAGE))?.status()).toBe(503);
    await expect(page.getByRole("heading", { name: "The console is unavailable right now" })).toBeVisible();
    await expectToFit(page);
    await expectAccessible(page);
  } finally {
    await app.stop();
  }
});

test("a fault: the error page says so without an axe violation, and Try again shows the page once it works", async ({
  browser,
}) => {
  const database = await createTestDatabase();
  await insertCaller(database.url);
  const client = new pg.Client(database.url);
  await client.connect();
  const session = randomBytes(32).toString("base64url");
  await client.query(
    "insert into sessions (token_hash, account_id, expires_at) select $1, id, now() + interval '1 day' from accounts",
    [hashToken(session)],
  );
  await client.query("alter table access_tokens rename to elsewhere");
  const app = await startConsole(database.url);
  // Not the page that counts errors in the browser's console: here there must be one.
  const page = await browser.newPage();
  try {
    await page.context().addCookies([{ name: "session", value: session, url: app.origin }]);
    expect((await page.goto(app.origin + TOKEN_PAGE))?.status()).toBe(500);
    await expect(page.getByRole("heading", { name: "Something went wrong on our side" })).toBeFocused();
    await expect(page.getByText(/^For the operator: error \w+$/)).toBeVisible();
    expect(await page.content()).not.toContain("access_tokens");
    await expectToFit(page);
    await expectAccessible(page);

    await client.query("alter table elsewhere rename to access_tokens");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("heading", { name: "API tokens" })).toBeVisible();
  } finally {
    await page.close();
    await app.stop();
    await client.end();
    await database.stop();
  }
});

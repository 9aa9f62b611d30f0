import { load } from "cheerio";
import type { Page, Route } from "playwright/test";
import { newAccount, newNamedToken, putEvents } from "@/e2e/support/factories";
import { call } from "@/e2e/support/fixtures";
import { fieldsOfForm } from "@/e2e/support/html-form";
import { answerQuestion, createOnPage, expect, signOut, submitSignIn, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { NOTICE_PAGE } from "@/lib/page-paths";

// A network failure must not lose the token that is shown once, nor typed input.

const NO_ANSWER = "No answer came from the console.";
const isPost = (page: Page) => page.waitForRequest((request) => request.method() === "POST");

/** Gives the page's next form submission this answer. */
async function answerNextPost(page: Page, answer: (route: Route) => Promise<void>): Promise<void> {
  let isOver = false;
  await page.route("**/*", (route) => {
    if (isOver || route.request().method() !== "POST") return route.fallback();
    isOver = true;
    return answer(route);
  });
}

/** Fails the page's next form submission. `arrives` says whether the console still receives it. */
const failNextPost = (page: Page, how: "reset" | "502", arrives = false) =>
  answerNextPost(page, async (route) => {
    if (arrives) await route.fetch();
    await (how === "reset" ? route.abort("connectionreset") : route.fulfill({ status: 502, body: "Bad gateway" }));
  });

/** What the console itself answers, if these headers come with the form. */
const asRefused = (headers: Record<string, string>) => async (route: Route) => {
  const response = await route.fetch({ headers: { ...route.request().headers(), ...headers } });
  await route.fulfill({ response });
};

const NGINX =
  "<html><head><title>413 Request Entity Too Large</title></head><body><center><h1>413 Request Entity Too Large</h1></center><hr><center>nginx</center></body></html>";

test("a refused form shows its reason with JavaScript as without, and keeps typed input", async ({ page, account }) => {
  expect(account.email).toContain("@");
  await page.goto(TOKEN_PAGE);
  await page.getByLabel("Name").fill("typed with care");
  const elsewhere = { origin: "http://192.0.2.5:3000" };
  const fields = fieldsOfForm(await page.content(), "Create token");
  const plain = await page.request.post(TOKEN_PAGE, { headers: elsewhere, multipart: Object.fromEntries(fields) });
  expect(plain.status()).toBe(403);
  const words = load(await plain.text());
  words("main a").remove();
  const said = words("main h1, main p")
    .toArray()
    .map((one) => words(one).text().trim())
    .filter(Boolean);
  expect(said.join()).toContain("BASE_URL=http://192.0.2.5:3000");
  const cases: [(route: Route) => Promise<void>, string[]][] = [
    [asRefused(elsewhere), said],
    [(route) => route.fulfill({ status: 403, json: { error: "Denied by the gateway." } }), ["Denied by the gateway."]],
    [
      (route) => route.fulfill({ status: 413, contentType: "text/html", body: NGINX }),
      ["413 Request Entity Too Large", "nginx"],
    ],
    [
      (route) => route.fulfill({ status: 504, contentType: "text/html", body: "<h1>504 Gateway Time-out</h1>" }),
      ["504 Gateway Time-out", "sending it again is safe"],
    ],
    [(route) => route.fulfill({ status: 418 }), ["The form was refused without a reason.", "status 418"]],
  ];
  for (const [answer, texts] of cases) {
    await answerNextPost(page, answer);
    await page.getByRole("button", { name: "Create token" }).click();
    const notice = page.getByRole("alert").filter({ hasText: texts[0] ?? "" });
    for (const text of texts) await expect(notice).toContainText(text);
    await expect(notice).not.toContainText("No answer");
    await expect(notice).toBeFocused();
    await expect(page.getByLabel("Name")).toHaveValue("typed with care");
    await page.unrouteAll();
  }
});

test("a refused channel keeps its typed input, and its secret is shown once", async ({ page, account }) => {
  await page.goto(NOTICE_PAGE);
  await page.locator("summary", { hasText: /^Webhook$/ }).click();
  const form = page.locator("details[open] form");
  const [target, name] = [form.locator("[name=target]"), form.locator("[name=name]")];
  await target.fill("https://example.com:25/secret");
  await name.fill("Robot");
  await form.getByRole("button").click();
  await expect(page.getByText("The port of a URL is 80, 443, or 1024 and up.")).toBeVisible();
  await expect(target).toHaveValue("https://example.com:25/secret");
  await expect(name).toHaveValue("Robot");
  await target.fill("https://example.com/secret");
  await form.getByRole("button").click();
  const secret = page.locator("figure", { hasText: "Secret of the webhook" }).locator("code");
  await expect(secret).toHaveText(/^whsec_/);
  const shown = String(await secret.textContent());
  await page.goto(NOTICE_PAGE);
  expect(await page.content()).not.toContain(shown);
  expect(await db.noticeChannel.count({ where: { accountId: account.id, name: "Robot" } })).toBe(1);
});

test("an outdated form offers a reload that keeps typed and chosen values", async ({ page, account }) => {
  await page.goto(TOKEN_PAGE);
  await page.getByLabel("Name").fill("before the update");
  await page.getByLabel("Expires").selectOption("30");
  await answerNextPost(page, asRefused({ "next-action": "0".repeat(40) }));
  await page.getByRole("button", { name: "Create token" }).click();
  const notice = page.getByRole("alert").filter({ hasText: "The console was updated." });
  await expect(notice).toContainText("The form is of the version before, so nothing was done.");
  await expect(page.getByLabel("Name")).toHaveValue("before the update");
  await page.unrouteAll();
  const loaded = page.waitForEvent("load");
  await notice.getByRole("button", { name: "Load the page anew" }).click();
  await loaded;
  await expect(page.getByLabel("Name")).toHaveValue("before the update");
  await expect(page.getByLabel("Expires")).toHaveValue("30");
  expect(await page.evaluate(() => sessionStorage.getItem("typed-text"))).toBeNull();
  await page.getByRole("button", { name: "Create token" }).click();
  await expect(page.getByLabel("Token", { exact: true })).toBeVisible();
  expect(await db.accessToken.count({ where: { accountId: account.id, name: "before the update" } })).toBe(1);
});

test("a new token stays shown and its first request is noticed despite failed polls", async ({ page, account }) => {
  await page.goto(TOKEN_PAGE);
  const raw = await createOnPage(page, "fragile");
  let requests = 0;
  await page.route("**/first-use?*", async (route) => {
    requests += 1;
    if (requests === 1) await route.abort("internetdisconnected");
    else if (requests === 2)
      await route.fulfill({ status: 503, contentType: "text/html", body: "<h1>Unavailable</h1>" });
    else await route.fallback();
  });
  await expect(page.getByText("Waiting for the first request").first()).toBeVisible();
  await expect(page.getByText("The console does not answer at the moment")).toBeVisible();
  await call("/api/v1/me", raw, { headers: { "X-Forwarded-For": "198.51.100.42" } });
  const status = page.getByRole("status").filter({ hasText: "First request received" });
  await expect(status).toContainText("from 198.51.100.42");
  const { firstUsedIp } = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } });
  expect(firstUsedIp).toBe("198.51.100.42");
  // The list below says the same.
  await expect(page.getByRole("row", { name: /fragile/ })).toContainText("First request received");
  expect(requests).toBeGreaterThan(2);
  await expect(page.getByLabel("Token", { exact: true })).toHaveValue(raw);
  await expect(page.getByRole("banner")).toContainText(account.email);
});

test("without an answer the token form stays filled, and a retry creates one token", async ({ page, account }) => {
  const created = page.getByLabel("Token", { exact: true });
  for (const [index, [how, arrives, shown]] of (
    [
      ["reset", false, created],
      ["502", false, created],
      ["reset", true, page.getByRole("heading", { name: "This token was already created" })],
    ] as const
  ).entries()) {
    await page.goto(TOKEN_PAGE);
    await failNextPost(page, how, arrives);
    await page.getByLabel("Name").fill("typed with care");
    await page.getByLabel("Expires").selectOption("30");
    await page.getByRole("button", { name: "Create token" }).click();
    const notice = page.getByRole("alert").filter({ hasText: NO_ANSWER });
    await expect(notice).toContainText("sending it again is safe");
    await expect(notice).toBeFocused();
    await expect(page.getByLabel("Name")).toHaveValue("typed with care");
    await expect(page.getByLabel("Expires")).toHaveValue("30");
    await page.getByRole("button", { name: "Create token" }).click();
    await expect(shown).toBeVisible();
    expect(await db.accessToken.count({ where: { accountId: account.id } }), how).toBe(1 + index);
    await page.unrouteAll();
  }
});

test("a connection that fails while revoking: the question stays, and sending it again revokes", async ({
  page,
  account,
}) => {
  const { token } = await newNamedToken(account.id, "stubborn");
  await page.goto(TOKEN_PAGE);
  await failNextPost(page, "reset");
  await page.getByRole("link", { name: /Revoke stubborn/ }).click();
  await answerQuestion(page, "Revoke token");
  await expect(page.getByRole("dialog")).toContainText(NO_ANSWER);
  await answerQuestion(page, "Revoke token");
  await expect(page.getByRole("status").filter({ hasText: "was revoked" })).toBeFocused();
  expect((await db.accessToken.findUniqueOrThrow({ where: { id: token.id } })).revokedAt).not.toBeNull();
});

test("confirming a network survives a failed connection and works on retry", async ({ page, account }) => {
  const noAnswer = page.getByRole("alert").filter({ hasText: "No answer came: try again." });
  const { token } = await newNamedToken(account.id, "moved");
  const event = { kind: "new_network", startedAt: new Date(), facts: { network: "198.51.100.5" } };
  await putEvents(["token", token.id], event);
  await page.goto(TOKEN_PAGE);
  const raw = await createOnPage(page, "new");
  await failNextPost(page, "reset");
  const confirm = page.getByRole("button", { name: "This was us moved" });
  await confirm.click();
  await expect(noAnswer).toBeVisible();
  await expect(page.getByLabel("Token", { exact: true })).toHaveValue(raw);
  await confirm.click();
  await expect(confirm).toHaveCount(0);
});

test("signing in or out after a failed connection works on the next attempt", async ({ page }) => {
  const { email } = await newAccount();
  await page.goto("/sign-in");
  await expect(page.getByLabel("E-mail")).toBeFocused();
  await failNextPost(page, "reset");
  const sent = isPost(page);
  await submitSignIn(page, email);
  await sent;
  await expect(page.getByRole("alert").filter({ hasText: NO_ANSWER })).toBeVisible();
  await expect(page.getByLabel("E-mail")).toHaveValue(email);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/dashboard");
  await expect(page.getByRole("banner")).toContainText(email);

  await failNextPost(page, "502");
  await signOut(page);
  await expect(page.getByText("No answer came: you may still be signed in. Try again.")).toBeVisible();
  await signOut(page);
  await expect(page.getByText("You are signed out.")).toBeVisible();
});

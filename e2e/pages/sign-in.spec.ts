import { randomBytes } from "node:crypto";
import { newAccount, PASSWORD, unique } from "@/e2e/support/factories";
import { fieldsOfForm } from "@/e2e/support/html-form";
import {
  expect,
  fieldsOf,
  newIp,
  sendFields,
  signOut,
  submitSignIn,
  TOKEN_PAGE,
  test,
  withAndWithoutJavaScript,
} from "@/e2e/support/pages";
import { setAccountDisabled } from "@/lib/accounts/accounts";
import { db } from "@/lib/database/client";
import { DAY } from "@/lib/format/time";
import { hashToken } from "@/lib/tokens/format";

const REFUSED = "Wrong e-mail or password.";

withAndWithoutJavaScript(() => {
  test("e-mail and password lead to the servers, sign-out leads away and ends the session", async ({
    page,
    context,
  }) => {
    const { email, id } = await newAccount();
    await page.goto("/sign-in");
    await submitSignIn(page, email);
    await expect(page).toHaveURL("/dashboard");
    await expect(page.getByText(email).first()).toBeVisible();
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: "session", httpOnly: true, sameSite: "Lax", path: "/", secure: false });

    await signOut(page);
    await expect(page.getByText("You are signed out.")).toBeVisible();
    expect(await db.session.count({ where: { accountId: id, expiresAt: { gt: new Date() } } })).toBe(0);
    await context.addCookies([{ ...(cookie as NonNullable<typeof cookie>), expires: -1 }]);
    await page.goto(TOKEN_PAGE);
    await expect(page).toHaveURL(/\/sign-in/);
  });

  test("an unknown e-mail, a wrong password and a disabled account get the same page; the e-mail stays, the password goes", async ({
    page,
  }) => {
    const { email } = await newAccount();
    const disabled = await newAccount();
    await setAccountDisabled(disabled.email, true);
    for (const [typed, password] of [
      ["nobody@example.com", PASSWORD],
      [email, "wrong password"],
      [disabled.email, PASSWORD],
    ] as const) {
      await page.goto("/sign-in");
      const answered = page.waitForResponse((response) => response.request().method() === "POST");
      await submitSignIn(page, typed, password);
      expect((await answered).status()).toBe(200);
      await expect(page.getByRole("alert").filter({ hasText: REFUSED })).toBeVisible();
      await expect(page.getByLabel("E-mail")).toHaveValue(typed);
      await expect(page.getByLabel("Password")).toHaveValue("");
      await expect(page).toHaveURL(/\/sign-in$/);
    }
  });

  test("after sign-in one lands on the page one asked for", async ({ page }) => {
    const { email } = await newAccount();
    await page.goto(`${TOKEN_PAGE}?revoke=all`);
    await expect(page).toHaveURL(/\/sign-in\?next=/);
    await submitSignIn(page, email);
    await expect(page).toHaveURL(`${TOKEN_PAGE}?revoke=all`);
  });

  test("too many attempts are told how long to wait, whether the account exists or not", async ({
    page,
    baseURL: origin = "",
  }) => {
    for (const email of [(await newAccount()).email, "nobody-at-all@example.com"]) {
      const from = { "X-Forwarded-For": newIp() };
      const fields = fieldsOfForm(await (await fetch(`${origin}/sign-in`, { headers: from })).text(), "Sign in");
      const typed = { email, password: "wrong password" };
      for (let attempt = 0; attempt < 10; attempt++) {
        const answer = await sendFields(`${origin}/sign-in`, fields, { ...from, Origin: origin }, typed);
        expect(await answer.text()).toContain(REFUSED);
      }
      await page.setExtraHTTPHeaders(from);
      await page.goto("/sign-in");
      await submitSignIn(page, email, typed.password);
      await expect(
        page.getByRole("alert").filter({ hasText: /^Too many attempts\. Try again in [1-5] minutes?\.$/ }),
      ).toBeVisible();
    }
  });
});

test("whatever next says, a sign-in leads nowhere but into the console", async ({ page, context, baseURL }) => {
  const { email } = await newAccount();
  for (const next of [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example",
    "/.//evil.example",
    "javascript:alert(1)",
    "%2F%2Fevil.example",
    "\t//evil.example",
  ]) {
    await context.clearCookies();
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await submitSignIn(page, email);
    await page.waitForURL((url) => url.pathname !== "/sign-in");
    expect(new URL(page.url()).origin, next).toBe(new URL(baseURL ?? "").origin);
  }
});

test("a stranger's attempts from many places do not keep out the owner where the owner has signed in, nor show that there is one", {
  tag: "@waits",
}, async ({ page, browser }) => {
  // Some thirty passwords of nobody cost a fifth of a second each.
  const { email } = await newAccount();
  const home = newIp();
  await page.setExtraHTTPHeaders({ "X-Forwarded-For": home });
  await page.goto("/sign-in");
  await submitSignIn(page, email);
  await expect(page).toHaveURL("/dashboard");

  const { origin } = new URL(page.url());
  const signedOut = await browser.newPage({ javaScriptEnabled: false });
  await signedOut.goto(`${origin}/sign-in`);
  const fields = await fieldsOf(signedOut);
  await signedOut.close();
  const guess = async (typed: string, from = newIp()) => {
    const headers = { Origin: origin, "X-Forwarded-For": from };
    const answer = await sendFields(`${origin}/sign-in`, fields, headers, { email: typed, password: "wrong password" });
    return /Too many attempts\.|Wrong e-mail or password\./.exec(await answer.text())?.[0];
  };
  const nobody = `${unique("nobody")}@example.com`;
  for (let attempt = 0; attempt < 30; attempt++) await Promise.all([guess(email), guess(nobody)]);
  // From the owner's own network too: the answer must not tell that somebody has signed in from there.
  for (const typed of [email, nobody]) {
    expect([await guess(typed), await guess(typed, home)]).toEqual(["Too many attempts.", "Too many attempts."]);
  }

  const owner = await browser.newPage({
    baseURL: origin,
    extraHTTPHeaders: { "X-Forwarded-For": home },
  });
  await owner.goto("/sign-in");
  await submitSignIn(owner, email);
  await expect(owner).toHaveURL("/dashboard");
  await owner.close();
});

test("whoever guesses at many accounts from one place is told to wait, and others are judged meanwhile", async ({
  browser,
  baseURL: origin = "",
}) => {
  // With hashes that take no time.
  const emails = Array.from({ length: 31 }, () => `${unique("guessed")}@example.com`);
  await db.account.createMany({
    data: emails.map((email) => ({ email, name: "Guessed", passwordHash: "scrypt$2$1$1$AAAA$AAAA" })),
  });
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${origin}/sign-in`);
  const fields = await fieldsOf(page);
  await page.close();
  const here = newIp();
  const guess = async (email = "", from = here) => {
    const headers = { Origin: origin, "X-Forwarded-For": from };
    const answer = await sendFields(`${origin}/sign-in`, fields, headers, { email, password: "wrong password" });
    return /Too many attempts\. Try again in [1-5] minutes?\.|Wrong e-mail or password\./.exec(
      await answer.text(),
    )?.[0];
  };
  for (const email of emails.slice(1)) expect(await guess(email)).toBe("Wrong e-mail or password.");
  expect(await guess(emails[0])).toMatch(/^Too many attempts/);
  expect(await guess(emails[0], newIp())).toBe("Wrong e-mail or password.");
});

test("a disabled account is out at its next request, in every browser", async ({ page, account }) => {
  await page.goto(TOKEN_PAGE);
  await expect(page.getByRole("heading", { name: "API tokens" })).toBeVisible();
  await db.account.update({ where: { id: account.id }, data: { disabledAt: new Date() } });
  await page.reload();
  await expect(page).toHaveURL(/\/sign-in/);
});

test("a session slides: used, it lasts another 30 days; unused for 30 days, it is over", async ({ page, account }) => {
  const inDays = (days: number) => new Date(Date.now() + days * DAY);
  await db.session.updateMany({ where: { accountId: account.id }, data: { expiresAt: inDays(5) } });
  await page.goto(TOKEN_PAGE);
  await expect
    .poll(async () => (await db.session.findFirstOrThrow({ where: { accountId: account.id } })).expiresAt.getTime())
    .toBeGreaterThan(inDays(29.9).getTime());
  await db.session.updateMany({ where: { accountId: account.id }, data: { expiresAt: new Date(Date.now() - 1) } });
  await page.reload();
  await expect(page).toHaveURL(/\/sign-in/);
});

test("each sign-in has a session token of its own, and only its hash is stored", async ({ page, context }) => {
  const { email, id } = await newAccount();
  const seen = new Set<string>();
  for (let round = 0; round < 2; round++) {
    await context.clearCookies();
    await page.goto("/sign-in");
    await submitSignIn(page, email);
    await expect(page).toHaveURL("/dashboard");
    const value = (await context.cookies())[0]?.value ?? "";
    expect(value.length).toBeGreaterThanOrEqual(43);
    seen.add(value);
  }
  expect(seen.size).toBe(2);
  const rows = await db.session.findMany({ where: { accountId: id }, omit: { tokenHash: false } });
  for (const value of seen) expect(JSON.stringify(rows)).not.toContain(value);
});

test("sign-out lasts, however its session is being extended at that moment", async ({ page, account }) => {
  await page.goto(TOKEN_PAGE);
  const fields = await fieldsOf(page, "form:has(button:text('Sign out'))");
  const { origin } = new URL(page.url());
  const tokens = Array.from({ length: 40 }, () => randomBytes(32).toString("base64url"));
  // Old enough that every use extends it.
  const expiresAt = new Date(Date.now() + 5 * DAY);
  await db.session.createMany({
    data: tokens.map((token) => ({ tokenHash: hashToken(token), accountId: account.id, expiresAt })),
  });
  for (const token of tokens) {
    const headers = { Cookie: `session=${token}`, Origin: origin };
    const use = () => fetch(`${origin}${TOKEN_PAGE}`, { headers, redirect: "manual" });
    const [signedOut] = await Promise.all([sendFields(page.url(), fields, headers), use(), use()]);
    expect(signedOut.status).toBe(303);
  }
  const alive = { tokenHash: { in: tokens.map(hashToken) }, expiresAt: { gt: new Date() } };
  const left = await db.session.findMany({ where: alive });
  expect(left.map(({ expiresAt }) => expiresAt)).toEqual([]);
});

import { expect, test } from "vitest";
import { newAccount, newSession, PASSWORD, unique } from "@/e2e/support/factories";
import { fieldsOfForm, sendFields } from "@/e2e/support/html-form";
import { origin } from "@/e2e/support/over-http";
import { newVisitor, signIn } from "@/e2e/support/site";
import { Visitor } from "@/e2e/support/visitor";
import { setAccountDisabled } from "@/lib/accounts/accounts";
import { db } from "@/lib/database/client";
import { DAY } from "@/lib/format/time";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { hashToken } from "@/lib/tokens/format";

const REFUSED = "Wrong e-mail or password.";

test("e-mail and password lead to the servers, sign-out leads away and ends the session", async () => {
  const { email, id } = await newAccount();
  const page = new Visitor(origin);
  await page.goto("/sign-in");
  await signIn(page, email.toUpperCase());
  expect(page.path).toBe("/dashboard");
  expect(page.text).toContain(email);
  expect(page.setCookies.join()).toMatch(/^session=[\w-]{43}; Path=\/; .*HttpOnly; SameSite=lax/);
  expect(page.setCookies.join()).not.toContain("Secure");
  const session = page.cookies.get("session") ?? "";
  expect(await db.session.findFirst({ where: { accountId: id } })).toMatchObject({ ip: page.forwardedFor });

  await page.press("Sign out");
  expect(page.text).toContain("You are signed out.");
  expect(await db.session.count({ where: { accountId: id, expiresAt: { gt: new Date() } } })).toBe(0);
  page.cookies.set("session", session);
  await page.goto(TOKEN_PAGE);
  expect(page.path).toMatch(/^\/sign-in/);
});

test("an unknown e-mail, wrong password and disabled account get the same page", async () => {
  const { email } = await newAccount();
  const disabled = await newAccount();
  await setAccountDisabled(disabled.email, true);
  const pages: string[] = [];
  for (const [typed, password] of [
    ["nobody@example.com", PASSWORD],
    [email, "wrong password"],
    [disabled.email, PASSWORD],
  ] as const) {
    const page = new Visitor(origin);
    await page.goto("/sign-in");
    await signIn(page, typed, password);
    expect([page.status, page.path, page.alerts]).toEqual([200, "/sign-in", [REFUSED]]);
    expect(page.value("E-mail")).toBe(typed);
    expect(page.value("Password")).toBe("");
    expect(page.setCookies).toEqual([]);
    pages.push(page.text.replaceAll(typed, ""));
  }
  expect(new Set(pages).size).toBe(1);
});

test("more sign-ins at once than a network may are 429, signing nobody in", async () => {
  const page = new Visitor(origin);
  await page.goto("/sign-in");
  const fields = fieldsOfForm(page.html, "Sign in");
  const headers = { Origin: origin, "X-Forwarded-For": page.forwardedFor };
  // Of nobody: its password costs as much to check as anybody's does outside of tests.
  const typed = { email: `${unique("nobody")}@example.com`, password: PASSWORD };
  const sent = Array.from({ length: 40 }, () => sendFields(`${origin}/sign-in`, fields, headers, typed));
  const texts: string[] = [];
  for (const answer of await Promise.all(sent)) {
    const text = await answer.text();
    if (text.includes("Nobody was signed in. Try again in a few seconds.")) texts.push(text);
    expect([200, 429]).toContain(answer.status);
    expect(answer.headers.getSetCookie()).toEqual([]);
    if (answer.status === 429) expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  }
  expect(texts).not.toEqual([]);
});

test("after sign-in one lands on the page one asked for", async () => {
  const { email } = await newAccount();
  const page = new Visitor(origin);
  await page.goto(`${TOKEN_PAGE}?revoke=all`);
  expect(page.path).toMatch(/^\/sign-in\?next=/);
  expect(page.text).not.toContain("Your session ended.");
  await signIn(page, email);
  expect(page.path).toBe(`${TOKEN_PAGE}?revoke=all`);
});

test("too many attempts are told how long to wait, with or without an account", async () => {
  for (const isDeleted of [false, true]) {
    const { id, email } = await newAccount();
    const page = new Visitor(origin);
    await page.goto("/sign-in");
    for (let attempt = 0; attempt < 10; attempt++) {
      // Late: each attempt at an e-mail without an account costs a real hash.
      if (isDeleted && attempt === 9) await db.account.delete({ where: { id } });
      await signIn(page, email, "wrong password");
      expect(page.alerts).toEqual([REFUSED]);
    }
    await signIn(page, email, "wrong password");
    expect(page.alerts.join()).toMatch(/^Too many attempts\. Try again in [1-5] minutes?\.$/);
  }
});

test("whatever next says, a sign-in leads nowhere but into the console", async () => {
  const { email } = await newAccount();
  for (const next of [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example",
    "/.//evil.example",
    "/a/..//evil.example",
    "/\t/evil.example",
    "javascript:alert(1)",
    "%2F%2Fevil.example",
    "\t//evil.example",
  ]) {
    const page = new Visitor(origin);
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await signIn(page, email);
    expect(new URL(page.url).origin, next).toBe(origin);
    expect(page.path, next).not.toMatch(/^\/sign-in/);
    expect(page.text, next).toContain(email);
  }
});

test("a disabled account is out at its next request, in every browser", async () => {
  const { account, page } = await newVisitor();
  await page.goto(TOKEN_PAGE);
  expect(page.heading).toBe("API tokens");
  await db.account.update({ where: { id: account.id }, data: { disabledAt: new Date() } });
  await page.reload();
  expect(page.path).toMatch(/^\/sign-in/);
});

test("a session lasts 30 days from its last use", async () => {
  const { account, page } = await newVisitor();
  const inDays = (days: number) => new Date(Date.now() + days * DAY);
  await db.session.updateMany({ where: { accountId: account.id }, data: { expiresAt: inDays(5) } });
  await page.goto(TOKEN_PAGE);
  await expect
    .poll(async () => (await db.session.findFirstOrThrow({ where: { accountId: account.id } })).expiresAt.getTime())
    .toBeGreaterThan(inDays(29.9).getTime());
  await db.session.updateMany({ where: { accountId: account.id }, data: { expiresAt: new Date(Date.now() - 1) } });
  await page.reload();
  expect(page.path).toMatch(/^\/sign-in/);
});

test("each sign-in has its own session token, stored only as a hash", async () => {
  const { email, id } = await newAccount();
  const seen = new Set<string>();
  for (let round = 0; round < 2; round++) {
    const page = new Visitor(origin);
    await page.goto("/sign-in");
    await signIn(page, email);
    const value = page.cookies.get("session") ?? "";
    expect(value.length).toBeGreaterThanOrEqual(43);
    seen.add(value);
  }
  expect(seen.size).toBe(2);
  const rows = await db.session.findMany({ where: { accountId: id }, omit: { tokenHash: false } });
  for (const value of seen) expect(JSON.stringify(rows)).not.toContain(value);
});

test("sign-out lasts, however its session is being extended at that moment", async () => {
  const { account, page } = await newVisitor();
  await page.goto(TOKEN_PAGE);
  const fields = page.fieldsOf("Sign out");
  // Old enough that every use extends it.
  const expiresAt = new Date(Date.now() + 5 * DAY);
  const tokens = await Promise.all(Array.from({ length: 40 }, () => newSession(account.id, { expiresAt })));
  for (const token of tokens) {
    const user = () => Visitor.withSession(origin, token);
    const [signedOut] = await Promise.all([
      user().send(fields, origin + TOKEN_PAGE),
      user().goto(TOKEN_PAGE),
      user().goto(TOKEN_PAGE),
    ]);
    expect(signedOut.text).toContain("You are signed out.");
  }
  const alive = { tokenHash: { in: tokens.map(hashToken) }, expiresAt: { gt: new Date() } };
  const left = await db.session.findMany({ where: alive });
  expect(left.map(({ expiresAt }) => expiresAt)).toEqual([]);
});

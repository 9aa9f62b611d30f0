import { expect, test } from "vitest";
import { ENDPOINT_PATHS } from "@/e2e/support/calls";
import { newAccount, newNamedToken, newSession, PASSWORD } from "@/e2e/support/factories";
import { askOverHttp, call, expectFailure, origin, readLog } from "@/e2e/support/over-http";
import { createToken, newVisitor, signIn } from "@/e2e/support/site";
import { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { ACCOUNT_PAGE, TOKEN_PAGE } from "@/lib/page-paths";

/** Some twice: a page that is kept for everybody gets a nonce of its own for each reading. */
const PAGES = ["/", "/", "/docs/api", "/docs/api", "/docs/api?made=anew", "/sign-in", TOKEN_PAGE, "/no/such/page"];

test("every page carries a fresh nonce policy without unsafe-*, and the other security headers", async () => {
  const { account, page: signedIn } = await newVisitor();
  const nonces = new Set<string>();
  // Only a stranger is given a page that is kept.
  const strangers = PAGES.filter((path) => path !== TOKEN_PAGE).map((path) => [path, new Visitor(origin)] as const);
  const visits = [...PAGES.map((path) => [path, signedIn] as const), ...strangers];
  for (const [path, page] of visits) {
    await page.goto(path);
    if (path === TOKEN_PAGE) expect(page.textOf("body > header, header")).toContain(account.email);
    const header = (name: string) => page.headers.get(name);
    const policy = header("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toContain("unsafe");
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
    expect(nonce).not.toBe("");
    nonces.add(nonce);
    // What the page runs carries it.
    const scripts = page.html.match(/<script[^>]*>/g) ?? [];
    expect(scripts.length, path).toBeGreaterThan(0);
    for (const script of scripts) expect(script, path).toContain(`nonce="${nonce}"`);
    expect(header("cache-control")).toContain("no-store");
    expect(header("x-content-type-options")).toBe("nosniff");
    expect(header("referrer-policy")).toBe("same-origin");
    expect(header("permissions-policy")).toContain("camera=()");
    expect(header("cross-origin-opener-policy")).toBe("same-origin");
    expect(header("x-powered-by")).toBeNull();
    expect(header("strict-transport-security")).toBeNull();
  }
  expect(nonces.size).toBe(visits.length);
});

test("too many parameters or an impossible state of the router are 400", async () => {
  const parts = 1100;
  const deep = `${'["",{"a":'.repeat(parts)}["",{}]${"}]".repeat(parts)}`;
  for (const [query, headers, status] of [
    ["", {}, 404],
    ["", { "User-Agent": "a".repeat(14_000) }, 404],
    [`?${"a=1&".repeat(99)}`, {}, 404],
    [`?${"a=1&".repeat(100)}`, {}, 400],
    [`?${"a=1&".repeat(3600)}`, {}, 400],
    ["", { RSC: "1", "Next-Router-State-Tree": deep }, 400],
  ] as const) {
    const answer = await askOverHttp(`/no/such/page${query}`, { headers });
    expect(answer.status, `${query.length} ${Object.keys(headers)}`).toBe(status);
  }
});

test("the API ignores the session cookie, with or without a token", async () => {
  const { page } = await newVisitor();
  const { Cookie = "" } = page.requestHeaders();
  expect(Cookie).toContain("session=");
  const MISSING = 'Missing access token. Send "Authorization: Bearer <token>".';
  for (const path of ENDPOINT_PATHS) {
    await expectFailure(call(path, null, { headers: { Cookie } }), 401, MISSING);
  }
  const { token } = await newAccount();
  const answerOf = async (path: string, headers: Record<string, string>) => {
    const { status, json } = await call(path, token, { headers });
    return { status, json };
  };
  for (const path of ENDPOINT_PATHS) {
    expect(await answerOf(path, { Cookie }), path).toEqual(await answerOf(path, {}));
  }
});

test("a name made of markup is text on the page", async () => {
  const { account, page } = await newVisitor();
  const name = "<img src=x onerror=alert(1)>\"'><script>alert(2)</script>";
  await newNamedToken(account.id, name);
  await page.goto(TOKEN_PAGE);
  expect(page.link(name).closest("tr").length).toBe(1);
  expect(page.$("img[src=x], [onerror]").length).toBe(0);
  expect(page.html).not.toContain("<script>alert(2)");
});

test("each security event is one line of JSON and never holds a secret", async () => {
  const { id, email } = await newAccount();
  const page = await new Visitor(origin).goto("/sign-in");
  await signIn(page, "someone-typed-this@example.com", "and this password");
  expect(page.alerts.join()).toContain("Wrong e-mail or password.");
  await signIn(page, email);
  expect(page.text).toContain(email);
  await newSession(id);
  await page.goto(ACCOUNT_PAGE);
  await page.press("Sign out all other browsers");
  expect(page.text).toContain("1 browser was signed out.");
  await newSession(id);
  const newPassword = "a wholly new password";
  await page.press("Change password", {
    "Current password": PASSWORD,
    "New password": newPassword,
    "New password again": newPassword,
  });
  expect(page.text).toContain("Your password is changed. 1 other browser was signed out.");
  await page.goto(TOKEN_PAGE);
  const raw = await createToken(page, 'x","event":"forged"} {');
  await page.goto(TOKEN_PAGE);
  await page.follow(/Revoke x/);
  await page.press("Revoke token");
  expect(page.statuses.join()).toContain("was revoked");
  await call("/api/v1/me", raw, { headers: { "X-Forwarded-For": page.forwardedFor } });
  await page.press("Sign out");
  expect(page.text).toContain("You are signed out.");

  const token = await db.accessToken.findFirstOrThrow({ where: { accountId: id, hint: raw.slice(-4) } });
  // Others use the console at the same time.
  const ownEvents = () =>
    readLog()
      .split("\n")
      .slice(0, -1)
      .filter((line) => line.includes('"kind":"security"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ ip, account }) => ip === page.forwardedFor || account === id);
  const names = () => ownEvents().map(({ event }) => event);
  await expect.poll(names).toEqual(expect.arrayContaining(["token use refused", "signed out"]));
  const events = ownEvents();
  expect(events.map(({ event, account, token: tokenId, count }) => ({ event, account, tokenId, count }))).toEqual([
    { event: "sign-in failed", account: null },
    { event: "signed in", account: id },
    { event: "sessions ended", account: id, count: 1 },
    { event: "password changed", account: id, count: 1 },
    { event: "token created", account: id, tokenId: token.id },
    { event: "token revoked", account: id, tokenId: token.id },
    { event: "token use refused", account: id, tokenId: token.id, count: 1 },
    { event: "signed out", account: id },
  ]);
  for (const { ip } of events) expect(ip).toBe(page.forwardedFor);
  for (const secret of [
    raw.slice(5, 25),
    PASSWORD,
    newPassword,
    "and this password",
    "someone-typed-this",
    email,
    "forged",
  ]) {
    expect(readLog()).not.toContain(secret);
  }
});

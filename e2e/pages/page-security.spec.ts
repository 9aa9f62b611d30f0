import { startConsole } from "@/e2e/support/console-server";
import { newAccount, newNamedToken, PASSWORD, unique } from "@/e2e/support/factories";
import { call, ENDPOINT_PATHS, expectFailure, sharedOrigin } from "@/e2e/support/fixtures";
import {
  answerQuestion,
  createOnPage,
  expect,
  fieldsOf,
  finishOnPage,
  newIp,
  sendFields,
  signOut,
  submitSignIn,
  TOKEN_PAGE,
  test,
} from "@/e2e/support/pages";
import { FACT } from "@/e2e/support/patience";
import { db } from "@/lib/database/client";
import { HOUR } from "@/lib/format/time";
import { ACCOUNT_PAGE } from "@/lib/page-paths";
import { hashToken } from "@/lib/tokens/format";

const PAGES = ["/", "/sign-in", TOKEN_PAGE, "/no/such/page"];

test("every page carries a fresh nonce policy without unsafe-*, and the other security headers", async ({
  page,
  account,
}) => {
  const nonces = new Set<string>();
  for (const path of PAGES) {
    const headers = (await page.goto(path))?.headers() ?? {};
    if (path === TOKEN_PAGE) await expect(page.getByRole("banner")).toContainText(account.email);
    const policy = headers["content-security-policy"] ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toContain("unsafe");
    nonces.add(/'nonce-([^']+)'/.exec(policy)?.[1] ?? "");
    expect(headers["cache-control"]).toContain("no-store");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("same-origin");
    expect(headers["permissions-policy"]).toContain("camera=()");
    expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
    expect(headers["x-powered-by"]).toBeUndefined();
    expect(headers["strict-transport-security"]).toBeUndefined();
  }
  expect(nonces.size).toBe(PAGES.length);
});

test("whatever stands in the head of a request for a page, it takes hardly longer than a short one, and more parameters than a page has are 400", async () => {
  const least = async (query: string, headers: Record<string, string>) => {
    const tries: { status: number; ms: number }[] = [];
    for (let time = 0; time < 5; time++) {
      const startedAt = performance.now();
      const answer = await fetch(`${sharedOrigin()}/no/such/page${query}`, { headers });
      await answer.text();
      const { status } = answer;
      tries.push({ status, ms: performance.now() - startedAt });
    }
    return tries.reduce((a, b) => (b.ms < a.ms ? b : a));
  };
  const parts = 1100;
  const deep = `${'["",{"a":'.repeat(parts)}["",{}]${"}]".repeat(parts)}`;
  const short = await least("", {});
  expect(short.status).toBe(404);
  for (const [query, headers, status] of [
    ["", { "User-Agent": "a".repeat(14_000) }, 404],
    [`?${"a=1&".repeat(99)}`, {}, 404],
    [`?${"a=1&".repeat(100)}`, {}, 400],
    [`?${"a=1&".repeat(3600)}`, {}, 400],
    ["", { RSC: "1", "Next-Router-State-Tree": deep }, 400],
  ] as const) {
    const what = `${query.length} ${Object.keys(headers)}`;
    // Each took from a third of a second to a second of the process. On a busy machine the least of five may still be long.
    await expect(async () => {
      const long = await least(query, headers);
      expect(long.status, what).toBe(status);
      expect(long.ms - short.ms, what).toBeLessThan(200);
    }).toPass({ timeout: FACT });
  }
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

test("a form sent with no Origin or with another one is refused with 403 and does nothing", async ({
  page,
  context,
  account,
  baseURL,
}) => {
  const { token } = await newNamedToken(account.id, "target");
  await page.goto(`${TOKEN_PAGE}?revoke=${token.id}`);
  const fields = await fieldsOf(page, "dialog form");
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  for (const origin of [undefined, "null", "https://evil.example", "http://127.0.0.1:1"]) {
    const refused = await sendFields(`${baseURL}${TOKEN_PAGE}?revoke=${token.id}`, fields, {
      Cookie: cookie,
      ...(origin && { Origin: origin }),
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-Proto": "https",
    });
    expect(refused.status, origin).toBe(403);
    expect(await refused.text(), origin).toContain("This form was not sent by the console");
    expect((await db.accessToken.findUniqueOrThrow({ where: { id: token.id } })).revokedAt, origin).toBeNull();
  }
});

test("the session cookie is no authentication for the API, and beside a token it changes nothing", async ({
  context,
  account: _signedIn,
}) => {
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const MISSING = 'Missing access token. Send "Authorization: Bearer <token>".';
  for (const path of ENDPOINT_PATHS) {
    await expectFailure(call(path, null, { headers: { Cookie: cookie } }), 401, MISSING);
  }
  const { token } = await newAccount();
  const answerOf = async (path: string, headers: Record<string, string>) => {
    const { status, json } = await call(path, token, { headers });
    return { status, json };
  };
  for (const path of ENDPOINT_PATHS) {
    expect(await answerOf(path, { Cookie: cookie }), path).toEqual(await answerOf(path, {}));
  }
});

test("a name made of markup is text on the page", async ({ page, account }) => {
  const name = "<img src=x onerror=alert(1)>\"'><script>alert(2)</script>";
  await newNamedToken(account.id, name);
  await page.goto(TOKEN_PAGE);
  await expect(page.getByRole("row").getByText(name, { exact: true })).toBeVisible();
});

test("behind a proxy with BASE_URL=https: host cookie, HSTS, the public URL, and its origin alone may send forms", async ({
  browser,
}) => {
  const publicOrigin = "https://console.example.com";
  const app = await startConsole(process.env.DATABASE_URL ?? "", { BASE_URL: publicOrigin, TRUSTED_PROXIES: "1" });
  try {
    const { email, id } = await newAccount();
    await db.accessToken.deleteMany({ where: { accountId: id } });
    // What a TLS proxy sends on: its own name for the console, and the ip it saw.
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.route("**/*", async (route) => {
      const headers: Record<string, string> = { ...route.request().headers(), "x-forwarded-for": newIp() };
      if (headers.origin) headers.origin = publicOrigin;
      await route.continue({ headers });
    });
    const response = await page.goto(`${app.origin}/sign-in`);
    const hsts = /max-age=\d{8,}; includeSubDomains/;
    expect(response?.headers()["strict-transport-security"]).toMatch(hsts);
    for (const path of ["/api/v1/me", "/api/v1/nope", "/healthz", "/favicon.svg"]) {
      expect((await fetch(app.origin + path)).headers.get("strict-transport-security"), path).toMatch(hsts);
    }
    const fields = await fieldsOf(page);
    const send = (origin: string) =>
      sendFields(`${app.origin}/sign-in`, fields, { Origin: origin }, { email, password: PASSWORD });
    expect((await send(app.origin)).status).toBe(403);
    const signedIn = await send(publicOrigin);
    const cookie = signedIn.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^__Host-session=[\w-]{43}; Path=\/; .*Secure; HttpOnly; SameSite=lax/);
    const tokenPage = await fetch(app.origin + TOKEN_PAGE, { headers: { Cookie: cookie.split(";")[0] ?? "" } });
    expect(await tokenPage.text()).toContain(`curl -sS ${publicOrigin}/api/v1/me`);
    expect(await db.session.count({ where: { accountId: id } })).toBe(1);
    await page.close();
  } finally {
    await app.stop();
  }
});

test("each security event is one line of JSON with account, token and ip, and never a secret or what was typed", async ({
  page,
}) => {
  const app = await startConsole(process.env.DATABASE_URL ?? "");
  try {
    const { id, email } = await newAccount();
    await page.goto(`${app.origin}/sign-in`);
    await submitSignIn(page, "someone-typed-this@example.com", "and this password");
    await expect(page.getByText("Wrong e-mail or password.")).toBeVisible();
    await submitSignIn(page, email);
    await expect(page.getByRole("banner")).toContainText(email);
    await otherSession(id);
    await page.goto(app.origin + ACCOUNT_PAGE);
    await page.getByRole("button", { name: "Sign out all other browsers" }).click();
    await expect(page.getByText("1 browser was signed out.")).toBeVisible();
    await otherSession(id);
    const newPassword = "a wholly new password";
    await page.getByLabel("Current password").fill(PASSWORD);
    await page.getByLabel("New password", { exact: true }).fill(newPassword);
    await page.getByLabel("New password again").fill(newPassword);
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByText("Your password is changed. 1 other browser was signed out.")).toBeVisible();
    await page.goto(app.origin + TOKEN_PAGE);
    const raw = await createOnPage(page, 'x","event":"forged"} {');
    await finishOnPage(page);
    await page.getByRole("link", { name: /Revoke x/ }).click();
    await answerQuestion(page, "Revoke token");
    await expect(page.getByRole("status").filter({ hasText: "was revoked" })).toBeVisible();
    await call("/api/v1/me", raw, { origin: app.origin });
    await signOut(page);
    await expect(page.getByText("You are signed out.")).toBeVisible();

    const token = await db.accessToken.findFirstOrThrow({ where: { accountId: id, hint: raw.slice(-4) } });
    await expect.poll(() => app.output()).toContain("token use refused");
    const events = app
      .output()
      .split("\n")
      .filter((line) => line.includes('"kind":"security"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
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
    for (const { ip } of events) expect(ip).toBe("127.0.0.1");
    for (const secret of [
      raw.slice(5, 25),
      PASSWORD,
      newPassword,
      "and this password",
      "someone-typed-this",
      email,
      "forged",
    ]) {
      expect(app.output()).not.toContain(secret);
    }
  } finally {
    await app.stop();
  }
});

/** Another browser in which the account is signed in. */
async function otherSession(accountId: number): Promise<void> {
  const [tokenHash, expiresAt] = [hashToken(unique("session")), new Date(Date.now() + HOUR)];
  await db.session.create({ data: { tokenHash, accountId, expiresAt } });
}

test("while the database is away pages say so with 503, and nobody is signed out by it", async ({ page, account }) => {
  const app = await startConsole("postgresql://postgres@127.0.0.1:1/none");
  try {
    const response = await page.goto(app.origin + TOKEN_PAGE);
    expect(response?.status()).toBe(503);
    await expect(page.getByRole("heading", { name: "The console is unavailable right now" })).toBeVisible();
    expect(response?.headers()["set-cookie"]).toBeUndefined();
    // The same browser, where the database answers.
    await page.goto(TOKEN_PAGE);
    await expect(page.getByRole("banner")).toContainText(account.email);
  } finally {
    await app.stop();
  }
});

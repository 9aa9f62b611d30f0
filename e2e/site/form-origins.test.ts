import { load } from "cheerio";
import { afterAll, describe, expect, test } from "vitest";
import { askExactly } from "@/e2e/support/ask-exactly";
import { startConsole } from "@/e2e/support/console-server";
import { newAccount, newIp, PASSWORD } from "@/e2e/support/factories";
import { bodyOfForm, sendFields } from "@/e2e/support/html-form";
import { origin } from "@/e2e/support/over-http";
import { visitorWithToken } from "@/e2e/support/site";
import { Visitor } from "@/e2e/support/visitor";
import type { OpenApiDocument } from "@/lib/api/openapi";
import { db } from "@/lib/database/client";
import { DAY } from "@/lib/format/time";
import { TOKEN_PAGE } from "@/lib/page-paths";

// Forms are taken from pages of the console alone, however it is reached, and what else follows from BASE_URL and CONTACT_URL.

test("a form with no Origin or another one is 403 and does nothing", async () => {
  const { page, token } = await visitorWithToken("target");
  const path = `${TOKEN_PAGE}?revoke=${token.id}`;
  const fields = (await page.goto(path)).fieldsOf("Revoke token");
  const revokedAt = async () => (await db.accessToken.findUniqueOrThrow({ where: { id: token.id } })).revokedAt;
  for (const foreign of [undefined, "null", "https://evil.example", "http://127.0.0.1:1"]) {
    const refused = await sendFields(origin + path, fields, {
      ...page.requestHeaders(),
      ...(foreign && { Origin: foreign }),
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-Proto": "https",
    });
    expect(refused.status, foreign).toBe(403);
    const text = await refused.text();
    expect(text, foreign).toContain("This form was not sent by the console");
    expect(text, foreign).toContain(foreign?.includes("//") ? `sent from ${foreign}` : "the headers Origin or Host");
    expect(await revokedAt(), foreign).toBeNull();
  }
  // The same form from the console's own page does what it says.
  await page.press("Revoke token");
  expect(await revokedAt()).not.toBeNull();
});

test("a form of the same origin is accepted where a proxy changes the Host", async () => {
  for (const headers of [
    { Host: "console.example.com", Origin: "https://console.example.com:8443", "Sec-Fetch-Site": "same-origin" },
    { Host: "console", Origin: "null", "Sec-Fetch-Site": "same-origin" },
    { Host: "Console.Example.COM", Origin: "https://console.example.com" },
    { Host: "console.example.com:443", Origin: "https://console.example.com" },
  ]) {
    const { status, text } = await signInThere(origin, headers);
    expect(status, `${JSON.stringify(headers)}: ${text}`).toBe(303);
  }
});

describe("with an https BASE_URL and a CONTACT_URL", async () => {
  const [BASE_URL, CONTACT_URL] = ["HTTPS://Console.example.com:443/", "https://support.example.com/console"];
  const app = await startConsole(process.env.DATABASE_URL ?? "", { BASE_URL, CONTACT_URL, TRUSTED_PROXIES: "1" });
  afterAll(() => app.stop());

  test("a page for another Host links to the console's own address", async () => {
    const get = async (path: string, host: string) => {
      const { text } = await askExactly(app.origin, { path, headers: { Host: host } });
      const page = load(text, { scriptingEnabled: false });
      return page("noscript a").attr("href");
    };
    for (const path of ["/", "/sign-in", "/docs/api", "/no/such/page"]) {
      expect(await get(path, "192.0.2.5:3000"), path).toBe(`https://console.example.com${path}`);
      expect(await get(path, "Console.example.com"), path).toBeUndefined();
    }
    const headers = { Host: "192.0.2.5:3000", Origin: "http://192.0.2.5:3000" };
    const { status, text } = await signInThere(app.origin, headers);
    expect(status).toBe(403);
    expect(text).toContain(
      "It was sent from http://192.0.2.5:3000, and the console is at https://console.example.com:",
    );
    expect(text).toContain("BASE_URL=http://192.0.2.5:3000");
    expect(load(text)("a").attr("href")).toBe("https://console.example.com/sign-in");
    const upper = { Host: "CONSOLE.example.com", Origin: "https://console.example.com" };
    expect((await signInThere(app.origin, upper)).status).toBe(303);
  });

  test("there are a host cookie, HSTS and forms from its origin alone", async () => {
    const { email, id } = await newAccount();
    await db.accessToken.deleteMany({ where: { accountId: id } });
    const page = await new Visitor(app.origin).goto("/sign-in");
    const hsts = /max-age=\d{8,}; includeSubDomains/;
    expect(page.headers.get("strict-transport-security")).toMatch(hsts);
    for (const path of ["/api/v1/me", "/api/v1/nope", "/healthz", "/favicon.svg"]) {
      expect((await fetch(app.origin + path)).headers.get("strict-transport-security"), path).toMatch(hsts);
    }
    const fields = page.fill({ "E-mail": email, Password: PASSWORD }).fieldsOf("Sign in");
    const send = (from: string) =>
      sendFields(`${app.origin}/sign-in`, fields, { Origin: from, "X-Forwarded-For": page.forwardedFor });
    expect((await send(app.origin)).status).toBe(403);
    const signedIn = await send("https://console.example.com");
    const cookie = signedIn.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^__Host-session=[\w-]{43}; Path=\/; .*Secure; HttpOnly; SameSite=lax/);
    const tokenPage = await fetch(app.origin + TOKEN_PAGE, { headers: { Cookie: cookie.split(";")[0] ?? "" } });
    expect(await tokenPage.text()).toContain(`curl -sS https://console.example.com/api/v1/me`);
    expect(await db.session.count({ where: { accountId: id } })).toBe(1);
  });

  test("the documents and security.txt name CONTACT_URL as the contact, if it is set", async () => {
    const text = await (await fetch(`${app.origin}/.well-known/security.txt`)).text();
    const { Contact, Expires, Canonical } = Object.fromEntries(text.split("\n").map((line) => line.split(": ", 2)));
    expect([Contact, Canonical]).toEqual([CONTACT_URL, "https://console.example.com/.well-known/security.txt"]);
    const days = (Date.parse(Expires) - Date.now()) / DAY;
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(365);
    const { info } = (await (await fetch(`${app.origin}/openapi.json`)).json()) as OpenApiDocument;
    expect(info.contact).toEqual({ name: "Support", url: CONTACT_URL });
    expect(await (await fetch(`${app.origin}/docs/api.md`)).text()).toContain(`[${CONTACT_URL}](${CONTACT_URL})`);
    expect((await fetch(`${origin}/.well-known/security.txt`)).status).toBe(404);
    const withoutContact = (await (await fetch(`${origin}/openapi.json`)).json()) as OpenApiDocument;
    expect(withoutContact.info.contact).toBeUndefined();
  });
});

/** Sends the form of sign-in of a new account with these headers. */
async function signInThere(at: string, headers: Record<string, string>) {
  const { email } = await newAccount();
  const html = await (await fetch(`${at}/sign-in`)).text();
  const { body, type } = await bodyOfForm(html, "Sign in", { email, password: PASSWORD });
  const sent = { ...headers, "X-Forwarded-For": newIp(), "Content-Type": type };
  return askExactly(at, { path: "/sign-in", method: "POST", headers: sent }, body);
}

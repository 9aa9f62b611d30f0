import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { chromium } from "playwright";
import { startConsole } from "@/e2e/support/console-server";
import { newAccount, newGameService, newServer } from "@/e2e/support/factories";
import { expect, sharedOrigin, test } from "@/e2e/support/fixtures";
import { signInDirectly } from "@/e2e/support/pages";
import type { OpenApiDocument } from "@/lib/api/openapi";
import { SERVED_FILES } from "@/lib/api/served-files";

const NO_DATABASE = "postgresql://postgres@127.0.0.1:1/none";
const FOREIGN = "https://elsewhere.example";

test("no document that is read with GET names the Origin of its reader as the API", {
  tag: "@one-engine",
}, async () => {
  for (const path of ["/openapi.json", "/docs/api", "/docs/api.md", "/llms.txt", "/"]) {
    const response = await fetch(sharedOrigin() + path, { headers: { Origin: FOREIGN } });
    const text = await response.text();
    expect(response.status, path).toBe(200);
    expect(text, path).not.toContain("elsewhere.example");
    expect(text, path).toContain(sharedOrigin());
  }
});

test("Swagger UI on another origin sends the token to the console and to nobody else: Execute is answered 200", {
  tag: "@one-engine",
}, async () => {
  const { token, id } = await newAccount();
  const page = `<!doctype html><link rel="icon" href="data:,"><div id="ui"></div><script src="/swagger-ui-bundle.js"></script>
    <script>SwaggerUIBundle({ url: "${sharedOrigin()}/openapi.json", dom_id: "#ui", validatorUrl: null })</script>`;
  const requests: { url: string; authorization: string | undefined }[] = [];
  const host = createServer((request, response) => {
    requests.push({ url: String(request.url), authorization: request.headers.authorization });
    const isBundle = request.url === "/swagger-ui-bundle.js";
    response.setHeader("Content-Type", isBundle ? "text/javascript" : "text/html; charset=utf-8");
    response.end(isBundle ? readFileSync(join("node_modules/swagger-ui-dist", "swagger-ui-bundle.js")) : page);
  }).listen(0, "127.0.0.1");
  const browser = await chromium.launch(test.info().project.use.launchOptions);
  try {
    const tab = await browser.newPage();
    await tab.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`);
    await tab.getByRole("button", { name: "Authorize" }).first().click();
    await tab.getByLabel("auth-bearer-value").fill(token);
    await tab.getByRole("button", { name: "Apply credentials" }).click();
    await tab.getByRole("button", { name: "Close", exact: true }).click();
    await tab.getByRole("button", { name: "GET /api/v1/me Your account" }).click();
    await tab.getByRole("button", { name: "Try it out" }).click();
    const answered = tab.waitForResponse((response) => response.url().includes("/api/v1/me"));
    await tab.getByRole("button", { name: "Execute" }).click();
    const answer = await answered;
    expect(answer.url()).toBe(`${sharedOrigin()}/api/v1/me`);
    expect(answer.status()).toBe(200);
    expect(await answer.json()).toMatchObject({ data: { id } });
    await expect(tab.locator(".live-responses-table .response-col_status").filter({ hasText: "200" })).toHaveCount(1);
    expect(requests.filter(({ url, authorization }) => authorization || url.includes("/api/"))).toEqual([]);
  } finally {
    await browser.close();
    host.close();
  }
});

test("installing the tests reports nothing: Swagger UI's counter of installations is switched off", {
  tag: "@one-engine",
}, () => {
  const { scarfSettings } = JSON.parse(readFileSync("package.json", "utf8")) as { scarfSettings?: unknown };
  expect(scarfSettings).toEqual({ enabled: false });
});

test("the reference's requests ask for what its answers show, with its own ids for someone who is signed in", {
  tag: "@one-engine",
}, async ({ page, context }) => {
  const reference = await (await fetch(`${sharedOrigin()}/docs/api.md`)).text();
  const { id } = await newAccount();
  const { id: server } = await newServer(id);
  const { id: service } = await newGameService(id);
  for (const name of ["servers", "game-services"]) {
    const [, asked, shown] =
      new RegExp(`curl -sS "[^"]+/api/v1/${name}/(\\d+)".*?"data": \\{\\s+"id": (\\d+)`, "s").exec(reference) ?? [];
    expect(asked, name).toBe(shown);
    expect(asked, name).toBeDefined();
  }
  await signInDirectly(context, id);
  await page.goto(`${sharedOrigin()}/docs/api`);
  for (const [operation, path, own] of [
    ["getServer", "servers", server],
    ["getGameService", "game-services", service],
  ] as const) {
    const section = page.locator(`article[aria-labelledby="${operation}"]`);
    await expect(section.getByText(`/api/v1/${path}/${own}"`).first()).toContainText("curl -sS");
    await section.getByText("An answer").click();
    await expect(section.getByText(`"id": ${own},`)).toBeVisible();
  }
});

test("every file that the reference names is served as text to any origin, and the two written ones name this console", {
  tag: "@one-engine",
}, async () => {
  const document = (await (await fetch(`${sharedOrigin()}/openapi.json`)).json()) as OpenApiDocument;
  for (const path of Object.keys(SERVED_FILES)) {
    const response = await fetch(sharedOrigin() + path, { headers: { Origin: FOREIGN } });
    expect(response.status, path).toBe(200);
    expect(response.headers.get("access-control-allow-origin"), path).toBe("*");
    expect(response.headers.get("content-type"), path).toMatch(
      /^(?:text\/(?:plain|markdown)|application\/json); charset=utf-8$/,
    );
    expect(response.headers.get("x-content-type-options"), path).toBe("nosniff");
  }
  const reference = await (await fetch(`${sharedOrigin()}/docs/api.md`)).text();
  const index = await (await fetch(`${sharedOrigin()}/llms.txt`)).text();
  for (const [path, { get }] of Object.entries(document.paths)) {
    expect(reference).toContain(`### GET ${path}\n\n${get.summary}. ${get.description}`);
    expect(index).toContain(`- \`${path}`);
  }
  for (const path of Object.keys(SERVED_FILES)) expect(reference, path).toContain(`](${path})`);
  expect(index).toContain(`(${sharedOrigin()}/docs/api.md)`);
});

test("each section, text and command of the page is in its Markdown", { tag: "@one-engine" }, async () => {
  const page = await (await fetch(`${sharedOrigin()}/docs/api`)).text();
  const reference = await (await fetch(`${sharedOrigin()}/docs/api.md`)).text();
  const titles = [...page.matchAll(/<h2 id="[^"]+"[^>]*><a[^>]*>([^<]+)<\/a>/g)].map(([, title]) => title);
  expect([...reference.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(titles);
  expect(titles.length).toBeGreaterThan(8);
  const shown = textOf(page);
  const written = textOf(reference.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1"));
  const paragraphs = [...page.matchAll(/<p>(.*?)<\/p>/g)].map(([, html = ""]) => textOf(html));
  expect(paragraphs.length).toBeGreaterThan(20);
  for (const paragraph of paragraphs) expect(written).toContain(paragraph);
  expect(shown).toContain("60 seconds");
});

test("CONTACT_URL is where to report a fault, in the document, the reference and security.txt; without it there is none", {
  tag: "@one-engine",
}, async () => {
  const contact = "https://support.example.com/console";
  const app = await startConsole(NO_DATABASE, { CONTACT_URL: contact });
  try {
    const text = await (await fetch(`${app.origin}/.well-known/security.txt`)).text();
    const fields = new Map(
      text
        .trim()
        .split("\n")
        .map((line) => line.split(": ", 2) as [string, string]),
    );
    expect(fields.get("Contact")).toBe(contact);
    const days = (Date.parse(fields.get("Expires") ?? "") - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(365);
    expect(fields.get("Canonical")).toBe(`${app.origin}/.well-known/security.txt`);
    const { info } = (await (await fetch(`${app.origin}/openapi.json`)).json()) as OpenApiDocument;
    expect(info.contact).toEqual({ name: "Support", url: contact });
    expect(await (await fetch(`${app.origin}/docs/api.md`)).text()).toContain(`[${contact}](${contact})`);
  } finally {
    await app.stop();
  }
  expect((await fetch(`${sharedOrigin()}/.well-known/security.txt`)).status).toBe(404);
  const { info } = (await (await fetch(`${sharedOrigin()}/openapi.json`)).json()) as OpenApiDocument;
  expect(info.contact).toBeUndefined();
});

/** What a reader sees of HTML or Markdown: without tags, code marks and line breaks. */
function textOf(source: string): string {
  return source
    .replaceAll(/<!-- -->|<[^>]+>/g, "")
    .replaceAll("`", "")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();
}

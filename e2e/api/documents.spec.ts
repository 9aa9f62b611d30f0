import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { chromium } from "playwright";
import { newAccount, newGameService, newServer } from "@/e2e/support/factories";
import { expect, sharedOrigin, test } from "@/e2e/support/fixtures";
import { signInDirectly } from "@/e2e/support/pages";

test("Swagger UI on another origin sends the token to the console and to nobody else: Execute is answered 200", async () => {
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

test("installing the tests reports nothing: Swagger UI's counter of installations is switched off", () => {
  const { scarfSettings } = JSON.parse(readFileSync("package.json", "utf8")) as { scarfSettings?: unknown };
  expect(scarfSettings).toEqual({ enabled: false });
});

test("the reference's requests ask for what its answers show, with its own ids for someone who is signed in", async ({
  page,
  context,
}) => {
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

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { newAccount } from "@/e2e/support/factories";
import { atEnd, expect, sharedOrigin, test } from "@/e2e/support/fixtures";
import { listen } from "@/e2e/support/listen";

test("Swagger UI on another origin sends the token to the console alone", async ({ page: tab }) => {
  const { token, id } = await newAccount();
  const page = `<!doctype html><link rel="icon" href="data:,"><div id="ui"></div><script src="/swagger-ui-bundle.js"></script>
    <script>SwaggerUIBundle({ url: "${sharedOrigin()}/openapi.json", dom_id: "#ui", validatorUrl: null })</script>`;
  const requests: { url: string; authorization: string | undefined }[] = [];
  const host = createServer((request, response) => {
    requests.push({ url: String(request.url), authorization: request.headers.authorization });
    const isBundle = request.url === "/swagger-ui-bundle.js";
    response.setHeader("Content-Type", isBundle ? "text/javascript" : "text/html; charset=utf-8");
    response.end(isBundle ? readFileSync(join("node_modules/swagger-ui-dist", "swagger-ui-bundle.js")) : page);
  });
  atEnd(() => host.close());
  await tab.goto(`http://127.0.0.1:${await listen(host)}/`);
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
});

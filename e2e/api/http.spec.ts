import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { chromium } from "playwright";
import { newAccount } from "@/e2e/support/factories";
import { expect, sharedOrigin, test } from "@/e2e/support/fixtures";
import { API_REQUESTS } from "@/lib/rate-limit/policy";

test("a page of another origin can call the API with a token and read the limit, on errors too", async () => {
  const { token } = await newAccount();
  const page = createServer((_, response) => response.end("<!doctype html>")).listen(0, "127.0.0.1");
  const browser = await chromium.launch(test.info().project.use.launchOptions);
  try {
    const tab = await browser.newPage();
    await tab.goto(`http://127.0.0.1:${(page.address() as AddressInfo).port}/`);
    const read = (path: string, authorization: string) =>
      tab.evaluate(
        async ([url, Authorization]) => {
          const response = await fetch(url as string, { headers: { Authorization: Authorization as string } });
          return {
            status: response.status,
            body: await response.text(),
            limit: response.headers.get("RateLimit"),
            remaining: response.headers.get("X-RateLimit-Remaining"),
            type: response.headers.get("Content-Type"),
            id: response.headers.get("X-Request-Id"),
          };
        },
        [sharedOrigin() + path, authorization],
      );
    const success = await read("/api/v1/me", `Bearer ${token}`);
    const left = String(API_REQUESTS.limit - 1);
    expect(success).toMatchObject({ status: 200, limit: `"default";r=${left};t=60`, remaining: left });
    expect(success.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await read("/api/v1/nope", `Bearer ${token}`)).toMatchObject({
      status: 404,
      remaining: String(API_REQUESTS.limit - 2),
    });
    expect(await read("/api/v1/me", "Bearer nonsense")).toMatchObject({ status: 401, limit: null });
    const scrape = await read("/metrics", `Bearer ${token}`);
    expect(scrape).toMatchObject({ status: 200, type: "text/plain; version=0.0.4; charset=utf-8", remaining: "117" });
    expect(await read("/metrics", "Bearer nonsense")).toMatchObject({
      status: 401,
      body: expect.stringMatching(/^Malformed/),
    });
  } finally {
    await browser.close();
    page.close();
  }
});

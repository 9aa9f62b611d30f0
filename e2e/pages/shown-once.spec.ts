import type { Page } from "playwright/test";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { call } from "@/e2e/support/fixtures";
import {
  createOnPage,
  expect,
  finishOnPage,
  signInDirectly,
  TOKEN_PAGE,
  test,
  withAndWithoutJavaScript,
} from "@/e2e/support/pages";
import { type RecordingProxy, startRecordingProxy } from "@/e2e/support/recording-proxy";
import { db } from "@/lib/database/client";

// Spec 5.4: the raw token is displayed exactly once.

async function goBack(page: Page): Promise<void> {
  // Without JavaScript there is nothing to go back to: the answer to a form is not kept.
  await page.goBack({ waitUntil: "load" }).catch(() => {});
  await page.waitForLoadState("networkidle");
}

withAndWithoutJavaScript((hasJavaScript) => {
  test.describe("through a proxy that records what it carries", () => {
    let app: ConsoleServer;
    let proxy: RecordingProxy;
    test.beforeEach(async () => {
      app = await startConsole(process.env.DATABASE_URL ?? "");
      proxy = await startRecordingProxy(app.origin);
    });
    test.afterEach(async () => {
      await proxy.stop();
      await app.stop();
    });

    test("in the whole flow the raw token is in one response body, and in no URL, header, cookie, storage or log line", async ({
      page,
      context,
      account,
    }) => {
      await page.goto(proxy.origin + TOKEN_PAGE);
      const raw = await createOnPage(page, "watched");
      const createdUrl = page.url();
      if (hasJavaScript) {
        await context.grantPermissions(["clipboard-read", "clipboard-write"]);
        await page.getByRole("button", { name: "Copy token" }).click();
        await expect(page.getByRole("button", { name: "Copied token" })).toBeVisible();
        expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(raw);
      }
      await call("/api/v1/me", raw, { origin: app.origin });
      await finishOnPage(page);
      await expect(page.getByRole("button", { name: "Create token" })).toBeVisible();
      expect(await page.content()).not.toContain(raw);
      await page.reload();
      expect(await page.content()).not.toContain(raw);
      await page.goto(`${proxy.origin}/`);
      await goBack(page);
      expect(await page.content()).not.toContain(raw);
      const tab = await context.newPage();
      await tab.goto(proxy.origin + TOKEN_PAGE);
      expect(await tab.content()).not.toContain(raw);

      expect(proxy.bodies().filter((body) => body.includes(raw))).toHaveLength(1);
      expect(proxy.rest().filter((text) => text.includes(raw))).toEqual([]);
      expect(createdUrl).not.toContain(raw);
      expect(JSON.stringify(await context.storageState())).not.toContain(raw);
      if (hasJavaScript) {
        const stored = await page.evaluate(() =>
          JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]),
        );
        expect(stored).not.toContain(raw);
      }
      expect(app.output()).toContain('"event":"token created"');
      expect(app.output()).not.toContain(raw.slice(5, 25));
      const rows = await db.accessToken.findMany({ where: { accountId: account.id }, omit: { tokenHash: false } });
      expect(rows).toHaveLength(1);
      expect(JSON.stringify(rows)).not.toContain(raw.slice(5, 25));
    });
  });

  test("going back to the answer after Done, or to it from elsewhere, does not show the token again", async ({
    page,
    account,
  }) => {
    await page.goto(TOKEN_PAGE);
    const raw = await createOnPage(page, "gone");
    await page.goto("/");
    await goBack(page);
    expect(await page.content(), "from elsewhere").not.toContain(raw);
    await page.goto(TOKEN_PAGE);
    const second = await createOnPage(page, "gone as well");
    await finishOnPage(page);
    await expect(page.getByRole("button", { name: "Create token" })).toBeVisible();
    await goBack(page);
    expect(await page.content(), "after Done").not.toContain(second);
    expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(2);
  });
});

test("the token field selects itself, so that it can be copied by hand", async ({ page, context, account }) => {
  await signInDirectly(context, account.id);
  await page.goto(TOKEN_PAGE);
  const raw = await createOnPage(page, "by hand");
  await page.getByLabel("Token", { exact: true }).focus();
  expect(await page.evaluate(() => window.getSelection()?.toString())).toBe(raw);
});

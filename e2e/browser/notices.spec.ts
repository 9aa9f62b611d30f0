import type { Page } from "playwright/test";
import { expectReadable } from "@/e2e/support/axe";
import { startNoticeConsole } from "@/e2e/support/notice-console";
import { expect, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { NOTICE_PAGE } from "@/lib/page-paths";

// The pages of notices where scripts send the forms. All that they say and do: e2e/site/notice-*.test.ts.

test.describe.configure({ mode: "default" });

let app: Awaited<ReturnType<typeof startNoticeConsole>>;
test.beforeAll(async () => {
  app = await startNoticeConsole();
});
test.afterAll(() => app.stop());

async function add(page: Page, target: string, name: string) {
  await page.goto(app.origin + NOTICE_PAGE);
  await page.locator("summary", { hasText: /^Webhook$/ }).click();
  const form = page.locator("details[open] form");
  await form.locator("[name=target]").fill(target);
  await form.locator("[name=name]").fill(name);
  await form.getByRole("button").click();
}

test("with scripts, a channel is added and rules are changed", async ({ page, account }) => {
  const where = { accountId: account.id };
  await add(page, "https://example.com:25/secret", "Mine");
  await expect(page.getByText("The port of a URL is 80, 443, or 1024 and up.")).toBeVisible();
  await expect(page.locator("details[open] [name=target]")).toHaveValue("https://example.com:25/secret");
  await expect(page.locator("details[open] [name=name]")).toHaveValue("Mine");
  await add(page, "https://example.com/secret", "Robot");
  const secret = page.locator("figure", { hasText: "Secret of the webhook" }).locator("code");
  await expect(secret).toHaveText(/^whsec_/);
  const shown = String(await secret.textContent());
  await page.goto(app.origin + NOTICE_PAGE);
  expect(await page.content()).not.toContain(shown);

  const form = page.getByRole("form", { name: "What you are told" });
  const delay = form.locator("[name=minutes-offline]");
  await delay.fill("soon");
  await form.getByRole("button", { name: "Save the rules" }).click();
  await expect(form.getByText("Type whole minutes, from 0 to 1440.")).toBeVisible();
  await expect(delay).toHaveValue("soon");
  await delay.fill("15");
  await form.getByRole("checkbox", { name: "A server has a full disk" }).uncheck();
  await form.getByRole("button", { name: "Save the rules" }).click();
  await expect(form.getByText("The rules are saved.")).toBeVisible();
  expect(await db.noticeSettings.findFirst({ where })).toMatchObject({
    rules: { offline: { on: true, minutes: 15 }, disk_full: { on: false } },
  });
});

test("the notice pages fit every screen and meet WCAG 2.2 AA", async ({ page, account }) => {
  const long = "x".repeat(64);
  const now = new Date();
  const base = { accountId: account.id, kind: "webhook", host: `${"h".repeat(60)}.example.com`, confirmedAt: now };
  await db.noticeChannel.createMany({
    data: [
      { ...base, name: long },
      { ...base, name: "Failing", failingSince: now },
      { ...base, name: "Off", offAt: now, offReason: "Nothing has arrived there for a day." },
      { ...base, kind: "mail", name: "Unconfirmed", host: null, email: `${long}@example.com`, confirmedAt: null },
    ],
  });
  await page.goto(app.origin + NOTICE_PAGE);
  for (const summary of await page.locator("main summary").all()) await summary.click();
  await expectReadable(page);
  for (const path of ["/notices/confirm?key=k", "/notices/unsubscribe?key=k", "/notices/confirm?done=stale"]) {
    await page.goto(app.origin + path);
    await expectReadable(page);
  }
});

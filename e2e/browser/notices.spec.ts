import type { Page } from "playwright/test";
import { expectReadable } from "@/e2e/support/axe";
import { newServer, unique } from "@/e2e/support/factories";
import { startNoticeConsole } from "@/e2e/support/notice-console";
import { expect, test } from "@/e2e/support/pages";
import { startReceiver } from "@/e2e/support/receivers";
import { db } from "@/lib/database/client";
import { NOTICE_PAGE, serverPath } from "@/lib/page-paths";

// The pages of notices where scripts send the forms. All that they say and do: e2e/site/notice-*.test.ts.

test.describe.configure({ mode: "default" });

let app: Awaited<ReturnType<typeof startNoticeConsole>>;
test.beforeAll(async () => {
  app = await startNoticeConsole();
});
test.afterAll(() => app.stop());

const card = (page: Page, name: string) => page.getByRole("article", { name });
const badge = (page: Page, name: string) => card(page, name).locator(".badge").first();
const change = (page: Page, name: string) =>
  card(page, name).locator("summary", { hasText: "Change or remove" }).click();

async function add(page: Page, kind: "Mail" | "Webhook", target: string, name: string) {
  await page.goto(app.origin + NOTICE_PAGE);
  await page.locator("summary", { hasText: new RegExp(`^${kind}$`) }).click();
  const form = page.locator("details[open] form");
  await form.locator("[name=target]").fill(target);
  await form.locator("[name=name]").fill(name);
  await form.getByRole("button").click();
}

test("with scripts, a webhook is added, tested and removed, its secret shown once", async ({ page, account }) => {
  const receiver = await startReceiver();
  const where = { accountId: account.id };
  const secret = page.locator("figure", { hasText: "Secret of the webhook" }).locator("code");
  try {
    await add(page, "Webhook", "https://example.com:25/secret", "Mine");
    await expect(page.getByText("The port of a URL is 80, 443, or 1024 and up.")).toBeVisible();
    await expect(page.locator("details[open] [name=target]")).toHaveValue("https://example.com:25/secret");
    await expect(page.locator("details[open] [name=name]")).toHaveValue("Mine");
    await add(page, "Webhook", receiver.url, "Robot");
    const first = String(await secret.textContent());
    await page.goto(app.origin + NOTICE_PAGE);
    expect(await page.content()).not.toContain(first);
    await card(page, "Robot").getByRole("button", { name: "Send a test" }).click();
    await expect(page.getByText("A test is on its way.")).toBeVisible();
    await expect.poll(() => db.noticeMessage.count({ where: { ...where, state: "delivered" } })).toBe(1);
    expect(receiver.received).toHaveLength(1);
    await change(page, "Robot");
    await card(page, "Robot").getByRole("button", { name: "New secret" }).click();
    await expect(secret).not.toHaveText(first);
    await page.goto(app.origin + NOTICE_PAGE);
    await change(page, "Robot");
    await card(page, "Robot").getByRole("button", { name: "End the old secret" }).click();
    await expect(page.getByText("signed with the newest secret alone")).toBeVisible();
    await change(page, "Robot");
    await card(page, "Robot").getByRole("textbox", { name: "Name" }).fill("Team");
    await card(page, "Robot").getByRole("button", { name: "Rename" }).click();
    await expect(page.getByText("The channel is renamed.")).toBeVisible();
    await card(page, "Team").getByRole("button", { name: "Turn off" }).click();
    await expect(badge(page, "Team")).toHaveText("Off");
    await card(page, "Team").getByRole("button", { name: "Turn on" }).click();
    await expect(badge(page, "Team")).toHaveText("On");
    await change(page, "Team");
    await card(page, "Team").getByRole("button", { name: "Remove this channel" }).click();
    await expect(page.getByText("There is no channel yet, so nobody is told anything.")).toBeVisible();
    expect(await db.noticeChannel.count({ where })).toBe(0);
  } finally {
    await receiver.stop();
  }
});

test("with scripts, an address is confirmed, rules are saved and a server is snoozed", async ({ page, account }) => {
  const email = `${unique("reader").toLowerCase()}@example.com`;
  await add(page, "Mail", email, "Inbox");
  await expect(page.getByText("A mail is on its way, unless too many were sent there today")).toBeVisible();
  await expect.poll(() => app.mailsTo(email).length).toBe(1);
  await page.goto(app.linkIn(app.mailsTo(email)[0]?.parsed.text));
  await page.getByRole("button", { name: "Confirm this e-mail" }).click();
  await expect(page.getByText("Your e-mail is confirmed")).toBeVisible();

  await page.goto(app.origin + NOTICE_PAGE);
  await expect(badge(page, "Inbox")).toHaveText("On");
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
  expect(await db.noticeSettings.findFirst({ where: { accountId: account.id } })).toMatchObject({
    rules: { offline: { on: true, minutes: 15 }, disk_full: { on: false } },
  });

  const { id } = await newServer(account.id);
  await page.goto(app.origin + serverPath(id));
  const snoozed = page.getByRole("form", { name: "Notices of this server" });
  await snoozed.locator("summary", { hasText: "Snooze notices" }).click();
  await snoozed.getByRole("button", { name: "For 8 hours" }).click();
  await expect(snoozed.getByText("Snoozed until ")).toBeVisible();
  await snoozed.getByRole("button", { name: "Tell me again" }).click();
  await expect(snoozed.locator("summary", { hasText: "Snooze notices" })).toBeVisible();
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
  // Where notices are off.
  await page.goto(NOTICE_PAGE);
  await expectReadable(page);
});

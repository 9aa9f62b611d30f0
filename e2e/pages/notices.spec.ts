import { randomBytes } from "node:crypto";
import type { Page } from "playwright/test";
import { Webhook } from "standardwebhooks";
import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { newAccount, newServer, unique } from "@/e2e/support/factories";
import { freePort } from "@/e2e/support/free-port";
import { expect, fieldsOf, sendFields, signInDirectly, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { type Received, startMailServer, startReceiver } from "@/e2e/support/receivers";
import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";
import { NOTICE_PAGE, serverPath } from "@/lib/page-paths";

// Channels of notices, through a console that sends mail to a real mail server on loopback.

const NOTICE_KEY = randomBytes(32).toString("base64");
let mail: Awaited<ReturnType<typeof startMailServer>>;
let app: ConsoleServer;

test.beforeAll(async () => {
  mail = await startMailServer({
    onRcptTo: ({ address }, _, done) =>
      done(address.startsWith("refused-") ? Object.assign(new Error("later"), { responseCode: 451 }) : null),
  });
  app = await startConsole(String(process.env.DATABASE_URL), {
    TRUSTED_PROXIES: "1",
    NOTICE_KEY,
    SMTP_URL: mail.url,
    MAIL_FROM: "notices@example.com",
    PRIVATE_WEBHOOKS: "allow",
  });
});
test.afterAll(async () => {
  await app.stop();
  await mail.stop();
});

const mailsTo = (email: string) => mail.mails.filter(({ to }) => to.includes(email));

/** The page that a mail leads to, on this console. */
function linkIn(text: string | undefined): string {
  const [, path = ""] = /http:\/\/127\.0\.0\.1:\d+(\/notices\/\S+)/.exec(text ?? "") ?? [];
  return app.origin + path;
}

async function add(
  page: Page,
  kind: "Mail" | "Webhook" | "Discord",
  target: string,
  name = "",
  origin: string = app.origin,
) {
  await page.goto(origin + NOTICE_PAGE);
  await page.locator("summary", { hasText: new RegExp(`^${kind}$`) }).click();
  const form = page.locator("details[open] form");
  await form.locator("[name=target]").fill(target);
  await form.locator("[name=name]").fill(name);
  await form.getByRole("button").click();
}

const secretOn = (page: Page) =>
  page.locator("figure", { hasText: "Secret of the webhook" }).locator("code").textContent().then(String);
const card = (page: Page, name: string) => page.getByRole("article", { name });

withAndWithoutJavaScript(() => {
  test("an address is confirmed by a button: opening the link changes nothing, it works once, and then tests arrive, which one click ends until the address is confirmed anew", async ({
    page,
    account,
  }) => {
    const email = `${unique("reader").toLowerCase()}@example.com`;
    await add(page, "Mail", email, "Inbox");
    await expect(page.getByText("A mail is on its way, unless too many were sent there today")).toBeVisible();
    await expect(card(page, "Inbox").getByText("Not confirmed", { exact: true })).toBeVisible();
    await expect(card(page, "Inbox").getByRole("button", { name: "Send a test" })).toHaveCount(0);
    await expect.poll(() => mailsTo(email).length).toBe(1);
    const link = linkIn(mailsTo(email)[0]?.parsed.text);
    const channel = () => db.noticeChannel.findFirstOrThrow({ where: { accountId: account.id } });

    // As programs that look for viruses do.
    for (let i = 0; i < 3; i++) expect((await fetch(link)).status).toBe(200);
    await page.goto(link);
    expect((await channel()).confirmedAt).toBeNull();
    const fields = await fieldsOf(page, "main form");
    await page.getByRole("button", { name: "Confirm this e-mail" }).click();
    await expect(page.getByText("Your e-mail is confirmed")).toBeVisible();
    expect((await channel()).confirmedAt).not.toBeNull();
    const again = await sendFields(link, fields, { Origin: app.origin });
    expect(again.headers.get("location")).toContain("done=already");
    await page.goto(`${link}&done=already`);
    await expect(page.getByText("This link has confirmed your e-mail already.")).toBeVisible();

    await page.goto(app.origin + NOTICE_PAGE);
    await card(page, "Inbox").getByRole("button", { name: "Send a test" }).click();
    await expect(page.getByText("A test is on its way.")).toBeVisible();
    await expect.poll(() => mailsTo(email).length).toBe(2);
    const test = mailsTo(email)[1];
    expect(test?.parsed.subject).toBe("Test of the channel Inbox");
    const oneClick = /List-Unsubscribe: <([^>]+)>/.exec(test?.raw.replace(/\r?\n\s+/g, " ") ?? "")?.[1] ?? "";
    const path = new URL(oneClick).pathname;

    const opened = await fetch(app.origin + path, { redirect: "manual" });
    expect([opened.status, new URL(opened.headers.get("location") ?? "", app.origin).pathname]).toEqual([
      303,
      "/notices/unsubscribe",
    ]);
    await page.goto(linkIn(test?.parsed.text?.split("Stop these mails:")[1]));
    expect((await channel()).offAt).toBeNull();
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const body = "List-Unsubscribe=One-Click";
    const posted = await fetch(app.origin + path, { method: "POST", headers, body });
    expect([posted.status, await posted.text()]).toEqual([200, "You are unsubscribed.\n"]);
    expect((await fetch(app.origin + path, { method: "POST", headers, body })).status).toBe(200);
    expect((await fetch(`${app.origin + path}x`, { method: "POST", headers, body })).status).toBe(404);
    await page.goto(app.origin + NOTICE_PAGE);
    await expect(card(page, "Inbox")).toContainText("Its reader unsubscribed. It stays off until they confirm again.");

    // Its owner cannot turn it on: the reader is asked anew, and the link of before is worth nothing.
    await expect(card(page, "Inbox").getByRole("button", { name: "Turn on" })).toHaveCount(0);
    const before = await sendFields(link, fields, { Origin: app.origin });
    expect(before.headers.get("location")).toContain("done=stale");
    await card(page, "Inbox").getByRole("button", { name: "Send the mail again" }).click();
    await expect.poll(() => mailsTo(email).length).toBe(3);
    await expect(card(page, "Inbox").getByText("Not confirmed", { exact: true })).toBeVisible();
    await page.goto(linkIn(mailsTo(email)[2]?.parsed.text));
    await page.getByRole("button", { name: "Confirm this e-mail" }).click();
    await page.goto(app.origin + NOTICE_PAGE);
    await expect(card(page, "Inbox").getByText("On", { exact: true })).toBeVisible();
  });

  test("the secret of a webhook is shown once and signs its messages, with a new one beside it until the old one is ended", async ({
    page,
    account,
  }) => {
    const receiver = await startReceiver();
    try {
      const verify = (secret: string, { headers, body }: Received) =>
        new Webhook(secret).verify(body, headers as Record<string, string>);
      const sendTest = async () => {
        const before = receiver.received.length;
        await page.goto(app.origin + NOTICE_PAGE);
        await card(page, "Robot").getByRole("button", { name: "Send a test" }).click();
        await expect.poll(() => receiver.received.length).toBe(before + 1);
        return receiver.received.at(-1) as Received;
      };
      await add(page, "Webhook", `${receiver.url}/in?key=very-secret`, "Robot");
      const first = await secretOn(page);
      expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      await page.goto(app.origin + NOTICE_PAGE);
      const html = await page.content();
      expect(html).not.toContain(first);
      expect(html).not.toContain("very-secret");
      await expect(card(page, "Robot")).toContainText("Webhook to 127.0.0.1");
      const row = JSON.stringify(await db.noticeChannel.findFirstOrThrow({ where: { accountId: account.id } }));
      expect(row).not.toContain("very-secret");
      expect(row).not.toContain(first.slice(6, 20));
      expect(verify(first, await sendTest())).toMatchObject({ data: { title: "Test of the channel Robot" } });

      await page.goto(app.origin + NOTICE_PAGE);
      await card(page, "Robot").locator("summary", { hasText: "Change or remove" }).click();
      await card(page, "Robot").getByRole("button", { name: "New secret" }).click();
      const second = await secretOn(page);
      const both = await sendTest();
      expect(verify(first, both)).toEqual(verify(second, both));
      await page.goto(app.origin + NOTICE_PAGE);
      await card(page, "Robot").locator("summary", { hasText: "Change or remove" }).click();
      await card(page, "Robot").getByRole("button", { name: "End the old secret" }).click();
      await expect(page.getByText("signed with the newest secret alone")).toBeVisible();
      const last = await sendTest();
      expect(verify(second, last)).toBeTruthy();
      expect(() => verify(first, last)).toThrow();
      await page.goto(app.origin + NOTICE_PAGE);
      await card(page, "Robot").locator("summary", { hasText: "Last 3 deliveries" }).click();
      await expect(card(page, "Robot").getByRole("row").filter({ hasText: "Delivered" })).toHaveCount(3);
      for (const secret of [first, second, "very-secret"]) expect(app.output()).not.toContain(secret);
    } finally {
      await receiver.stop();
    }
  });

  test("who adds a webhook sees what it receives", async ({ page, account }) => {
    await page.goto(app.origin + NOTICE_PAGE);
    await page.locator("summary", { hasText: /^Webhook$/ }).click();
    await page.locator("summary", { hasText: "What it receives" }).click();
    const shown = page.locator("figure", { hasText: "Body of a message" }).locator("code");
    await expect(shown).toBeVisible();
    expect(JSON.parse(String(await shown.textContent()))).toMatchObject({
      type: "notice",
      data: {
        title: expect.stringMatching(/^web-1 is offline since \d\d:\d\d$/),
        events: [{ server: { id: 7, name: "web-1" }, kind: "offline", ended_at: null }],
        link: expect.stringMatching(/^http:\/\/\S+\/dashboard\/servers\/7$/),
      },
    });
    expect(account.id).toBeGreaterThan(0);
  });

  test("a channel is renamed, turned off and on, and removed; what cannot be used is refused in a sentence and kept in the field", async ({
    page,
    account,
  }) => {
    await add(page, "Mail", "Ann <ann@example.com>", "Mine");
    await expect(page.getByText("Type one e-mail, such as ann@example.com")).toBeVisible();
    await expect(page.locator("details[open] [name=target]")).toHaveValue("Ann <ann@example.com>");
    await expect(page.locator("details[open] [name=name]")).toHaveValue("Mine");
    await add(page, "Webhook", "https://example.com:25/secret");
    await expect(page.getByText("The port of a URL is 80, 443, or 1024 and up.")).toBeVisible();
    await add(page, "Discord", "https://discord.com/api/webhooks/1/token");
    await expect(card(page, "discord.com")).toContainText("Discord to discord.com");
    await card(page, "discord.com").locator("summary", { hasText: "Change or remove" }).click();
    await card(page, "discord.com").getByRole("textbox", { name: "Name" }).fill("Team");
    await card(page, "discord.com").getByRole("button", { name: "Rename" }).click();
    await expect(page.getByText("The channel is renamed.")).toBeVisible();
    await card(page, "Team").getByRole("button", { name: "Turn off" }).click();
    await expect(card(page, "Team")).toContainText("You turned it off.");
    await card(page, "Team").getByRole("button", { name: "Turn on" }).click();
    await expect(card(page, "Team").getByText("On", { exact: true })).toBeVisible();
    await card(page, "Team").locator("summary", { hasText: "Change or remove" }).click();
    await card(page, "Team").getByRole("button", { name: "Remove this channel" }).click();
    await expect(page.getByText("There is no channel yet, so nobody is told anything.")).toBeVisible();
    expect(await db.noticeChannel.count({ where: { accountId: account.id } })).toBe(0);
  });
});

withAndWithoutJavaScript(() => {
  test("rules are sentences with boxes, delays and quiet hours; what makes no sense is refused and stays in its field", async ({
    page,
    account,
  }) => {
    await page.goto(app.origin + NOTICE_PAGE);
    const form = page.getByRole("form", { name: "What you are told" });
    const offline = form.getByRole("checkbox", { name: "A server is offline" });
    const delay = form.locator("[name=minutes-offline]");
    await expect(offline).toBeChecked();
    await expect(delay).toHaveValue("5");
    for (const wrong of ["", "-1", "1.5", "1441", "soon"]) {
      await delay.fill(wrong);
      await form.getByRole("button", { name: "Save the rules" }).click();
      await expect(form.getByText("Type whole minutes, from 0 to 1440.")).toBeVisible();
      await expect(delay).toHaveValue(wrong);
    }
    await delay.fill("15");
    await form.getByLabel("Quiet from").fill("22:00");
    await form.getByRole("button", { name: "Save the rules" }).click();
    await expect(form.getByText("Quiet hours need both times")).toBeVisible();
    expect(await db.noticeSettings.count({ where: { accountId: account.id } })).toBe(0);
    await form.getByLabel("Quiet until").fill("07:30");
    await form.getByRole("checkbox", { name: "A server has a full disk" }).uncheck();
    await form.getByRole("button", { name: "Save the rules" }).click();
    await expect(form.getByText("The rules are saved.")).toBeVisible();
    expect(await db.noticeSettings.findFirst({ where: { accountId: account.id } })).toMatchObject({
      rules: { offline: { on: true, minutes: 15 }, disk_full: { on: false }, recovered: { on: true } },
      quietFrom: 22 * 60,
      quietTo: 7 * 60 + 30,
      quietZone: "UTC",
    });
    await page.goto(app.origin + NOTICE_PAGE);
    await expect(delay).toHaveValue("15");
    await expect(form.getByRole("checkbox", { name: "A server has a full disk" })).not.toBeChecked();
    await expect(form.getByLabel("Quiet until")).toHaveValue("07:30");
  });

  test("an account is told of game services that others share with it only if it ticks so, and no longer when it unticks it", async ({
    page,
    account,
  }) => {
    const choose = async (isOn: boolean) => {
      await page.goto(app.origin + NOTICE_PAGE);
      const form = page.getByRole("form", { name: "What you are told" });
      const box = form.getByRole("checkbox", { name: "Also tell me about game services that others share with me" });
      await expect(box).toBeChecked({ checked: !isOn });
      await box.setChecked(isOn);
      await form.getByRole("button", { name: "Save the rules" }).click();
      await expect(form.getByText("The rules are saved.")).toBeVisible();
      const { rules } = await db.noticeSettings.findFirstOrThrow({ where: { accountId: account.id } });
      expect(rules).toMatchObject({ failed: { on: true }, shared: { on: isOn } });
    };
    await choose(true);
    await choose(false);
    await choose(true);
  });

  test("a server's page says by what it was told and when, and its notices are snoozed for an hour or eight", async ({
    page,
    account,
  }) => {
    const accountId = account.id;
    const { id } = await newServer(accountId);
    const at = new Date("2026-11-23T07:28:10Z");
    for (const kind of ["mail", "discord"]) {
      const channel = await db.noticeChannel.create({ data: { accountId, kind, name: kind, confirmedAt: at } });
      await db.notice.create({
        data: {
          ...{ channelId: channel.id, accountId, subject: "server", subjectId: id, eventId: 1, tells: "begin" },
          ...{ kind: "critical", name: "web-1", state: "told", startedAt: at, dueAt: at, nextAt: at, settledAt: at },
        },
      });
    }
    await page.goto(app.origin + serverPath(id));
    const form = page.getByRole("form", { name: "Notices of this server" });
    await expect(form).toContainText("Told by mail and Discord on 23 Nov, 07:28 UTC.");
    const snooze = () => db.serverSnooze.findFirst({ where: { serverId: id } });
    for (const [button, hours] of [
      ["For 1 hour", 1],
      ["For 8 hours", 8],
    ] as const) {
      await form.locator("summary", { hasText: "Snooze notices" }).click();
      await expect(form.getByRole("button")).toHaveText(["For 1 hour", "For 8 hours"]);
      await form.getByRole("button", { name: button }).click();
      await expect(form.getByText("Snoozed until ")).toBeVisible();
      const { until, createdAt } = (await snooze()) ?? { until: at, createdAt: at };
      expect(until.getTime() - createdAt.getTime()).toBe(hours * HOUR);
      await form.getByRole("button", { name: "Tell me again" }).click();
      await expect(form.locator("summary", { hasText: "Snooze notices" })).toBeVisible();
      expect(await snooze()).toBeNull();
    }
    const others = await newServer((await newAccount()).id);
    const fields = await fieldsOf(page, "form[aria-label='Notices of this server']");
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    const headers = { Origin: app.origin, Cookie: cookie };
    await sendFields(app.origin + serverPath(id), [...fields, ["length", "1h"]], headers, { id: String(others.id) });
    expect(await db.serverSnooze.count({ where: { serverId: others.id } })).toBe(0);
  });
});

test("what a receiver refuses stands with the channel in a sentence, and its answer is shown to nobody", async ({
  page,
  account,
}) => {
  const receiver = await startReceiver(302);
  try {
    await add(page, "Webhook", receiver.url, "Broken");
    await expect(card(page, "Broken")).toBeVisible();
    await page.goto(app.origin + NOTICE_PAGE);
    await card(page, "Broken").getByRole("button", { name: "Send a test" }).click();
    await expect
      .poll(async () => (await db.noticeMessage.findFirst({ where: { accountId: account.id } }))?.state)
      .toBe("failed");
    await page.goto(app.origin + NOTICE_PAGE);
    await card(page, "Broken").locator("summary", { hasText: "Last delivery" }).click();
    await expect(card(page, "Broken")).toContainText("It answered 302, a redirect. The console follows none");
  } finally {
    await receiver.stop();
  }
});

test("three mails a day ask for one address over all accounts, ten for an account, and neither says whether others asked", async ({
  context,
  page,
}) => {
  const email = `${unique("asked").toLowerCase()}@example.com`;
  const said = new Set<string>();
  for (let i = 0; i < 5; i++) {
    const { id } = await newAccount();
    await context.clearCookies();
    await signInDirectly(context, id);
    await add(page, "Mail", email);
    await expect(page.getByText("A mail is on its way, unless too many were sent there today")).toBeVisible();
    said.add(String(await card(page, email).textContent()));
    // Nor does the number of mails that are left tell.
    expect(await db.noticeConfirmation.count({ where: { accountId: id } })).toBe(1);
  }
  expect([...said]).toEqual([expect.stringContaining("Open the link in the confirmation mail")]);
  await expect.poll(() => mailsTo(email).length).toBe(3);

  const { id: accountId } = await newAccount();
  await context.clearCookies();
  await signInDirectly(context, accountId);
  const emailHashes = Array.from({ length: 10 }, () => randomBytes(32).toString("hex"));
  await db.noticeConfirmation.createMany({ data: emailHashes.map((emailHash) => ({ accountId, emailHash })) });
  const another = `${unique("other").toLowerCase()}@example.com`;
  await add(page, "Mail", another, "Late");
  await card(page, "Late").getByRole("button", { name: "Send the mail again" }).click();
  await expect(page.getByText("Ten such mails were sent for you within a day.")).toBeVisible();
  await db.noticeConfirmation.updateMany({ where: { accountId }, data: { sentAt: new Date(Date.now() - DAY - HOUR) } });
  await card(page, "Late").getByRole("button", { name: "Send the mail again" }).click();
  await expect.poll(() => mailsTo(another).length).toBe(1);
  expect(mailsTo(email)).toHaveLength(3);
});

test("a mail server that does not take the question is told in a sentence, which goes with the next mail", async ({
  page,
  account,
}) => {
  const email = `refused-${unique("x").toLowerCase()}@example.com`;
  await add(page, "Mail", email, "Refused");
  const where = { accountId: account.id };
  const failingSince = async () => (await db.noticeChannel.findFirst({ where }))?.failingSince ?? null;
  await expect.poll(failingSince).not.toBeNull();
  await page.goto(app.origin + NOTICE_PAGE);
  await expect(card(page, "Refused")).toContainText(
    "The confirmation mail was not sent: The mail server answered 451. Send it again later.",
  );
  await db.noticeChannel.updateMany({ where, data: { email: email.replace("refused", "taken") } });
  await card(page, "Refused").getByRole("button", { name: "Send the mail again" }).click();
  await expect(card(page, "Refused")).toContainText("Open the link in the confirmation mail");
  expect(await failingSince()).toBeNull();
});

test("while the mail server is away, the page says that no mail goes out, and each channel why, until a mail arrives again; a refused address says nothing of the others", async ({
  page,
  account,
}) => {
  const where = { accountId: account.id };
  const hint = page.getByText("No mail goes out at the moment: The mail server cannot be reached.");
  const isFailing = () => db.noticeChannel.count({ where: { ...where, failingSince: { not: null } } });
  const expectNoHint = () =>
    expect(async () => {
      await page.goto(app.origin + NOTICE_PAGE);
      await expect(hint).toHaveCount(0, { timeout: 100 });
    }).toPass();
  await add(page, "Mail", `refused-${unique("x").toLowerCase()}@example.com`, "Refused");
  await expect.poll(isFailing).toBe(1);
  await expectNoHint();
  await db.noticeChannel.deleteMany({ where });

  const email = `${unique("reader").toLowerCase()}@example.com`;
  const withoutServer = await startConsole(String(process.env.DATABASE_URL), {
    NOTICE_KEY,
    SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
    MAIL_FROM: "notices@example.com",
  });
  try {
    await add(page, "Mail", email, "Inbox", withoutServer.origin);
    await expect.poll(isFailing).toBe(1);
  } finally {
    await withoutServer.stop();
  }
  await page.goto(app.origin + NOTICE_PAGE);
  await expect(hint).toBeVisible();
  await expect(card(page, "Inbox")).toContainText(
    "The confirmation mail was not sent: The mail server cannot be reached.",
  );
  await card(page, "Inbox").getByRole("button", { name: "Send the mail again" }).click();
  await expect.poll(() => mailsTo(email).length).toBe(1);
  await expectNoHint();

  const at = new Date();
  const { id: channelId } = await db.noticeChannel.findFirstOrThrow({ where });
  const offReason = "The mail server cannot be reached.";
  await db.noticeChannel.update({ where: { id: channelId }, data: { confirmedAt: at, failingSince: at, offReason } });
  await page.goto(app.origin + NOTICE_PAGE);
  await expect(hint).toBeVisible();
  await expect(card(page, "Inbox")).toContainText(
    /Nothing arrives there: The mail server cannot be reached\. The first failure was .*\. After a day/,
  );
  await card(page, "Inbox").getByRole("button", { name: "Send a test" }).click();
  await expect.poll(() => mailsTo(email).length).toBe(2);
  await expectNoHint();
});

test("a test that arrives ends what is said of failures, one that does not leaves it", async ({ page, account }) => {
  const answers = [500, 204];
  const receiver = await startReceiver((response) => response.writeHead(answers.shift() ?? 204).end());
  const where = { accountId: account.id };
  try {
    await add(page, "Discord", receiver.url, "Robot");
    await expect(card(page, "Robot")).toBeVisible();
    await db.noticeChannel.updateMany({ where, data: { failingSince: new Date(Date.now() - 23 * HOUR) } });
    for (const [state, badge] of [
      ["failed", "On, failing"],
      ["delivered", "On"],
    ] as const) {
      await page.goto(app.origin + NOTICE_PAGE);
      await card(page, "Robot").getByRole("button", { name: "Send a test" }).click();
      await expect.poll(() => db.noticeMessage.count({ where: { ...where, state } })).toBe(1);
      await expect
        .poll(async () => {
          await page.goto(app.origin + NOTICE_PAGE);
          return card(page, "Robot").locator(".badge").first().textContent();
        })
        .toBe(badge);
    }
  } finally {
    await receiver.stop();
  }
});

test("a double click on “New secret” keeps the secret that the receiver has", async ({ page, account }) => {
  const receiver = await startReceiver();
  try {
    await add(page, "Webhook", receiver.url, "Robot");
    const first = await secretOn(page);
    await page.goto(app.origin + NOTICE_PAGE);
    const fields = await fieldsOf(page, "form[aria-label='New secret for Robot']");
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    const rotate = async () => {
      const answer = await sendFields(app.origin + NOTICE_PAGE, fields, { Origin: app.origin, Cookie: cookie });
      return /whsec_[A-Za-z0-9+/]{43}=/.exec(await answer.text())?.[0] ?? "";
    };
    const shown = await Promise.all([rotate(), rotate()]);
    await card(page, "Robot").getByRole("button", { name: "Send a test" }).click();
    await expect.poll(() => receiver.received.length).toBe(1);
    const [{ headers, body } = { headers: {}, body: "" }] = receiver.received;
    const isSigned = (secret: string) => {
      try {
        return Boolean(new Webhook(secret).verify(body, headers as Record<string, string>));
      } catch {
        return false;
      }
    };
    expect(isSigned(first)).toBe(true);
    expect(shown.map(isSigned).toSorted()).toEqual([false, true]);
    expect(await db.noticeMessage.count({ where: { accountId: account.id } })).toBe(1);
  } finally {
    await receiver.stop();
  }
});

test("a link to confirm an address lasts 48 hours, and a newer mail takes its place", async ({ page, account }) => {
  const email = `${unique("old").toLowerCase()}@example.com`;
  await add(page, "Mail", email, "Old");
  await expect.poll(() => mailsTo(email).length).toBe(1);
  const stale = linkIn(mailsTo(email)[0]?.parsed.text);
  const confirm = async (link: string) => {
    await page.goto(link);
    await page.getByRole("button", { name: "Confirm this e-mail" }).click();
  };
  await card(page, "Old").getByRole("button", { name: "Send the mail again" }).click();
  await expect.poll(() => mailsTo(email).length).toBe(2);
  await confirm(stale);
  await expect(page.getByText("Nothing was confirmed")).toBeVisible();
  const where = { accountId: account.id };
  await db.noticeChannel.updateMany({ where, data: { confirmSentAt: new Date(Date.now() - 48 * HOUR - 1000) } });
  await confirm(linkIn(mailsTo(email)[1]?.parsed.text));
  await expect(page.getByText("Nothing was confirmed")).toBeVisible();
  await db.noticeChannel.updateMany({ where, data: { confirmSentAt: new Date(Date.now() - 47 * HOUR) } });
  await confirm(linkIn(mailsTo(email)[1]?.parsed.text));
  await expect(page.getByText("Your e-mail is confirmed")).toBeVisible();
});

test("the last ten deliveries of a channel say what was sent, what became of it and when, the newest first", async ({
  page,
  account,
}) => {
  const where = { accountId: account.id };
  const confirmedAt = new Date();
  const { id: channelId } = await db.noticeChannel.create({
    data: { ...where, kind: "webhook", name: "Robot", host: "example.com", confirmedAt },
  });
  for (let i = 0; i < 12; i++) {
    const at = new Date(Date.now() - i * HOUR);
    const content = { title: `<b>web-${i}</b> is offline` };
    const state = i === 1 ? "failed" : "delivered";
    const reason = i === 1 ? "It answered 500." : null;
    const data = { channelId, ...where, state, reason, content, nextAt: at, createdAt: at, endedAt: at };
    await db.noticeMessage.create({ data });
  }
  await page.goto(app.origin + NOTICE_PAGE);
  await card(page, "Robot").locator("summary", { hasText: "Last 10 deliveries" }).click();
  const rows = card(page, "Robot").getByRole("row");
  await expect(rows).toHaveCount(11);
  await expect(rows.nth(1)).toContainText("<b>web-0</b> is offline");
  await expect(rows.nth(2)).toContainText("Not delivered");
  await expect(rows.nth(2)).toContainText("It answered 500.");
  await expect(rows.nth(10)).toContainText("web-9");
});

test("a channel says what waits there, for what and until when, and what was dropped and why", async ({
  page,
  account,
}) => {
  const accountId = account.id;
  const [confirmedAt, later] = [new Date(), new Date(Date.now() + 5 * DAY)];
  const held = { heldFor: "quiet", heldUntil: later };
  const { id: channelId } = await db.noticeChannel.create({
    data: { accountId, kind: "webhook", name: "Robot", host: "example.com", confirmedAt, ...held },
  });
  const row = (eventId: number) => ({
    ...{ channelId, accountId, subject: "server", subjectId: 1, eventId, tells: "begin", kind: "offline" },
    ...{ name: `web-${eventId}`, startedAt: confirmedAt, dueAt: confirmedAt, nextAt: later },
  });
  const dropped = { state: "dropped", reason: "The channel is off.", settledAt: confirmedAt };
  await db.notice.createMany({
    data: [row(1), row(2), { ...row(3), waitsFor: "snooze" }, { ...row(4), ...dropped }, { ...row(5), ...dropped }],
  });
  await page.goto(app.origin + NOTICE_PAGE);
  await expect(card(page, "Robot")).toContainText("2 notices wait for the end of quiet hours. They come in 5 days.");
  await expect(card(page, "Robot")).toContainText("1 notice waits for the end of a snooze. It comes in 5 days.");
  await card(page, "Robot").locator("summary", { hasText: "Last delivery" }).click();
  await expect(card(page, "Robot").getByRole("row").nth(1)).toContainText(
    /2 notices\s*Status\s*Dropped\s*Why\s*The channel is off\./,
  );
});

test("an account has at most twenty channels, a form adds one, and nobody touches those of another", async ({
  page,
  account,
  browser,
}) => {
  const where = { accountId: account.id };
  const rows = Array.from({ length: 19 }, (_, i) => ({ ...where, kind: "webhook", name: `w${i}` }));
  await db.noticeChannel.createMany({ data: rows });
  await page.goto(app.origin + NOTICE_PAGE);
  const fields = await fieldsOf(page, "form[aria-label='Add the Discord channel']");
  const { cookie } = {
    cookie: (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; "),
  };
  const send = (changes: Record<string, string>) =>
    sendFields(app.origin + NOTICE_PAGE, fields, { Origin: app.origin, Cookie: cookie }, changes);
  const target = "https://discord.com/api/webhooks/1/t";
  await Promise.all(Array.from({ length: 5 }, () => send({ target })));
  expect(await db.noticeChannel.count({ where })).toBe(20);
  const answers = Array.from({ length: 5 }, () => send({ target, formNonce: randomBytes(16).toString("base64url") }));
  for (const answer of await Promise.all(answers)) {
    if (answer.status === 200) expect(await answer.text()).toContain("An account can have 20 channels.");
  }
  expect(await db.noticeChannel.count({ where })).toBe(20);

  const stranger = await newAccount();
  const context = await browser.newContext();
  await signInDirectly(context, stranger.id);
  const theirs = await context.newPage();
  await add(theirs, "Discord", target, "Theirs");
  await expect(card(theirs, "Theirs")).toBeVisible();
  const [mine] = await db.noticeChannel.findMany({ where, take: 1 });
  for (const button of ["Remove Theirs", "Rename Theirs", "Turn Theirs off", "Send a test to Theirs"]) {
    await theirs.goto(app.origin + NOTICE_PAGE);
    const form = await fieldsOf(theirs, `form[aria-label='${button}']`);
    const theirCookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    await sendFields(
      app.origin + NOTICE_PAGE,
      form,
      { Origin: app.origin, Cookie: theirCookie },
      { id: String(mine?.id), name: "x" },
    );
  }
  expect(await db.noticeChannel.findFirst({ where: { id: mine?.id ?? 0 } })).toEqual(mine);
  expect(await db.noticeMessage.count({ where: { channelId: mine?.id ?? 0 } })).toBe(0);
  await context.close();
});

test("twenty tests in an hour are sent for an account, over all its channels", async ({ page, account }) => {
  const where = { accountId: account.id };
  await add(page, "Discord", "https://discord.com/api/webhooks/1/t", "Team");
  await expect(card(page, "Team")).toBeVisible();
  const { id: channelId } = await db.noticeChannel.findFirstOrThrow({ where });
  const test = { ...where, channelId, isTest: true, state: "delivered", content: {}, nextAt: new Date() };
  await db.noticeMessage.createMany({ data: Array.from({ length: 20 }, () => test) });
  await page.goto(app.origin + NOTICE_PAGE);
  await card(page, "Team").getByRole("button", { name: "Send a test" }).click();
  await expect(page.getByText("You can send 20 tests in an hour.")).toBeVisible();
  expect(await db.noticeMessage.count({ where })).toBe(20);
});

test("after NOTICE_KEY is replaced, a start encrypts channels with the new key, and then the old one can go", async ({
  page,
  account,
}) => {
  const receiver = await startReceiver();
  const newer = randomBytes(32).toString("base64");
  const start = (keys: string) =>
    startConsole(String(process.env.DATABASE_URL), {
      TRUSTED_PROXIES: "1",
      NOTICE_KEY: keys,
      PRIVATE_WEBHOOKS: "allow",
    });
  const sealed = async () =>
    (await db.noticeChannel.findFirstOrThrow({ where: { accountId: account.id }, select: { sealed: true } })).sealed;
  try {
    await add(page, "Discord", receiver.url, "Robot");
    await expect(card(page, "Robot")).toBeVisible();
    const before = await sealed();
    const between = await start(`${newer},${NOTICE_KEY}`);
    await expect.poll(sealed).not.toBe(before);
    await between.stop();
    const after = await start(newer);
    try {
      await page.goto(after.origin + NOTICE_PAGE);
      await card(page, "Robot").getByRole("button", { name: "Send a test" }).click();
      await expect.poll(() => receiver.received.length).toBe(1);
    } finally {
      await after.stop();
    }
    // A console that has the old key alone says what it lacks.
    await page.goto(app.origin + NOTICE_PAGE);
    await card(page, "Robot").getByRole("button", { name: "Send a test" }).click();
    await expect.poll(() => db.noticeMessage.count({ where: { accountId: account.id, state: "failed" } })).toBe(1);
    await page.goto(app.origin + NOTICE_PAGE);
    await card(page, "Robot").locator("summary", { hasText: "Last 2 deliveries" }).click();
    await expect(card(page, "Robot")).toContainText("NOTICE_KEY has no key with the id");
  } finally {
    await receiver.stop();
  }
});

test("a console without keys starts, says what is off and how it is switched on, and adds nothing", async ({
  page,
  account,
}) => {
  await page.goto(NOTICE_PAGE);
  await expect(
    page.getByText("Notices are off on this console. Its operator switches them on with NOTICE_KEY"),
  ).toBeVisible();
  await expect(page.getByRole("heading", { name: "Add a channel" })).toHaveCount(0);
  await expectAccessible(page);
  expect(account.id).toBeGreaterThan(0);
});

test("the page of notices and those of its mails fit every screen and meet WCAG 2.2 AA", async ({ page, account }) => {
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
  await expectAccessible(page);
  await expectToFit(page);
  for (const path of ["/notices/confirm?key=k", "/notices/unsubscribe?key=k", "/notices/confirm?done=stale"]) {
    await page.goto(app.origin + path);
    await expectAccessible(page);
    await expectToFit(page);
  }
});

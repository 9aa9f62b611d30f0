import { randomBytes } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { startConsole } from "@/e2e/support/console-server";
import { unique } from "@/e2e/support/factories";
import { freePort } from "@/e2e/support/free-port";
import {
  addChannel,
  badgeOf,
  card,
  onlyChannel,
  pressOn,
  saidOf,
  startNoticeConsole,
} from "@/e2e/support/notice-console";
import { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";
import { NOTICE_PAGE } from "@/lib/page-paths";

// Channels by mail, through a console that sends to a real mail server on loopback.

const app = await startNoticeConsole();
afterAll(app.stop);

const newEmail = (name: string) => `${unique(name).toLowerCase()}@example.com`;
const arrived = (email: string, count: number) => expect.poll(() => app.mailsTo(email).length).toBe(count);

test("an address is confirmed only by the button, and one click ends its mails", async () => {
  const { account, page } = await app.newReader();
  const email = newEmail("reader");
  const channel = () => onlyChannel(account.id);
  await addChannel(page, "Mail", email, "Inbox");
  expect(page.text).toContain("A mail is on its way, unless too many were sent there today");
  expect(badgeOf(page, "Inbox")).toBe("Not confirmed");
  expect(page.buttons("Send a test").length).toBe(0);
  await arrived(email, 1);
  const link = app.linkIn(app.mailsTo(email)[0]?.parsed.text);

  // As programs that look for viruses do.
  for (let i = 0; i < 3; i++) expect((await fetch(link)).status).toBe(200);
  await page.goto(link);
  expect((await channel()).confirmedAt).toBeNull();
  const fields = page.fieldsOf("Confirm this e-mail");
  await page.press("Confirm this e-mail");
  expect(page.text).toContain("Your e-mail is confirmed");
  expect((await channel()).confirmedAt).not.toBeNull();
  await page.send(fields, link);
  expect(page.path).toContain("done=already");
  expect(page.text).toContain("This link has confirmed your e-mail already.");

  await pressOn(page, "Inbox", "Send a test");
  expect(page.text).toContain("A test is on its way.");
  await arrived(email, 2);
  const sent = app.mailsTo(email)[1];
  expect(sent?.parsed.subject).toBe("Test of the channel Inbox");
  const oneClick = /List-Unsubscribe: <([^>]+)>/.exec(sent?.raw.replace(/\r?\n\s+/g, " ") ?? "")?.[1] ?? "";
  const path = new URL(oneClick).pathname;

  const opened = await fetch(app.origin + path, { redirect: "manual" });
  const { pathname } = new URL(opened.headers.get("location") ?? "", app.origin);
  expect([opened.status, pathname]).toEqual([303, "/notices/unsubscribe"]);
  await page.goto(app.linkIn(sent?.parsed.text?.split("Stop these mails:")[1]));
  expect((await channel()).offAt).toBeNull();
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const body = "List-Unsubscribe=One-Click";
  const posted = await fetch(app.origin + path, { method: "POST", headers, body });
  expect([posted.status, await posted.text()]).toEqual([200, "You are unsubscribed.\n"]);
  expect((await fetch(app.origin + path, { method: "POST", headers, body })).status).toBe(200);
  expect((await fetch(`${app.origin + path}x`, { method: "POST", headers, body })).status).toBe(404);
  expect(await saidOf(page, "Inbox")).toContain("Its reader unsubscribed. It stays off until they confirm again.");

  // Its owner cannot turn it on: the reader is asked anew, and the link of before is worth nothing.
  expect(page.buttons("Turn on").length).toBe(0);
  await page.send(fields, link);
  expect(page.path).toContain("done=stale");
  await pressOn(page, "Inbox", "Send the mail again");
  await arrived(email, 3);
  expect(badgeOf(page, "Inbox")).toBe("Not confirmed");
  await page.goto(app.linkIn(app.mailsTo(email)[2]?.parsed.text));
  await page.press("Confirm this e-mail");
  await page.goto(NOTICE_PAGE);
  expect(badgeOf(page, "Inbox")).toBe("On");
});

test("a link to confirm an address lasts 48 hours or until a newer mail", async () => {
  const { account, page } = await app.newReader();
  const email = newEmail("old");
  await addChannel(page, "Mail", email, "Old");
  await arrived(email, 1);
  await pressOn(page, "Old", "Send the mail again");
  await arrived(email, 2);
  const [stale, newest] = app.mailsTo(email).map(({ parsed }) => app.linkIn(parsed.text));
  const confirm = async (link = "") => {
    await page.goto(link);
    await page.press("Confirm this e-mail");
    return page.text;
  };
  const sentAgo = (milliseconds: number) =>
    db.noticeChannel.updateMany({
      where: { accountId: account.id },
      data: { confirmSentAt: new Date(Date.now() - milliseconds) },
    });
  expect(await confirm(stale)).toContain("Nothing was confirmed");
  await sentAgo(48 * HOUR + 1000);
  expect(await confirm(newest)).toContain("Nothing was confirmed");
  await sentAgo(47 * HOUR);
  expect(await confirm(newest)).toContain("Your e-mail is confirmed");
});

test("confirmation mails are limited to three per address and ten per account a day", async () => {
  const email = newEmail("asked");
  const said = new Set<string>();
  for (let i = 0; i < 5; i++) {
    const { account, page } = await app.newReader();
    await addChannel(page, "Mail", email);
    expect(page.text).toContain("A mail is on its way, unless too many were sent there today");
    said.add(page.textOf(card(page, email)));
    // Nor does the number of mails that are left tell.
    expect(await db.noticeConfirmation.count({ where: { accountId: account.id } })).toBe(1);
  }
  expect([...said]).toEqual([expect.stringContaining("Open the link in the confirmation mail")]);
  await arrived(email, 3);

  const { account, page } = await app.newReader();
  const accountId = account.id;
  const emailHashes = Array.from({ length: 10 }, () => randomBytes(32).toString("hex"));
  await db.noticeConfirmation.createMany({ data: emailHashes.map((emailHash) => ({ accountId, emailHash })) });
  const another = newEmail("other");
  await addChannel(page, "Mail", another, "Late");
  await pressOn(page, "Late", "Send the mail again");
  expect(page.text).toContain("Ten such mails were sent for you within a day.");
  await db.noticeConfirmation.updateMany({ where: { accountId }, data: { sentAt: new Date(Date.now() - DAY - HOUR) } });
  await pressOn(page, "Late", "Send the mail again");
  await arrived(another, 1);
  expect(app.mailsTo(email)).toHaveLength(3);
});

test("a refusal by the mail server is shown until the next mail goes out", async () => {
  const { account, page } = await app.newReader();
  const email = `refused-${newEmail("x")}`;
  await addChannel(page, "Mail", email, "Refused");
  const failingSince = async () => (await onlyChannel(account.id)).failingSince;
  await expect.poll(failingSince).not.toBeNull();
  expect(await saidOf(page, "Refused")).toContain(
    "The confirmation mail was not sent: The mail server refused the address: it answered 451. Send it again later.",
  );
  const taken = { email: email.replace("refused", "taken") };
  await db.noticeChannel.updateMany({ where: { accountId: account.id }, data: taken });
  await pressOn(page, "Refused", "Send the mail again");
  expect(page.textOf(card(page, "Refused"))).toContain("Open the link in the confirmation mail");
  expect(await failingSince()).toBeNull();
});

test("the page and each channel say why no mail goes out until one arrives", async () => {
  const { account, page } = await app.newReader();
  const where = { accountId: account.id };
  const HINT = "No mail goes out at the moment: The mail server cannot be reached.";
  const isFailing = () => db.noticeChannel.count({ where: { ...where, failingSince: { not: null } } });
  const isHinted = async () => (await page.goto(NOTICE_PAGE)).text.includes(HINT);
  await addChannel(page, "Mail", `refused-${newEmail("x")}`, "Refused");
  await expect.poll(isFailing).toBe(1);
  expect(await isHinted()).toBe(false);
  await db.noticeChannel.deleteMany({ where });

  const email = newEmail("reader");
  const withoutServer = await startConsole(String(process.env.DATABASE_URL), {
    NOTICE_KEY: app.key,
    SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
    MAIL_FROM: "notices@example.com",
  });
  try {
    const there = await Visitor.signedIn(withoutServer.origin, account.id);
    await addChannel(there, "Mail", email, "Inbox");
    await expect.poll(isFailing).toBe(1);
  } finally {
    await withoutServer.stop();
  }
  expect(await isHinted()).toBe(true);
  expect(page.textOf(card(page, "Inbox"))).toContain(
    "The confirmation mail was not sent: The mail server cannot be reached.",
  );
  await pressOn(page, "Inbox", "Send the mail again");
  await arrived(email, 1);
  await expect.poll(isHinted).toBe(false);

  const at = new Date();
  const offReason = "The mail server cannot be reached.";
  await db.noticeChannel.updateMany({ where, data: { confirmedAt: at, failingSince: at, offReason } });
  expect(await isHinted()).toBe(true);
  expect(page.textOf(card(page, "Inbox"))).toMatch(
    /Nothing arrives there: The mail server cannot be reached\. The first failure was [^.]*\.(?! After a day)/,
  );
  await pressOn(page, "Inbox", "Send a test");
  await arrived(email, 2);
  await expect.poll(isHinted).toBe(false);
});

import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { command } from "@/e2e/support/command";
import { startConsole } from "@/e2e/support/console-server";
import {
  addChannel,
  badgeOf,
  card,
  onlyChannel,
  pressOn,
  saidOf,
  startNoticeConsole,
} from "@/e2e/support/notice-console";
import { type Received, startReceiver } from "@/e2e/support/receivers";
import { newVisitor } from "@/e2e/support/site";
import { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";
import { open } from "@/lib/notices/secrets";
import { NOTICE_PAGE } from "@/lib/page-paths";

// Channels of notices: added, tested, changed, limited, and what each says of itself. By mail: notice-mails.test.ts.

const DISCORD = "https://discord.com/api/webhooks/1/token";
const app = await startNoticeConsole();
afterAll(app.stop);

const secretOn = (page: Visitor) => page.textOf(page.part("Secret of the webhook").find("code"));
const verify = (secret: string, { headers, body }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

test("a webhook's secret is shown once, and a new one signs beside the old", async () => {
  const { account, page } = await app.newReader();
  const receiver = await startReceiver();
  onTestFinished(receiver.stop);
  const sendTest = async () => {
    const before = receiver.received.length;
    await pressOn(page, "Robot", "Send a test");
    await expect.poll(() => receiver.received.length).toBe(before + 1);
    return receiver.received.at(-1) as Received;
  };
  await addChannel(page, "Webhook", `${receiver.url}/in?key=very-secret`, "Robot");
  const first = secretOn(page);
  expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(await saidOf(page, "Robot")).toContain("Webhook to 127.0.0.1");
  expect(page.html).not.toContain(first);
  expect(page.html).not.toContain("very-secret");
  const row = JSON.stringify(await onlyChannel(account.id));
  expect(row).not.toContain("very-secret");
  expect(row).not.toContain(first.slice(6, 20));
  expect(verify(first, await sendTest())).toMatchObject({ data: { title: "Test of the channel Robot" } });

  await pressOn(page, "Robot", "New secret");
  const second = secretOn(page);
  const both = await sendTest();
  expect(verify(first, both)).toEqual(verify(second, both));
  await pressOn(page, "Robot", "End the old secret");
  expect(page.text).toContain("signed with the newest secret alone");
  const last = await sendTest();
  expect(verify(second, last)).toBeTruthy();
  expect(() => verify(first, last)).toThrow();
  await page.goto(NOTICE_PAGE);
  expect(page.rows("Delivered", "Last deliveries of Robot").length).toBe(3);
  for (const secret of [first, second, "very-secret"]) expect(app.output()).not.toContain(secret);
});

test("a double click on “New secret” keeps the secret that the receiver has", async () => {
  const { account, page } = await app.newReader();
  const receiver = await startReceiver();
  onTestFinished(receiver.stop);
  await addChannel(page, "Webhook", receiver.url, "Robot");
  const first = secretOn(page);
  await page.goto(NOTICE_PAGE);
  const fields = page.fieldsOf("New secret", card(page, "Robot"));
  const shown = await Promise.all(
    Array.from({ length: 2 }, async () => {
      const clicked = await Visitor.signedIn(app.origin, account.id);
      await clicked.send(fields, NOTICE_PAGE);
      return /whsec_[A-Za-z0-9+/]{43}=/.exec(clicked.html)?.[0] ?? "";
    }),
  );
  await pressOn(page, "Robot", "Send a test");
  await expect.poll(() => receiver.received.length).toBe(1);
  const isSigned = (secret: string) => {
    try {
      return Boolean(verify(secret, receiver.received[0] as Received));
    } catch {
      return false;
    }
  };
  expect(isSigned(first)).toBe(true);
  expect(shown.map(isSigned).toSorted()).toEqual([false, true]);
  expect(await db.noticeMessage.count({ where: { accountId: account.id } })).toBe(1);
});

test("who adds a webhook sees what it receives", async () => {
  const { page } = await app.newReader();
  await page.goto(NOTICE_PAGE);
  expect(JSON.parse(page.textOf(page.part("Body of a message").find("code")))).toMatchObject({
    type: "notice",
    data: {
      title: expect.stringMatching(/^web-1 is offline since \d\d:\d\d$/),
      events: [{ server: { id: 7, name: "web-1" }, kind: "offline", ended_at: null }],
      link: expect.stringMatching(/^http:\/\/\S+\/dashboard\/servers\/7$/),
    },
  });
});

test("a channel is renamed, turned off and on, and removed; unusable input is refused", async () => {
  const { account, page } = await app.newReader();
  await addChannel(page, "Mail", "Ann <ann@example.com>", "Mine");
  expect(page.text).toContain("Type one e-mail, such as ann@example.com");
  const kept = page.$("details[open]");
  expect([kept.find("[name=target]").val(), kept.find("[name=name]").val()]).toEqual(["Ann <ann@example.com>", "Mine"]);
  await addChannel(page, "Discord", DISCORD);
  expect(page.textOf(card(page, "discord.com"))).toContain("Discord to discord.com");
  await pressOn(page, "discord.com", "Rename", { Name: "Team" });
  expect(page.text).toContain("The channel is renamed.");
  await pressOn(page, "Team", "Turn off");
  expect(page.textOf(card(page, "Team"))).toContain("You turned it off.");
  await pressOn(page, "Team", "Turn on");
  expect(badgeOf(page, "Team")).toBe("On");
  await pressOn(page, "Team", "Remove this channel");
  expect(page.text).toContain("There is no channel yet, so nobody is told anything.");
  expect(await db.noticeChannel.count({ where: { accountId: account.id } })).toBe(0);
});

test("an account has at most twenty channels, and nobody touches those of another", async () => {
  const { account, page } = await app.newReader();
  const where = { accountId: account.id };
  const rows = Array.from({ length: 19 }, (_, i) => ({ ...where, kind: "webhook", name: `w${i}` }));
  await db.noticeChannel.createMany({ data: rows });
  await page.goto(NOTICE_PAGE);
  const fields = page.fieldsOf("Add the Discord channel");
  const send = async (changes: Record<string, string>) => {
    const typed = fields.map(([name, value]): [string, string] => [name, changes[name] ?? value]);
    return (await Visitor.signedIn(app.origin, account.id)).send(typed, NOTICE_PAGE);
  };
  await Promise.all(Array.from({ length: 5 }, () => send({ target: DISCORD })));
  expect(await db.noticeChannel.count({ where })).toBe(20);
  const more = () => send({ target: DISCORD, formNonce: randomBytes(16).toString("base64url") });
  for (const { status, text } of await Promise.all(Array.from({ length: 5 }, more))) {
    if (status === 200) expect(text).toContain("An account can have 20 channels.");
  }
  expect(await db.noticeChannel.count({ where })).toBe(20);

  const { page: theirs } = await app.newReader();
  await addChannel(theirs, "Discord", DISCORD, "Theirs");
  const mine = await onlyChannel(account.id);
  for (const button of ["Remove this channel", "Rename", "Turn off", "Send a test"]) {
    await theirs.goto(NOTICE_PAGE);
    await theirs.press(button, {}, { within: card(theirs, "Theirs"), forged: { id: String(mine.id), name: "x" } });
  }
  expect(await db.noticeChannel.findFirst({ where: { id: mine.id } })).toEqual(mine);
  expect(await db.noticeMessage.count({ where: { channelId: mine.id } })).toBe(0);
});

test("twenty tests in an hour are sent for an account, over all its channels", async () => {
  const { account, page } = await app.newReader();
  const where = { accountId: account.id };
  await addChannel(page, "Discord", DISCORD, "Team");
  const { id: channelId } = await onlyChannel(account.id);
  const sent = { ...where, channelId, isTest: true, state: "delivered", content: {}, nextAt: new Date() };
  await db.noticeMessage.createMany({ data: Array.from({ length: 20 }, () => sent) });
  await pressOn(page, "Team", "Send a test");
  expect(page.text).toContain("You can send 20 tests in an hour.");
  expect(await db.noticeMessage.count({ where })).toBe(20);
});

test("a test that arrives clears the failure, and one that fails leaves it", async () => {
  const { account, page } = await app.newReader();
  const answers = [500, 204];
  const receiver = await startReceiver((response) => response.writeHead(answers.shift() ?? 204).end());
  onTestFinished(receiver.stop);
  const where = { accountId: account.id };
  const badge = async () => {
    await page.goto(NOTICE_PAGE);
    return badgeOf(page, "Robot");
  };
  await addChannel(page, "Discord", receiver.url, "Robot");
  await db.noticeChannel.updateMany({ where, data: { failingSince: new Date(Date.now() - 23 * HOUR) } });
  for (const [state, shown] of [
    ["failed", "On, failing"],
    ["delivered", "On"],
  ] as const) {
    await pressOn(page, "Robot", "Send a test");
    await expect.poll(() => db.noticeMessage.count({ where: { ...where, state } })).toBe(1);
    await expect.poll(badge).toBe(shown);
  }
});

test("a channel lists its last ten deliveries with time and outcome, newest first", async () => {
  const { account, page } = await app.newReader();
  const where = { accountId: account.id };
  const { id: channelId } = await db.noticeChannel.create({
    data: { ...where, kind: "webhook", name: "Robot", host: "example.com", confirmedAt: new Date() },
  });
  for (let i = 0; i < 12; i++) {
    const at = new Date(Date.now() - i * HOUR);
    const content = { title: `<b>web-${i}</b> is offline` };
    const state = i === 1 ? "failed" : "delivered";
    const reason = i === 1 ? "It answered 500." : null;
    const data = { channelId, ...where, state, reason, content, nextAt: at, createdAt: at, endedAt: at };
    await db.noticeMessage.create({ data });
  }
  expect(await saidOf(page, "Robot")).toContain("Last 10 deliveries");
  const rows = page.textsOf(page.rows("", "Last deliveries of Robot"));
  expect(rows).toHaveLength(11);
  expect(rows[1]).toContain("<b>web-0</b> is offline");
  expect(rows[2]).toContain("Not delivered");
  expect(rows[2]).toContain("It answered 500.");
  expect(rows[10]).toContain("web-9");
});

test("a channel says what waits there and until when, and what was dropped", async () => {
  const { account, page } = await app.newReader();
  const [confirmedAt, later] = [new Date(), new Date(Date.now() + 5 * DAY)];
  const held = { heldFor: "quiet", heldUntil: later };
  const { id: channelId } = await db.noticeChannel.create({
    data: { accountId: account.id, kind: "webhook", name: "Robot", host: "example.com", confirmedAt, ...held },
  });
  const row = (eventId: number) => ({
    ...{ channelId, accountId: account.id, subject: "server", subjectId: 1, eventId, tells: "begin", kind: "offline" },
    ...{ name: `web-${eventId}`, startedAt: confirmedAt, dueAt: confirmedAt, nextAt: later },
  });
  const dropped = { state: "dropped", reason: "The channel is off.", settledAt: confirmedAt };
  await db.notice.createMany({
    data: [row(1), row(2), { ...row(3), waitsFor: "snooze" }, { ...row(4), ...dropped }, { ...row(5), ...dropped }],
  });
  const said = await saidOf(page, "Robot");
  expect(said).toContain("2 notices wait for the end of quiet hours. They come in 5 days.");
  expect(said).toContain("1 notice waits for the end of a snooze. It comes in 5 days.");
  expect(said).toContain("Last delivery");
  expect(page.textsOf(page.rows("", "Last deliveries of Robot"))[1]).toMatch(
    /2 notices\s*Status\s*Dropped\s*Why\s*The channel is off\./,
  );
});

test("after NOTICE_KEY is replaced, a start encrypts channels with the new key", async () => {
  const { account, page } = await app.newReader();
  const newer = randomBytes(32);
  await addChannel(page, "Discord", DISCORD, "Robot");
  const select = { sealed: true };
  const sealed = async () =>
    String((await db.noticeChannel.findFirst({ where: { accountId: account.id }, select }))?.sealed);
  const before = await sealed();
  const between = await startConsole(String(process.env.DATABASE_URL), {
    NOTICE_KEY: `${newer.toString("base64")},${app.key}`,
  });
  await expect.poll(sealed).not.toBe(before);
  await between.stop();
  expect(open(await sealed(), account.id, [newer])).toBe(open(before, account.id, [Buffer.from(app.key, "base64")]));
  // A console that has the old key alone says what it lacks.
  await pressOn(page, "Robot", "Send a test");
  await expect.poll(() => db.noticeMessage.count({ where: { accountId: account.id, state: "failed" } })).toBe(1);
  expect(await saidOf(page, "Robot")).toContain("NOTICE_KEY has no key with the id");
});

test("npm run console -- notices test EMAIL tests each channel and reports failures", async () => {
  const { account, page } = await app.newReader();
  const [working, broken] = [await startReceiver(), await startReceiver(500)];
  onTestFinished(working.stop);
  onTestFinished(broken.stop);
  const variables = { DATABASE_URL: String(process.env.DATABASE_URL), NOTICE_KEY: app.key, PRIVATE_WEBHOOKS: "allow" };
  const run = () => command(["console", "notices", "test", account.email], variables);
  const off = { accountId: account.id, kind: "webhook", name: "off", confirmedAt: new Date(), offAt: new Date() };
  await db.noticeChannel.create({ data: off });
  await addChannel(page, "Webhook", working.url, "a");
  const good = await run();
  expect([good.code, working.received.length], good.stderr).toEqual([0, 1]);
  expect(good.stdout).toMatch(/^channel +address +test\na +127\.0\.0\.1 +delivered\n$/);
  await addChannel(page, "Webhook", broken.url, "b");
  const bad = await run();
  expect([bad.code, working.received.length, broken.received.length]).toEqual([1, 2, 1]);
  expect(bad.stdout).toMatch(/\nb +127\.0\.0\.1 +failed: .*500/);
  expect(bad.stderr).toContain("1 of 2 failed.");
});

test("a console without keys starts, says what is off, and adds nothing", async () => {
  const { page } = await newVisitor();
  await page.goto(NOTICE_PAGE);
  expect(page.text).toContain("Notices are off on this console. Its operator switches them on with NOTICE_KEY");
  expect(page.textsOf("h2")).not.toContain("Add a channel");
});

import { expect, test } from "vitest";
import { newAccount, newServer, putEvents } from "@/e2e/support/factories";
import { newListener } from "@/e2e/support/told";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { endSnooze, noticesOf, snoozeServer } from "@/lib/notices/of-server";
import { readChoices, saveChoices } from "@/lib/notices/settings";
import { deleteBeyond } from "@/lib/notices/unsent";
import { deleteOld } from "@/lib/sweep/retention";

// When an account is told: delays, bundles, limits of an hour, quiet hours, snoozes and maintenance.

test("an outage is told after five minutes, its end once; shorter ones are not", async () => {
  const { live, goOffline, comeBack, addServer, titles, arrivals, rows } = await newListener();
  const server = await addServer("web-1");
  await goOffline(server);
  await live(4.5 * MINUTE, 90 * SECOND);
  expect(titles()).toEqual([]);
  await live(90 * SECOND, 30 * SECOND);
  expect(titles()).toEqual([expect.stringMatching(/^web-1 is offline since \d\d:\d\d$/)]);
  await comeBack(server);
  await live(2 * MINUTE);
  expect(titles().slice(1)).toEqual(["web-1 is online again"]);
  expect(arrivals.map(({ link }) => link)).toEqual([`/dashboard/servers/${server}`, `/dashboard/servers/${server}`]);
  await goOffline(server);
  await live(4 * MINUTE);
  await comeBack(server);
  await live(30 * MINUTE, 10 * MINUTE);
  expect(titles()).toHaveLength(2);
  expect((await rows()).map(({ tells, state }) => `${tells} ${state}`)).toEqual(["begin told", "end told"]);
});

test("the end of what lasted over a month is told, whatever was swept before", async () => {
  const { live, pass, look, goOffline, comeBack, addServer, titles, rows } = await newListener();
  const server = await addServer("web-1");
  await goOffline(server, 5);
  await live(MINUTE);
  await pass(40 * DAY);
  await comeBack(server);
  await look();
  await deleteOld("notices", async () => true);
  await live(MINUTE);
  expect(titles().slice(1)).toEqual(["web-1 is online again"]);
  await pass(31 * DAY);
  await deleteOld("notices", async () => true);
  expect(await rows()).toEqual([]);
});

test("notices of a channel wait 45 seconds to be sent as one message", async () => {
  const { live, pass, look, goOffline, addServer, titles, arrivals, sql, accountId } = await newListener();
  for (let n = 1; n <= 12; n++) await goOffline(await addServer(`db-${n}`), 5, null);
  await look();
  await pass(43 * SECOND);
  await look();
  expect(titles()).toEqual([]);
  await pass(3 * SECOND);
  await look();
  const [message] = arrivals;
  expect(titles()).toEqual([expect.stringMatching(/^12 servers are offline since \d\d:\d\d$/)]);
  expect(message?.lines[0]).toMatch(/: db-1, .*, db-10 and 2 more\.$/);
  expect(message?.events).toHaveLength(12);
  await sql(`update events set ended_at = now() - subject_id % 12 * interval '1 s' where account_id = ${accountId}`);
  await live(2 * MINUTE);
  expect(titles().slice(1)).toEqual(["12 servers are online again"]);
});

test("an outage during the console's absence is told only if it outlasted its delay", async () => {
  const { live, goOffline, addServer, titles } = await newListener();
  await goOffline(await addServer("long"), 3 * 24 * 60, 60);
  await goOffline(await addServer("short"), 64, 60);
  await live(2 * MINUTE);
  expect(titles()).toEqual(["long was offline"]);
});

test("at most three outages an hour of one server are told one by one", async () => {
  const { live, goOffline, comeBack, addServer, titles, arrivals } = await newListener();
  const server = await addServer("web-1");
  for (let n = 0; n < 6; n++) {
    await goOffline(server, 5);
    await live(MINUTE);
    await comeBack(server);
    await live(MINUTE);
  }
  expect(titles()).toHaveLength(6);
  expect(arrivals[2]?.lines.join()).not.toContain("third time");
  expect(arrivals[4]?.lines[1]).toBe(
    "The third time within an hour: web-1. What follows within the hour is told together.",
  );
  await live(HOUR, 5 * MINUTE);
  expect(arrivals.slice(6).map(({ lines }) => lines[0])).toEqual([
    expect.stringMatching(/^web-1 was offline 3 times from \d\d:\d\d to \d\d:\d\d\.$/),
  ]);
});

test("a channel sends at most twenty messages an hour and puts off the rest", async () => {
  const { live, goOffline, comeBack, addServer, titles, arrivals, channelId } = await newListener();
  const servers = await Promise.all(Array.from({ length: 24 }, (_, n) => addServer(`web-${n}`)));
  for (const server of servers) {
    await goOffline(server, 5);
    await live(MINUTE);
  }
  expect(titles()).toHaveLength(20);
  expect(arrivals[18]?.lines.join()).not.toContain("the last message");
  expect(arrivals[19]?.lines.join()).toContain("This is the last message before");
  for (const server of servers.slice(18, 22)) await comeBack(server);
  await live(30 * MINUTE, 5 * MINUTE);
  expect(titles()).toHaveLength(20);
  expect((await db.noticeChannel.findUniqueOrThrow({ where: { id: channelId } })).heldFor).toBe("limit");
  await live(20 * MINUTE);
  // Of two that were told to go on the end is counted as well.
  expect(arrivals[20]?.lines.slice(0, 2)).toEqual([
    expect.stringMatching(/^2 servers are offline since .*: web-22, web-23\.$/),
    "4 notices of what was over by then.",
  ]);
  expect(titles()).toHaveLength(21);
});

test("quiet hours hold back all notices, and one message afterwards tells their true times", async () => {
  const { live, goOffline, comeBack, addServer, titles, arrivals, accountId } = await newListener();
  const now = new Date();
  const minutes = now.getUTCHours() * 60 + now.getUTCMinutes();
  const clock = (plus: number) => (minutes + plus + 24 * 60) % (24 * 60);
  const quietZone = "UTC";
  await db.noticeSettings.create({ data: { accountId, quietFrom: clock(-60), quietTo: clock(30), quietZone } });
  const [first, second] = [await addServer("web-1"), await addServer("web-2")];
  await goOffline(first, 5);
  await goOffline(second, 5);
  await live(5 * MINUTE);
  await comeBack(second);
  await live(26 * MINUTE, 5 * MINUTE);
  expect(titles()).toEqual([]);
  // The clock on the wall is not moved, so the hours are.
  await db.noticeSettings.update({ where: { accountId }, data: { quietFrom: clock(-60), quietTo: clock(-1) } });
  await live(31 * MINUTE, 31 * MINUTE);
  expect(titles()).toEqual([expect.stringMatching(/^web-1 is offline since \d\d:\d\d, and 1 more$/)]);
  expect(arrivals[0]?.lines[1]).toMatch(/^web-2 was offline from \d\d:\d\d to \d\d:\d\d\.$/);
  const began = (arrivals[0]?.events[0] as { started_at: string } | undefined)?.started_at ?? "";
  expect(Date.parse(String(arrivals[0]?.at)) - Date.parse(began)).toBeGreaterThan(35 * MINUTE);
});

test("a message that may have arrived is not repeated before quiet hours are over", async () => {
  const { live, goOffline, addServer, titles, accountId, answers, channelId } = await newListener();
  const now = new Date();
  const clock = (plus: number) => ((now.getUTCHours() + plus + 24) % 24) * 60 + now.getUTCMinutes();
  const quiet = { quietFrom: clock(-1), quietTo: clock(1), quietZone: "UTC" };
  answers.set(channelId, { kind: "again", reason: "It did not answer." });
  await goOffline(await addServer("web-1"), 5);
  await live(55 * SECOND);
  await db.noticeSettings.create({ data: { accountId, ...quiet } });
  await live(15 * MINUTE, 5 * MINUTE);
  expect(titles()).toHaveLength(1);
  await db.noticeSettings.delete({ where: { accountId } });
  await db.noticeChannel.update({ where: { id: channelId }, data: { heldUntil: null } });
  await live(5 * MINUTE);
  expect(titles().length).toBeGreaterThan(1);
});

test("changed rules also apply to notices that already wait", async () => {
  const { live, goOffline, addServer, titles, accountId, rows, channelId, sql } = await newListener();
  const change = async (changes: object) =>
    saveChoices(accountId, { ...(await readChoices(accountId)), ...changes }, "UTC");
  const withDelay = async (offline: string) => ({ minutes: { ...(await readChoices(accountId)).minutes, offline } });
  await change(await withDelay("60"));
  await goOffline(await addServer("web-1"), 10);
  await live(10 * MINUTE, 5 * MINUTE);
  expect(titles()).toEqual([]);
  await change(await withDelay("20"));
  await live(MINUTE);
  expect(titles()).toHaveLength(1);
  await sql(
    `update notice_channels set held_until = now() + interval '5 hours', held_for = 'quiet' where id = ${channelId}`,
  );
  await goOffline(await addServer("web-2"), 20);
  await live(MINUTE);
  expect(titles()).toHaveLength(1);
  await change({ quietFrom: "", quietTo: "" });
  await live(MINUTE);
  expect(titles()).toHaveLength(2);
  await goOffline(await addServer("web-3"), 20);
  await live(10 * SECOND);
  await change({ on: { ...(await readChoices(accountId)).on, offline: false } });
  await live(MINUTE);
  expect(titles()).toHaveLength(2);
  expect((await rows()).at(-1)).toMatchObject({ state: "dropped", reason: "You no longer want to be told of this." });
});

test("an account that turned off notices of ends gets none", async () => {
  const { live, goOffline, comeBack, addServer, titles, accountId } = await newListener();
  await db.noticeSettings.create({ data: { accountId, rules: { recovered: { on: false } } } });
  const server = await addServer("web-1");
  await goOffline(server, 5);
  await live(MINUTE);
  await comeBack(server);
  await goOffline(await addServer("web-2"), 20, 10);
  await live(2 * MINUTE);
  expect(titles().slice(1)).toEqual(["web-2 was offline"]);
});

test("nothing new is told of a snoozed server until its snooze is over", async () => {
  const { live, goOffline, comeBack, addServer, titles, accountId } = await newListener();
  const [server, other] = [await addServer("web-1"), await addServer("web-2")];
  await goOffline(other, 5);
  await live(MINUTE);
  for (const id of [server, other]) expect(await snoozeServer(accountId, id, "1h")).toBe(true);
  expect(await snoozeServer(accountId, server, "recovery")).toBe(false);
  await goOffline(server, 5);
  await comeBack(other);
  await live(55 * MINUTE, 5 * MINUTE);
  expect(titles().slice(1)).toEqual(["web-2 is online again"]);
  expect((await noticesOf(accountId, server, new Date())).snooze).not.toBeNull();
  await live(6 * MINUTE);
  expect(titles().slice(2)).toEqual([expect.stringMatching(/^web-1 is offline since/)]);
  expect(await noticesOf(accountId, server, new Date())).toMatchObject({ told: { by: ["webhook"] }, snooze: null });
  await snoozeServer(accountId, other, "8h");
  await goOffline(other, 5);
  await live(MINUTE);
  await endSnooze(accountId, other);
  await live(MINUTE);
  expect(titles().slice(3)).toEqual([expect.stringMatching(/^web-2 is offline since/)]);
});

test("an outage in maintenance is told only afterwards, with its true beginning", async () => {
  const { live, goOffline, comeBack, addServer, titles, arrivals } = await newListener();
  const [server, other] = [await addServer("web-1"), await addServer("web-2")];
  const endedAt = new Date(Date.now() + 30 * MINUTE);
  for (const serverId of [server, other]) {
    await db.maintenanceTime.create({ data: { serverId, startedAt: new Date(Date.now() - HOUR), endedAt } });
    await goOffline(serverId, 5);
  }
  await live(10 * MINUTE);
  await comeBack(other);
  await live(19 * MINUTE);
  expect(titles()).toEqual([]);
  await live(12 * MINUTE);
  const lines = arrivals.flatMap((one) => one.lines).filter((line) => line.startsWith("web-"));
  expect(lines.sort()).toEqual([
    expect.stringMatching(/^web-1 is offline since \d\d:\d\d\.$/),
    expect.stringMatching(/^web-2 was offline from \d\d:\d\d to \d\d:\d\d\.$/),
  ]);
});

test("5,000 due notices of one account are one message and delay no other account", async () => {
  const many = await newListener();
  const { id: other } = await newAccount();
  const one = await many.addChannel("one", "webhook", other);
  const server = await many.addServer("n");
  const { id: serverOfOther } = await newServer(other);
  await many.sql(`insert into events (subject, subject_id, account_id, kind, started_at)
    select 'server', ${server}, ${many.accountId}, 'disk_full', now() - n * interval '61 s' from generate_series(1, 5000) n`);
  await putEvents(serverOfOther, { kind: "disk_full", startedAt: new Date() });
  await many.look();
  await many.pass(MINUTE);
  await many.pass(MINUTE, other);
  expect(await many.sending.send()).toBeGreaterThanOrEqual(2);
  await many.sending.idle();
  expect(many.titles(one)).toHaveLength(1);
  expect(many.arrivals.find(({ channelId }) => channelId === many.channelId)?.events).toHaveLength(100);
  expect(await db.notice.count({ where: { accountId: many.accountId, state: "told" } })).toBe(5000);
});

test("beyond 10,000 waiting notices the oldest are only counted in the next message", async () => {
  const { accountId, channelId, sql, live, arrivals } = await newListener();
  await sql(`insert into notices (channel_id, account_id, subject, subject_id, event_id, tells, kind, name, started_at, due_at, next_at)
    select ${channelId}, ${accountId}, 'channel', n, 7, 'begin', 'offline', 'web-' || n, now(), now(), now() + interval '1 day'
    from generate_series(1, 12500) n`);
  expect(await deleteBeyond(async () => true)).toBeGreaterThanOrEqual(2500);
  expect(await db.notice.count({ where: { channelId } })).toBeGreaterThan(10_000);
  await live(MINUTE);
  expect(arrivals.flatMap(({ title }) => title)).toEqual([
    "2,500 notices that waited, and were too many to be told one by one",
  ]);
  await live(DAY, DAY);
  expect(arrivals[1]?.title).toMatch(/^10000 servers are offline/);
});

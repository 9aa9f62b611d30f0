import { expect, test } from "vitest";
import { newAccount, newGameService, newNamedToken, newServer, putEvents } from "@/e2e/support/factories";
import { newListener } from "@/e2e/support/told";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { endSnooze, noticesOf, snoozeServer } from "@/lib/notices/of-server";
import { makeRows } from "@/lib/notices/rows";
import { Sending } from "@/lib/notices/sending";
import { readChoices, saveChoices } from "@/lib/notices/settings";
import { deleteBeyond } from "@/lib/notices/unsent";
import { pause } from "@/lib/process/background";

// Who is told what, and when: events in, messages out. Channels of real programs are in e2e/operations.

const REFUSED = { kind: "again", reason: "It answered 500.", arrived: "no" } as const;
const LATE = { kind: "again", reason: "It did not answer." } as const;

test("an outage is told five minutes after its beginning, its end once; a shorter one is not", async () => {
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

test("a message waits 45 seconds for others of its channel, and no longer; twelve servers are one with ten names, and so is their return", async () => {
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

test("what outlasted its delay while the console was away is told as over, and what did not is not told", async () => {
  const { live, goOffline, addServer, titles } = await newListener();
  await goOffline(await addServer("long"), 3 * 24 * 60, 60);
  await goOffline(await addServer("short"), 64, 60);
  await live(2 * MINUTE);
  expect(titles()).toEqual(["long was offline"]);
});

test("what is over before its beginning was sent is one message, also when it waited for another attempt", async () => {
  const { live, goOffline, comeBack, addServer, arrivals, answers, channelId } = await newListener();
  const server = await addServer("web-1");
  answers.set(channelId, REFUSED);
  await goOffline(server, 5);
  await live(2 * MINUTE);
  await comeBack(server);
  answers.clear();
  await live(20 * MINUTE);
  expect(arrivals.map(({ lines }) => lines[0])).toEqual([
    expect.stringMatching(/^web-1 was offline from \d\d:\d\d to \d\d:\d\d\.$/),
  ]);
});

test("what ends while its beginning is on its way, and was refused there, is told once, as over", async () => {
  const { live, goOffline, comeBack, addServer, titles, answers, channelId, rows } = await newListener();
  const server = await addServer("web-1");
  answers.set(channelId, async () => {
    answers.clear();
    await comeBack(server);
    await makeRows();
    return REFUSED;
  });
  await goOffline(server, 5);
  await live(5 * MINUTE);
  expect(titles()).toEqual(["web-1 was offline"]);
  expect((await rows()).map(({ tells, state }) => `${tells} ${state}`)).toEqual(["begin told", "end dropped"]);
});

test("a message that may have arrived comes again with its id and its text, and the end of what it tells after it", async () => {
  const { live, goOffline, comeBack, addServer, titles, arrivals, answers, channelId } = await newListener();
  const server = await addServer("web-1");
  answers.set(channelId, LATE);
  await goOffline(server, 5);
  await live(55 * SECOND);
  await comeBack(server);
  await live(3 * MINUTE);
  // A refusal takes nothing back: an earlier attempt may have arrived.
  answers.set(channelId, REFUSED);
  await live(15 * MINUTE);
  answers.clear();
  await live(2 * HOUR, 5 * MINUTE);
  const [first] = titles();
  expect(titles().filter((title) => title !== first)).toEqual(["web-1 is online again"]);
  expect(titles().at(-1)).toBe("web-1 is online again");
  expect(new Set(arrivals.slice(0, -1).map((one) => JSON.stringify(one))).size).toBe(1);
  expect(arrivals.length).toBeGreaterThan(2);
});

const SEEDS = [1, 2, 3, 4, 5, 6];

test.each(SEEDS)(
  "in random history %i every outage that outlasted its delay is told, its end too, and what comes again is the same",
  async (seed) => {
    const { live, goOffline, comeBack, addServer, arrivals, answers, channelId, rows, sql } = await newListener();
    const random = randomFrom(seed);
    const servers = [await addServer("web-1"), await addServer("web-2"), await addServer("web-3")];
    const offline = new Set<number>();
    for (let step = 0; step < 40; step++) {
      const server = servers[Math.floor(random() * servers.length)] ?? 0;
      const [what, answer] = [random(), random()];
      if (answer < 0.5) answers.delete(channelId);
      else answers.set(channelId, answer < 0.75 ? REFUSED : LATE);
      if (what < 0.4 && !offline.has(server)) {
        await goOffline(server);
        offline.add(server);
      } else if (what < 0.7 && offline.delete(server)) await comeBack(server);
      await live(random() * 6 * MINUTE, 3 * MINUTE);
    }
    answers.clear();
    await live(9 * HOUR, 15 * MINUTE);
    const told = await rows();
    expect(told.filter(({ state }) => state === "due")).toEqual([]);
    const outages = await sql(`select id, subject_id as server, ended_at is not null as is_over from events
    where subject_id in (${servers.join(", ")}) and subject = 'server' and coalesce(ended_at, now()) >= started_at + interval '5 minutes'`);
    expect(outages.length).toBeGreaterThan(3);
    const arrived = new Map(arrivals.map((one) => [one.id, one]));
    for (const { id, server, is_over: isOver } of outages) {
      const [begin, end] = ["begin", "end"].map((part) => told.find((row) => row.eventId === id && row.tells === part));
      const message = arrived.get(begin?.messageId ?? "");
      expect([begin?.state, message?.title], `event ${id}`).toEqual(["told", expect.any(String)]);
      const saysOver = message?.events.some((one) => isOverIn(one, Number(server)));
      if (isOver)
        expect(saysOver || (end?.state === "told" && arrived.has(end.messageId ?? "")), `event ${id}`).toBe(true);
    }
    for (const [id, one] of arrived) {
      expect(new Set(arrivals.filter((other) => other.id === id).map((other) => JSON.stringify(other))).size).toBe(1);
      expect(one.title).not.toBe("");
    }
  },
);

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

/** Whether this part of a message says that an outage of the server is over. */
function isOverIn(event: unknown, serverId: number): boolean {
  const { server, ended_at } = event as { server?: { id: number }; ended_at: string | null };
  return server?.id === serverId && ended_at !== null;
}

test("a channel that fails is tried six times within eight hours for each notice, and off after a day; its owner sees it, and hears it by the others", async () => {
  const { live, goOffline, addServer, titles, answers, channelId, addChannel, rows, sql } = await newListener();
  const other = await addChannel("b");
  answers.set(channelId, REFUSED);
  await goOffline(await addServer("web-1"), 5);
  await live(2 * MINUTE, 15 * SECOND);
  await live(11 * MINUTE, MINUTE);
  await live(65 * MINUTE, 5 * MINUTE);
  await live(6.5 * HOUR, 10 * MINUTE);
  const failed = (await rows()).find((row) => row.channelId === channelId);
  expect(failed).toMatchObject({ state: "failed", attempts: 6, reason: "It answered 500." });
  expect(Number(failed?.settledAt) - Number(failed?.dueAt)).toBeLessThan(8 * HOUR);
  expect(await db.noticeMessage.findMany({ where: { channelId } })).toMatchObject([{ state: "failed" }]);
  expect(titles(other)).toHaveLength(1);
  await sql(`update notice_channels set failing_since = failing_since - interval '1 day' where id = ${channelId}`);
  await goOffline(await addServer("web-2"), 5);
  await live(2 * MINUTE);
  const channel = await db.noticeChannel.findUniqueOrThrow({ where: { id: channelId } });
  expect(channel).toMatchObject({ offAt: expect.any(Date), offReason: "It answered 500." });
  expect(titles(other).slice(1).sort()).toEqual([
    expect.stringMatching(/^a was turned off, because nothing arrives there at/),
    expect.stringMatching(/^web-2 is offline since/),
  ]);
  await live(2 * MINUTE);
  const dropped = (await rows()).filter((row) => row.channelId === channelId && row.state === "dropped");
  expect(dropped).toMatchObject([{ reason: "The channel is off.", name: "web-2" }]);
});

test("a receiver that works again is told at once what failed there", async () => {
  const { live, goOffline, addServer, titles, answers, channelId } = await newListener();
  answers.set(channelId, REFUSED);
  await goOffline(await addServer("web-1"), 5);
  await live(30 * MINUTE, 5 * MINUTE);
  answers.clear();
  await goOffline(await addServer("web-2"), 5);
  await live(MINUTE);
  expect(titles()).toEqual([expect.stringMatching(/^web-2 is offline/), expect.stringMatching(/^web-1 is offline/)]);
});

test("a receiver that answers 429 with a time gets nothing until then, not even what comes meanwhile; other channels do", async () => {
  const { live, goOffline, addServer, titles, answers, channelId, addChannel } = await newListener();
  const other = await addChannel("b");
  answers.set(channelId, { ...REFUSED, afterSeconds: 3600 });
  await goOffline(await addServer("web-1"), 5);
  await live(2 * MINUTE);
  answers.clear();
  await goOffline(await addServer("web-2"), 5);
  await live(55 * MINUTE, 5 * MINUTE);
  expect(titles()).toEqual([]);
  expect(titles(other)).toHaveLength(2);
  await live(6 * MINUTE);
  expect(titles()).toEqual([expect.stringMatching(/^2 servers are offline since/)]);
});

test("a receiver that refuses for good is turned off at once, with what it said", async () => {
  const { live, goOffline, addServer, answers, channelId } = await newListener();
  answers.set(channelId, { kind: "refused", reason: "It answered 410: there is no receiver any more." });
  await goOffline(await addServer("web-1"), 5);
  await live(MINUTE);
  const channel = await db.noticeChannel.findUniqueOrThrow({ where: { id: channelId } });
  expect(channel).toMatchObject({ offAt: expect.any(Date), offReason: expect.stringContaining("410") });
});

test("of one server at most three beginnings an hour are told, the third says so, and what follows is told together", async () => {
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

test("at most twenty messages an hour come by a channel; over it they are put off, and the next one tells all that goes on first and counts the rest", async () => {
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

test("in the quiet hours of its zone an account is told nothing; afterwards it is told of everything in one message, with the true times", async () => {
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

test("rules that are changed hold for what waits by the old ones: a shorter delay, quiet hours that are taken away, a kind that is turned off", async () => {
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

test("who does not want to be told of ends is told of none, and of what is over by then only that it was", async () => {
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

test("of a snoozed server nothing new is told until then; what still goes on is told afterwards, and the end of what was told at once", async () => {
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

test("of a server in maintenance no beginning is told; what goes on afterwards is, with its true beginning, and what ended is one line", async () => {
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

test("the owner is told of a game service that failed or is served by no live edge node, and of a token that ends, is refused after its end or comes from a new network; others of the same console are not", async () => {
  const { live, titles, accountId, arrivals, addChannel, sql } = await newListener();
  const stranger = await addChannel("stranger", "webhook", (await newAccount()).id);
  const { id: serviceId } = await newGameService(accountId, { name: "survival" });
  const { token } = await newNamedToken(accountId, "deploy");
  for (const kind of ["failed", "unserved"]) {
    await db.event.create({
      data: { subject: "service", subjectId: serviceId, accountId, kind, startedAt: new Date() },
    });
    await live(MINUTE);
    await sql(`update events set ended_at = now() where subject_id = ${serviceId} and kind = '${kind}'`);
    await live(MINUTE);
  }
  for (const kind of ["ends_in_3_days", "refused_after_end", "new_network"]) {
    await db.event.create({
      data: { subject: "token", subjectId: token.id, accountId, kind, startedAt: new Date() },
    });
    await live(MINUTE);
  }
  // A moment has no end.
  await sql(`update events set ended_at = now() where subject = 'token' and subject_id = ${token.id}`);
  await live(2 * MINUTE);
  expect(titles()).toEqual([
    expect.stringMatching(/^survival has failed since/),
    "survival has recovered",
    expect.stringMatching(/^survival is served by no live edge node since \d\d:\d\d$/),
    "survival has a live edge node again",
    expect.stringMatching(/^deploy ends at \d+ \w+, \d\d:\d\d$/),
    expect.stringMatching(/^deploy was used after its end, and refused at/),
    expect.stringMatching(/^deploy was used from a new network at/),
  ]);
  expect(arrivals[0]?.link).toBe(`/dashboard/game-services/${serviceId}`);
  expect(titles(stranger)).toEqual([]);
});

/** A listener, and an account that shares a game service with it. */
async function newShared(rules: object) {
  const listener = await newListener();
  const owner = await newAccount();
  const { id: serviceId } = await newGameService(owner.id, { name: "survival" });
  await db.serviceGrant.create({ data: { serviceId, accountId: listener.accountId } });
  await db.noticeSettings.create({ data: { accountId: listener.accountId, rules: { ...rules } } });
  const ofOwner = await listener.addChannel("owner", "webhook", owner.id);
  const live = async (ms: number) => {
    await listener.pass(ms, owner.id);
    await listener.live(ms, ms);
  };
  const of = { subject: "service", subjectId: serviceId, accountId: owner.id };
  const fail = (kind = "failed") => db.event.create({ data: { ...of, kind, startedAt: new Date() } });
  const recover = () =>
    listener.sql(
      `update events set ended_at = now() where subject = 'service' and subject_id = ${serviceId} and ended_at is null`,
    );
  return { ...listener, live, serviceId, ownerId: owner.id, ofOwner, fail, recover };
}

test("who a game service is shared with is told of it, and of its end, once and by its own rules, if they chose so, by two instances at once", async () => {
  const { live, fail, recover, titles, ofOwner } = await newShared({ shared: { on: true }, failed: { minutes: 10 } });
  await fail();
  await Promise.all([makeRows(), makeRows()]);
  await live(2 * MINUTE);
  await live(MINUTE);
  expect([titles(ofOwner).length, titles().length]).toEqual([1, 0]);
  await live(10 * MINUTE);
  await Promise.all([live(MINUTE), makeRows()]);
  expect(titles()).toEqual([expect.stringMatching(/^survival has failed since/)]);
  await recover();
  await live(MINUTE);
  await live(MINUTE);
  expect([titles(ofOwner).slice(1), titles().slice(1)]).toEqual([
    ["survival has recovered"],
    ["survival has recovered"],
  ]);
});

test("nobody is told of a game service that others share with them unless they chose so, nor of the servers and tokens of others", async () => {
  const { live, fail, titles, ownerId, sql, accountId, rows } = await newShared({});
  await fail();
  await live(2 * MINUTE);
  expect(await rows()).toEqual([]);
  const { token } = await newNamedToken(ownerId, "deploy");
  const of = { subject: "token", subjectId: token.id, accountId: ownerId };
  await db.event.create({ data: { ...of, kind: "ends_in_3_days", startedAt: new Date() } });
  await live(2 * MINUTE);
  await sql(`update notice_settings set rules = '{"shared": {"on": true}}' where account_id = ${accountId}`);
  await live(2 * MINUTE);
  expect(titles()).toEqual([]);
  await fail("unserved");
  await live(2 * MINUTE);
  await live(MINUTE);
  expect(titles()).toEqual([expect.stringMatching(/^survival is served by no live edge node/)]);
});

test.each([
  ["a share", (accountId: number) => `delete from service_grants where account_id = ${accountId}`],
  ["the choice", (accountId: number) => `update notice_settings set rules = '{}' where account_id = ${accountId}`],
])(
  "%s that ends is asked for again when a message is sent: what is due is dropped, which is said, and no end follows",
  async (_, end) => {
    const { live, fail, recover, titles, ofOwner, rows, sql, accountId } = await newShared({ shared: { on: true } });
    await fail("unserved");
    await live(2 * MINUTE);
    await live(MINUTE);
    expect(titles()).toHaveLength(1);
    await fail();
    await makeRows();
    await sql(end(accountId));
    await recover();
    await live(MINUTE);
    await live(MINUTE);
    expect(titles()).toHaveLength(1);
    expect(titles(ofOwner)).toHaveLength(2);
    expect((await rows()).slice(1).map(({ state, reason }) => [state, reason])).toEqual(
      [1, 2].map(() => ["dropped", "It is no longer shared with you, or you no longer want to be told of what is."]),
    );
  },
);

test("before a message is sent is asked whether the account is enabled and the channel is on; otherwise all that waits is dropped, which is said", async () => {
  for (const [table, column, reason] of [
    ["accounts", "disabled_at", "The account is disabled."],
    ["notice_channels", "off_at", "The channel is off."],
  ]) {
    const { live, goOffline, addServer, titles, rows, sql, accountId } = await newListener();
    await goOffline(await addServer("web-1"), 5);
    await makeRows();
    await sql(
      `update ${table} set ${column} = now() where ${table === "accounts" ? "id" : "account_id"} = ${accountId}`,
    );
    await live(MINUTE);
    expect([titles(), await rows()]).toMatchObject([[], [{ state: "dropped", reason }]]);
  }
});

test("a server that is removed is told by the name that it had, as over", async () => {
  const { live, goOffline, addServer, titles, sql, accountId } = await newListener();
  const server = await addServer("web-1");
  await goOffline(server, 30);
  await makeRows();
  await sql(`delete from events where account_id = ${accountId}; delete from servers where id = ${server}`);
  await live(MINUTE);
  expect(titles()).toEqual(["web-1 was offline"]);
});

test("without a channel nothing is kept for later", async () => {
  const { live, goOffline, addServer, titles, sql, channelId } = await newListener();
  await sql(`update notice_channels set off_at = now() where id = ${channelId}`);
  await goOffline(await addServer("web-1"), 30);
  await makeRows();
  await sql(`update notice_channels set off_at = null where id = ${channelId}`);
  await live(5 * MINUTE);
  expect(titles()).toEqual([]);
});

test("rules that make no sense hold as for everybody, and hold up nobody", async () => {
  const { live, goOffline, addServer, titles, accountId, sql } = await newListener();
  await db.noticeSettings.create({ data: { accountId } });
  const senseless = [
    "[]",
    '"x"',
    '{"offline": 5}',
    '{"offline": {"on": "no", "minutes": "x"}}',
    '{"offline": {"minutes": 1e9}, "recovered": []}',
  ];
  for (const [n, rules] of senseless.entries()) {
    await sql(`update notice_settings set rules = '${rules}' where account_id = ${accountId}`);
    await goOffline(await addServer(`web-${n}`), 25 * 60);
    await live(MINUTE);
    expect(titles()).toHaveLength(n + 1);
  }
});

test("an instance takes only channels that one of its keys opens, and what it cannot open waits for another", async () => {
  const { live, goOffline, addServer, titles, sql, channelId, rows } = await newListener();
  await sql(`update notice_channels set sealed = 'v1.0badc0de.x.y' where id = ${channelId}`);
  await goOffline(await addServer("web-1"), 5);
  await live(10 * MINUTE, 5 * MINUTE);
  expect([titles(), await rows()]).toMatchObject([[], [{ state: "due", attempts: 0 }]]);
});

test("one account with 5,000 notices that are due is told in one message, and another in the same look", async () => {
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

test("a mail server that hangs leaves places for webhooks, and a receiver that hangs delays two channels of its own account alone", async () => {
  const { accountId, channelId, look, sql, addServer, goOffline, addChannel } = await newListener();
  const mails = new Set<number>();
  for (let n = 0; n < 40; n++) mails.add(await addChannel("mail", "mail", (await newAccount()).id));
  const hooks = new Set([channelId]);
  for (let n = 0; n < 4; n++) hooks.add(await addChannel(`hook ${n}`));
  await goOffline(await addServer("web-1"), 5);
  // Nothing is left of other tests.
  await look();
  await sql(`insert into notices (channel_id, account_id, subject, subject_id, event_id, tells, kind, name, started_at, ended_at, due_at, next_at)
      select id, account_id, 'channel', id, 1, 'begin', 'channel_off', 'x', now(), now(), now(), now() from notice_channels
      where id in (${[...mails].join(", ")});
    update notices set next_at = now() where account_id = ${accountId}`);
  const held: (() => void)[] = [];
  const begun: number[] = [];
  const sending = new Sending(async ({ id }) => {
    begun.push(id);
    await new Promise<void>((resolve) => held.push(resolve));
    return { kind: "delivered" };
  });
  for (let looks = 0; looks < 3; looks++) await sending.send();
  await expect.poll(() => begun.length).toBe(32);
  expect(begun.filter((id) => mails.has(id))).toHaveLength(30);
  expect(begun.filter((id) => hooks.has(id))).toHaveLength(2);
  for (let ended = 0; ended < 45; ) {
    await sending.send();
    for (; ended < held.length; ended++) held[ended]?.();
    await pause(5);
  }
  await sending.idle();
});

test("of more than 10,000 notices that wait the oldest are counted, and the next message says how many", async () => {
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

import { expect, test } from "vitest";
import { newAccount } from "@/e2e/support/factories";
import { randomAt } from "@/e2e/support/random";
import { type Arrival, newListener } from "@/e2e/support/told";
import { db } from "@/lib/database/client";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { NO_SERVER } from "@/lib/notices/channels/mail";
import { endOldSecret, rotateSecret } from "@/lib/notices/management";
import { makeRows } from "@/lib/notices/rows";
import { noticeCounts, Sending } from "@/lib/notices/sending";
import { pause } from "@/lib/process/background";

// What channels refuse, answer late or lose, and how messages come again. Channels of real programs are in e2e/operations.

const REFUSED = { kind: "again", reason: "It answered 500.", arrived: "no" } as const;
const LATE = { kind: "again", reason: "It did not answer." } as const;

test("an outage that ends while its beginning is refused is told once, as over", async () => {
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

test("a message that may have arrived is repeated with the same id and text", async () => {
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

const SEEDS = process.env.CI ? [1, 2, 3, 4, 5, 6] : [1, 2];

test.each(SEEDS)("in random history %i every outage beyond its delay is told with its end", async (seed) => {
  const { live, goOffline, comeBack, addServer, arrivals, answers, channelId, rows, sql } = await newListener();
  let drawn = 0;
  const random = () => randomAt(seed, drawn++);
  const servers = [await addServer("web-1"), await addServer("web-2"), await addServer("web-3")];
  const offline = new Set<number>();
  const dead: Sending[] = [];
  for (let step = 0; step < 40; step++) {
    const server = servers[Math.floor(random() * servers.length)] ?? 0;
    const [what, answer] = [random(), random()];
    if (answer < 0.5) answers.delete(channelId);
    else answers.set(channelId, answer < 0.75 ? REFUSED : LATE);
    if (what < 0.4 && !offline.has(server)) {
      await goOffline(server);
      offline.add(server);
    } else if (what < 0.7 && offline.delete(server)) await comeBack(server);
    if (random() < 0.25) dead.push(await dieSending(channelId, random() < 0.5 ? arrivals : []));
    await live(random() * 6 * MINUTE, 3 * MINUTE);
  }
  answers.clear();
  await live(9 * HOUR, 45 * MINUTE);
  // What an instance finds out that only seemed dead changes nothing any more.
  await Promise.all(dead.map((instance) => instance.end()));
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
});

/** Another instance takes what is due and dies with it on its way: its channel stays taken, and no outcome is written. */
async function dieSending(ofChannel: number, arrivals: Arrival[]): Promise<Sending> {
  let die = () => {};
  const died = new Promise<void>((resolve) => (die = resolve));
  const instance = new Sending(({ id: channelId }, message) => {
    if (channelId !== ofChannel) return Promise.resolve({ kind: "delivered" });
    arrivals.push({ channelId, ...message });
    die();
    return new Promise(() => {});
  });
  await makeRows();
  await instance.send();
  await Promise.race([died, instance.idle()]);
  return instance;
}

/** Whether this part of a message says that an outage of the server is over. */
function isOverIn(event: unknown, serverId: number): boolean {
  const { server, ended_at } = event as { server?: { id: number }; ended_at: string | null };
  return server?.id === serverId && ended_at !== null;
}

test("a failing channel gets six tries per notice and is off after a day", async () => {
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

test("failures of the operator's mail server turn no channel off", async () => {
  const { live, goOffline, addServer, answers, channelId, sql } = await newListener();
  const fail = async (reason: string, label: string) => {
    await sql(`update notice_channels set failing_since = failing_since - interval '2 days' where id = ${channelId}`);
    answers.set(channelId, { ...REFUSED, reason });
    await goOffline(await addServer(label), 5);
    await live(2 * MINUTE);
    return (await db.noticeChannel.findUniqueOrThrow({ where: { id: channelId } })).offReason;
  };
  const reasons = [
    "The mail server cannot be reached.",
    "The mail server answered 421.",
    NO_SERVER,
    "It answered 500.",
  ];
  for (const [n, reason] of reasons.entries()) {
    expect(await fail(reason, `web-${n}`)).toBe(reason);
    expect(await db.noticeChannel.count({ where: { id: channelId, offAt: null } }), reason).toBe(1);
  }
  await fail("It answered 500.", "web-9");
  expect(await db.noticeChannel.count({ where: { id: channelId, offAt: null } })).toBe(0);
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

test("a receiver that answers 429 with a time gets nothing until then", async () => {
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

test("a receiver that refuses for good is turned off at once, with its reason", async () => {
  const { live, goOffline, addServer, answers, channelId } = await newListener();
  answers.set(channelId, { kind: "refused", reason: "It answered 410: there is no receiver any more." });
  await goOffline(await addServer("web-1"), 5);
  await live(MINUTE);
  const channel = await db.noticeChannel.findUniqueOrThrow({ where: { id: channelId } });
  expect(channel).toMatchObject({ offAt: expect.any(Date), offReason: expect.stringContaining("410") });
});

test("a message is counted once, as delivered or as given up", async () => {
  const { live, goOffline, addServer, answers, channelId, sql } = await newListener();
  // The counts are of all accounts: nothing of other tests may go out meanwhile.
  await sql(`delete from notice_channels where id <> ${channelId}`);
  const { delivered, undelivered } = noticeCounts;
  await goOffline(await addServer("web-1"), 5);
  await live(MINUTE);
  expect(noticeCounts).toEqual({ delivered: delivered + 1, undelivered });
  answers.set(channelId, { kind: "refused", reason: "It answered 410: there is no receiver any more." });
  await goOffline(await addServer("web-2"), 5);
  await live(MINUTE);
  expect(noticeCounts).toEqual({ delivered: delivered + 1, undelivered: undelivered + 1 });
});

test("a notice for a channel that no key opens waits for another instance", async () => {
  const { live, goOffline, addServer, titles, sql, accountId, channelId, rows } = await newListener();
  await sql(`update notice_channels set sealed = 'v1.0badc0de.x.y' where id = ${channelId}`);
  expect([await rotateSecret(accountId, channelId), await endOldSecret(accountId, channelId)]).toEqual([null, false]);
  await goOffline(await addServer("web-1"), 5);
  await live(10 * MINUTE, 5 * MINUTE);
  expect([titles(), await rows()]).toMatchObject([[], [{ state: "due", attempts: 0 }]]);
});

test("a hanging mail server leaves room for webhooks, a hanging receiver for other accounts", async () => {
  const { accountId, channelId, look, sql, addServer, goOffline, addChannel } = await newListener();
  const mails = new Set<number>();
  for (let n = 0; n < 40; n++) mails.add(await addChannel("mail", "mail", n < 4 ? accountId : (await newAccount()).id));
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

import { expect, test } from "vitest";
import { newAccount, newGameService, newNamedToken, putEvents } from "@/e2e/support/factories";
import { newListener } from "@/e2e/support/told";
import { db } from "@/lib/database/client";
import { MINUTE } from "@/lib/format/time";
import { makeRows } from "@/lib/notices/rows";

// Which account is told of what.

test("an owner is told of trouble with their own game services and tokens only", async () => {
  const { live, titles, accountId, arrivals, addChannel, sql } = await newListener();
  const stranger = await addChannel("stranger", "webhook", (await newAccount()).id);
  const { id: serviceId } = await newGameService(accountId, { name: "survival" });
  const { token } = await newNamedToken(accountId, "deploy");
  for (const kind of ["failed", "unserved"]) {
    await putEvents(["service", serviceId], { kind, startedAt: new Date() });
    await live(MINUTE);
    await sql(`update events set ended_at = now() where subject_id = ${serviceId} and kind = '${kind}'`);
    await live(MINUTE);
  }
  for (const kind of ["ends_in_3_days", "refused_after_end", "new_network"]) {
    await putEvents(["token", token.id], { kind, startedAt: new Date() });
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
  const fail = (kind = "failed") => putEvents(["service", serviceId], { kind, startedAt: new Date() });
  const recover = () =>
    listener.sql(
      `update events set ended_at = now() where subject = 'service' and subject_id = ${serviceId} and ended_at is null`,
    );
  return { ...listener, live, serviceId, ownerId: owner.id, ofOwner, fail, recover };
}

test("a shared game service's failure is told once, by each account's own rules", async () => {
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

test("nobody is told unasked of shared game services, nor of others' servers and tokens", async () => {
  const { live, fail, titles, ownerId, sql, accountId, rows } = await newShared({});
  await fail();
  await live(2 * MINUTE);
  expect(await rows()).toEqual([]);
  const { token } = await newNamedToken(ownerId, "deploy");
  await putEvents(["token", token.id], { kind: "ends_in_3_days", startedAt: new Date() });
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
])("%s that ends before a message is sent drops the notices, with a reason", async (_, end) => {
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
});

test("a disabled account or channel drops its waiting notices and says why", async () => {
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

test("the outage of a removed server is told as over, with its old name", async () => {
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

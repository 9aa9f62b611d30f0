import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { numberOf, packet, servedDatabase, TIGHT } from "@/e2e/support/embedded";

// Clients of the one session do not notice each other: settings, locks and transactions.

const { newClient, connected } = servedDatabase();

test("a returning client prepares statements anew, and a gone one leaves none", async () => {
  for (let round = 0; round < 2; round++) {
    const client = await newClient();
    expect(await numberOf(client, { name: "again", text: "select 3 as n" })).toBe(3);
    await client.end();
  }
  const { rows } = await (await newClient()).query("select count(*)::int as n from pg_prepared_statements");
  expect(rows).toEqual([{ n: 0 }]);
});

test("what a client sets or locks holds until its transaction ends, for itself alone", async () => {
  const [first, second] = [await newClient({ options: "-c work_mem=5MB" }), await newClient()];
  const state = `select current_setting('timezone') as zone, current_setting('work_mem') as memory, current_user as role,
    pg_try_advisory_xact_lock(1) as free`;
  const untouched = [{ zone: "UTC", memory: "4MB", role: "postgres", free: true }];
  await first.query("create role reader");
  await first.query("begin; set time zone 'Asia/Tokyo'; set role reader; select pg_advisory_lock(1)");
  await first.query("select set_config('app.tenant', 'first', false)");
  expect((await first.query(state)).rows).toMatchObject([{ zone: "Asia/Tokyo", role: "reader" }]);
  await first.query("commit");
  for (const client of [first, second]) {
    expect((await client.query(state)).rows).toEqual(untouched);
    expect((await client.query("select nullif(current_setting('app.tenant', true), '') as n")).rows[0].n).toBeNull();
  }
});

test("transactions of two clients never mix, and one that dies is rolled back", async () => {
  const [first, second, third] = [await newClient(), await newClient(), await newClient()];
  await first.query("create table moves (who text)");
  await first.query("begin");
  const others = second.query("begin; insert into moves values ('second'); commit");
  await first.query("insert into moves values ('first')");
  expect((await first.query("select who from moves")).rows).toEqual([{ who: "first" }]);
  await first.query("rollback");
  await others;
  await first.query("begin; insert into moves values ('died')");
  (first as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
  expect((await third.query("select who from moves")).rows).toEqual([{ who: "second" }]);
});

test.each([
  ["an idle transaction", () => packet("Q", "begin\0")],
  ["Flush without Sync", () => Buffer.concat([packet("P", "\0select 1\0\0\0"), packet("H")])],
])("a client keeping a silent session with %s is cut off once others wait", async (_, open) => {
  const silent = await connected();
  silent.socket.write(open());
  await silent.answers.until(open().includes("P") ? "1" : "Z");
  const other = await newClient();
  expect(await numberOf(other, { text: "select 7 as n" })).toBe(7);
  await silent.answers.until("E");
  expect(silent.answers.text()).toContain("C25P03\0");
});

test("a client that keeps the session while nobody waits for it is left alone", async () => {
  const client = await newClient();
  await client.query("begin");
  await new Promise((resolve) => setTimeout(resolve, 3 * TIGHT.silence));
  expect((await client.query("select 1 as n")).rows[0].n).toBe(1);
  await client.query("commit");
});

import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { numberOf, packet, servedDatabase, TIGHT } from "@/e2e/support/embedded";

// Clients of the one session do not notice each other: statements, settings, locks and transactions.

const { newClient, connected } = servedDatabase();

test("two clients prepare different statements under one name, and each gets its own answers", async () => {
  const [first, second] = [await newClient(), await newClient()];
  const one = { name: "same", text: "select 1 as n" };
  const two = { name: "same", text: "select 2 as n" };
  for (let round = 0; round < 3; round++) {
    expect(await numberOf(first, one)).toBe(1);
    expect(await numberOf(second, two)).toBe(2);
  }
});

test("a returning client prepares statements anew, and a gone one leaves none", async () => {
  for (let round = 0; round < 2; round++) {
    const client = await newClient();
    expect(await numberOf(client, { name: "again", text: "select 3 as n" })).toBe(3);
    await client.end();
  }
  const { rows } = await (await newClient()).query("select count(*)::int as n from pg_prepared_statements");
  expect(rows).toEqual([{ n: 0 }]);
});

test("a client cannot use a name that only another client has prepared", async () => {
  await numberOf(await newClient(), { name: "mine", text: "select 1 as n" });
  const { socket, answers } = await connected();
  socket.write(Buffer.concat([packet("B", "\0mine\0\0\0\0\0\0\0"), packet("S")]));
  expect(await answers.until("Z")).toContain("E");
  expect(answers.text()).toContain("C26000\0");
});

test("the statement without a name outlives its Sync, whatever other clients do meanwhile", async () => {
  const { socket, answers } = await connected();
  socket.write(Buffer.concat([packet("P", "\0select 'mine'\0\0\0"), packet("S")]));
  await answers.until("Z");
  const other = await newClient();
  await other.query("select 'other' || $1", ["s"]);
  await other.query("select 1");
  socket.write(Buffer.concat([packet("B", "\0\0\0\0\0\0\0\0"), packet("E", "\0\0\0\0\0"), packet("S")]));
  expect(await answers.until("Z")).toBe("2DCZ");
  expect(answers.text()).toContain("mine");
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

test.each(["discard all", "deallocate all"])("%s of one client breaks no other one", async (command) => {
  const [first, second] = [await newClient(), await newClient()];
  const statement = { name: "kept", text: "select 4 as n" };
  expect(await numberOf(second, statement)).toBe(4);
  expect(await numberOf(first, statement)).toBe(4);
  // By either protocol.
  for (const query of [command, { name: "all", text: command }]) {
    await first.query(query);
    expect(await numberOf(second, statement)).toBe(4);
  }
  // It is gone, and can be prepared again.
  expect(await numberOf(await newClient(), statement)).toBe(4);
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

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

test("a client that comes back prepares its statements anew, and nothing is left of those of one that is gone", async () => {
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

test("the statement without a name stays its client's when all statements of others have to be prepared again", async () => {
  const [first, second] = [await connected(), await connected()];
  const useUnnamed = Buffer.concat([packet("B", "\0\0\0\0\0\0\0\0"), packet("E", "\0\0\0\0\0"), packet("S")]);
  for (const [{ socket, answers }, text] of [
    [first, "first"],
    [second, "second"],
  ] as const) {
    socket.write(Buffer.concat([packet("P", `\0select '${text}'\0\0\0`), packet("S")]));
    await answers.until("Z");
  }
  await (await newClient()).query("discard all");
  for (const [{ socket, answers }, messages] of [
    [first, useUnnamed],
    [second, packet("S")],
    [first, useUnnamed],
  ] as const) {
    socket.write(messages);
    await answers.until("Z");
  }
  expect(first.answers.text().match(/first|second/g)).toEqual(["first", "first"]);
});

test("settings belong to the client that made them, by SET, set_config or at the start of the connection", async () => {
  const [first, second] = [await newClient(), await newClient({ options: "-c work_mem=5MB" })];
  await first.query("set time zone 'Asia/Tokyo'; set search_path to other, public");
  await first.query("select set_config($1, $2, false)", ["app.tenant", "it's \\ mine"]);
  await first.query("set app.tenant to 'first'");
  const settings = `select current_setting('timezone') as zone, current_setting('search_path') as path,
    current_setting('app.tenant', true) as tenant, current_setting('work_mem') as memory`;
  for (let round = 0; round < 2; round++) {
    expect((await second.query(settings)).rows[0]).toMatchObject({ zone: "UTC", path: "public", memory: "5MB" });
    expect((await second.query("select nullif(current_setting('app.tenant', true), '') as n")).rows[0].n).toBeNull();
    expect((await first.query(settings)).rows[0]).toEqual({
      zone: "Asia/Tokyo",
      path: "other, public",
      tenant: "first",
      memory: "4MB",
    });
  }
  await first.query("begin; set time zone 'Europe/Berlin'; rollback");
  await second.query("select 1");
  expect((await first.query("show time zone")).rows[0].TimeZone).toBe("Asia/Tokyo");
});

test("a role that one client takes on is no other client's", async () => {
  const [first, second] = [await newClient(), await newClient()];
  await first.query("create role reader");
  await first.query("set role reader");
  expect((await second.query("select current_user")).rows[0].current_user).toBe("postgres");
  expect((await first.query("select current_user")).rows[0].current_user).toBe("reader");
});

test("a setting that does not exist ends the connection with PostgreSQL's own words", async () => {
  await expect(newClient({ options: "-c nonsense=1" })).rejects.toThrow("nonsense");
});

test.each(["discard all", "deallocate all"])("%s of one client breaks no other one", async (command) => {
  const [first, second] = [await newClient(), await newClient()];
  const statement = { name: "kept", text: "select 4 as n" };
  await second.query("set time zone 'Asia/Tokyo'");
  await second.query("prepare by_sql as select 5 as n");
  expect(await numberOf(second, statement)).toBe(4);
  expect(await numberOf(first, statement)).toBe(4);
  await first.query(command);
  expect(await numberOf(second, statement)).toBe(4);
  expect(await numberOf(second, { text: "execute by_sql" })).toBe(5);
  expect((await second.query("show time zone")).rows[0].TimeZone).toBe("Asia/Tokyo");
  await expect(first.query("execute by_sql")).rejects.toThrow("does not exist");
});

test("what SQL deallocates is the client's own statement of that name", async () => {
  const [first, second] = [await newClient(), await newClient()];
  const statement = { name: "Name", text: "select 6 as n" };
  await numberOf(first, statement);
  await numberOf(second, statement);
  await first.query('DEALLOCATE "Name";');
  expect(await numberOf(second, statement)).toBe(6);
  await expect(first.query('deallocate "Name"')).rejects.toThrow("does not exist");
});

test("whoever takes an advisory lock has it alone until it is released", async () => {
  const [first, second] = [await newClient(), await newClient()];
  await first.query("select pg_advisory_lock(1)");
  let isSecond = false;
  const locked = second.query("select pg_advisory_lock(1)").then(() => {
    isSecond = true;
  });
  await first.query("select 1");
  expect(isSecond).toBe(false);
  await first.query("select pg_advisory_unlock(1)");
  await locked;
  await second.end();
  // What a client that leaves has not released is released for it.
  expect((await first.query("select pg_try_advisory_lock(1) as n")).rows[0].n).toBe(true);
  await first.query("select pg_advisory_unlock_all()");
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
  ["an advisory lock", () => packet("Q", "select pg_advisory_lock(2)\0")],
])("a client that keeps the session in silence with %s is cut off once others wait", async (_, open) => {
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

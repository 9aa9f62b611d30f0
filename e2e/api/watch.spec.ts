import pg from "pg";
import { servers, withLibrary } from "@/e2e/support/account-of-servers";
import { startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { needs, needsPostgresRun } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import { findFaketime } from "@/e2e/support/programs.mjs";
import { runSql } from "@/e2e/support/run-sql";
import { DAY, MINUTE, SECOND } from "@/lib/format/time";

// The watch over servers beside an instance whose clock is off, and beside locks that others hold. Apart from
// server-events.spec.ts, because a spec that asks for programs runs once more as on a machine that has none.

test("while the clocks of two instances are over a minute apart, a silence is unknown and never offline, and the one that is off says so in its log; once it is gone, what is still silent is offline after two minutes", async () => {
  needs("libfaketime");
  await withLibrary(async (url, library) => {
    const { watchServers } = library.use<typeof import("@/lib/servers/events/watch")>("servers/events/watch");
    const { bePresent } = library.use<typeof import("@/lib/servers/events/presence")>("servers/events/presence");
    await runSql(url, servers(1, Date.now() - 3 * MINUTE, 0));
    const kinds = () =>
      runSql<{ kind: string; open: boolean }>(
        url,
        "select kind, ended_at is null as open from server_events order by started_at",
      );
    // It comes back after the ones that are right, so its signs are the gaps.
    const right = await startConsole(url);
    const FAKETIME = { LD_PRELOAD: findFaketime() ?? "", FAKETIME: "+90s", DONT_FAKE_MONOTONIC: "1" };
    const ahead = await startConsole(url, FAKETIME);
    try {
      await expect
        .poll(async () => (await kinds()).some(({ open, kind }) => open && kind === "unknown"), SLOW)
        .toBe(true);
      for (const until = Date.now() + 25 * SECOND; Date.now() < until; ) {
        expect((await kinds()).filter(({ open, kind }) => open && kind === "offline")).toEqual([]);
        await new Promise((resolve) => setTimeout(resolve, SECOND));
      }
      expect(ahead.output()).toMatch(/"event":"clock differs from PostgreSQL's".*"aheadSeconds":(8[5-9]|9[0-5])\b/);
      expect(right.output()).not.toContain("clock differs");
    } finally {
      await Promise.all([right.stop(), ahead.stop()]);
    }
    let now = Date.now();
    for (const end = now + 5 * MINUTE; now < end; now += 10 * SECOND) {
      await bePresent(now);
      await watchServers(now);
    }
    expect((await kinds()).filter(({ open }) => open)).toEqual([{ kind: "offline", open: true }]);
  });
});

test("a look waits for no check-in that is being stored, and no check-in of a server that is heard for a look that hangs", async () => {
  needsPostgresRun();
  await withLibrary(async (url, library) => {
    const { watchServers } = library.use<typeof import("@/lib/servers/events/watch")>("servers/events/watch");
    const { bePresent } = library.use<typeof import("@/lib/servers/events/presence")>("servers/events/presence");
    const { storeAt } = library.use<typeof import("@/e2e/support/played-histories")>("../e2e/support/played-histories");
    const now = Math.floor(Date.now() / SECOND) * SECOND;
    await bePresent(now);
    // Three fell silent hours apart, and ten are heard.
    await runSql(url, `${servers(3, now - DAY, 3600)}; ${servers(10, now - 10 * SECOND, 0)}`);
    const written = () => runSql(url, "select server_id from server_events order by server_id");
    const [other, onlooker] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([other.connect(), onlooker.connect()]);
    try {
      await other.query("begin");
      await other.query("update servers set label = 'being stored' where id in (1, 4)");
      await watchServers(now);
      expect((await written()).map(({ server_id }) => server_id)).toEqual([1, 2, 3]);
      await other.query("rollback");
      // Somebody else writes one of the events that the look would write, and does not end.
      await runSql(url, "delete from server_events");
      await other.query("begin");
      await other.query(
        `insert into server_events (server_id, kind, started_at)
          select id, 'offline', last_seen_at + interval '2 minutes' from servers where id = 3`,
      );
      const hangs = async () =>
        (
          await onlooker.query(
            "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
          )
        ).rowCount;
      // A statement waits for three seconds at most, which is short on a busy machine.
      let look: Promise<unknown> = Promise.resolve();
      await expect(async () => {
        await look;
        look = watchServers(now).catch(() => undefined);
        await expect.poll(hangs).toBe(1);
        for (const id of [4, 13]) await storeAt(id, Date.now());
        expect(await hangs()).toBe(1);
      }).toPass();
      await other.query("rollback");
      await look;
      await watchServers(now);
      expect((await written()).map(({ server_id }) => server_id)).toEqual([1, 2, 3]);
    } finally {
      await Promise.all([other.end(), onlooker.end()]);
    }
  });
});

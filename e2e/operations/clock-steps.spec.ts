import { AgentBench, PING } from "@/e2e/support/agent";
import { startConsole } from "@/e2e/support/console-server";
import { expect, getData, test } from "@/e2e/support/fixtures";
import { insertCallerWithTokens, insertReportingServer } from "@/e2e/support/insert-caller";
import { needs } from "@/e2e/support/needs";
import { ownClock } from "@/e2e/support/own-clock";
import { startPostgres } from "@/e2e/support/postgres-server";
import { runSql } from "@/e2e/support/run-sql";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { migrate } from "@/scripts/database";

needs("postgres", "libfaketime", "dash", "curl");

type Listed = { id: number; online: boolean; last_seen: number };
type Detail = Listed & { latest_sample: { ts: number } };

for (const whose of ["PostgreSQL", "the console"] as const) {
  for (const [direction, seconds] of [
    ["forward", HOUR / SECOND],
    ["back", -HOUR / SECOND],
  ] as const) {
    test(`with the clock of ${whose} set ${direction} an hour, only dead servers go offline`, async () => {
      const clocks = { PostgreSQL: ownClock(), "the console": ownClock() };
      const postgres = await startPostgres(clocks.PostgreSQL.variables);
      const bench = new AgentBench();
      bench.shim("ping", PING);
      bench.shim("sleep", "exec /bin/sleep 0.5");
      await migrate(postgres.url);
      const app = await startConsole(postgres.url, clocks["the console"].variables);
      const [token = ""] = await insertCallerWithTokens(postgres.url, "ann@example.com", 1);
      const key = await insertReportingServer(postgres.url);
      const deadKey = await insertReportingServer(postgres.url);
      const agent = bench.start(["dash"], ["run", app.origin], `${key}\n`, { STATE_DIRECTORY: bench.dir });
      const servers = async () =>
        (await getData<{ servers: Listed[] }>("/api/v1/servers", token, { origin: app.origin })).servers;
      const living = async () => (await servers())[0];
      const dead = async () => (await servers())[1];
      /** Waits for check-ins of the daemon, each of which writes its row. */
      const heard = async () => {
        for (let times = 0; times < 3; times++) {
          const version = async () =>
            (await runSql<{ xmin: string }>(postgres.url, "select xmin::text from servers order by id limit 1"))[0]
              ?.xmin;
          const before = await version();
          await expect.poll(version).not.toBe(before);
        }
      };
      const now = async () => {
        if (whose === "the console") return Date.parse((await fetch(`${app.origin}/readyz`)).headers.get("date") ?? "");
        return Number((await runSql<{ now: Date }>(postgres.url, "select now()"))[0]?.now);
      };
      const checkInOfDead = async () => {
        const headers = { Authorization: `Bearer ${deadKey}`, "Content-Type": "application/json" };
        const { status } = await fetch(`${app.origin}/ingest/v1/check-ins`, { method: "POST", headers, body: "{}" });
        expect(status).toBe(200);
      };
      try {
        await heard();
        await checkInOfDead();
        expect((await servers()).map(({ online }) => online)).toEqual([true, true]);

        clocks[whose].setAhead(seconds);
        await expect.poll(async () => Math.abs((await now()) - Date.now() - seconds * SECOND)).toBeLessThan(MINUTE);
        await heard();
        await checkInOfDead();
        expect((await living())?.online).toBe(true);
        clocks[whose].setAhead(0);
        // What was dated ahead is taken back, and the daemon goes on.
        await expect
          .poll(async () => Math.max(...(await servers()).map(({ last_seen }) => last_seen)) - Date.now())
          .toBeLessThan(MINUTE);
        await heard();
        const id = (await living())?.id;
        const newest = async () =>
          (await getData<Detail>(`/api/v1/servers/${id}`, token, { origin: app.origin })).latest_sample.ts;
        await expect.poll(async () => Math.abs((await newest()) - Date.now())).toBeLessThan(30 * SECOND);

        for (const clock of Object.values(clocks)) clock.setAhead((3 * MINUTE) / SECOND);
        await heard();
        expect((await servers()).map(({ online }) => online)).toEqual([true, false]);
        expect((await dead())?.last_seen).toBeLessThan(Date.now() + SECOND);
        const outages = "select from events where kind = 'offline' and subject_id = (select min(id) from servers)";
        expect(await runSql(postgres.url, outages)).toHaveLength(0);
        expect(agent.stderr()).not.toMatch(/left out|Not checked in/);
      } finally {
        await agent.stop();
        await app.stop();
        await postgres.stop();
        bench.remove();
        for (const clock of Object.values(clocks)) clock.remove();
      }
    });
  }
}

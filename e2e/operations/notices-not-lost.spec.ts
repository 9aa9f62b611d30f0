import { expect, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { expectWholeAfter, STEPS } from "@/e2e/support/notice-deaths";
import { comeBack, DELIVERIES, goOffline, onStage, type Stage } from "@/e2e/support/notice-stage";
import { letPass } from "@/e2e/support/notice-time";
import { type Instance, type Mode, type Receiver, startInstance } from "@/e2e/support/notices-instance";
import { SLOW } from "@/e2e/support/patience";
import { startPostgres, startReplica } from "@/e2e/support/postgres-server";
import { randomOf } from "@/e2e/support/random-accounts";
import { runSql } from "@/e2e/support/run-sql";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { migrate } from "@/scripts/database";

// What is told although something dies of kill -9: an instance, PostgreSQL, a primary; and random histories of all of it. Time
// passes by moving what is stored back.

/** Histories on a real database. `NOTICE_SEEDS=200` plays all of them. */
const SEEDS = Number(process.env.NOTICE_SEEDS ?? 5);

test("kill -9 of PostgreSQL in the midst of planning, after a claim and after a message was sent loses nothing and tells nothing twice: the same instance goes on when it is back", async () => {
  needs("postgres");
  test.setTimeout(SLOW.timeout);
  const postgres = await startPostgres();
  await migrate(postgres.url);
  const { url, stop } = postgres;
  await onStage(
    async (stage) => {
      for (const what of ["insert into notices", "COMMIT", 'as "threadDelivery"', "set state ="]) {
        for (const when of ["before", "after"] as const) {
          await expectWholeAfter(stage, { when, what, postgres: Number(postgres.process().pid) }, async (instance) => {
            await postgres.kill();
            await postgres.restart();
            return instance;
          });
        }
      }
    },
    { url, stop },
  );
});

test("a replica that is promoted without the last commits sends again what was sent in them, with the same id where it holds the message, sends what else it holds once, and nothing of what stood in them alone", async () => {
  needs("postgres");
  test.setTimeout(SLOW.timeout);
  const primary = await startPostgres();
  await migrate(primary.url);
  await onStage(async ({ sql, live, receiver }) => {
    await sql("insert into servers (account_id, label, hostname) values (1, 'web-3', 'h'), (1, 'web-4', 'h')");
    const replica = await startReplica(primary);
    const onReplica = (text: string) => runSql<Record<string, unknown>>(replica.url, text);
    const onReplicaNow = (text: string) =>
      expect.poll(async () => (await onReplica(text)).length, { timeout: SLOW.timeout });
    const idsOf = (title: RegExp) =>
      receiver.arrivals.flatMap(({ id, body }) => (title.test(JSON.parse(body).title) ? [id] : []));
    try {
      // The replica holds a message that was refused, an outage that is told soon, and one that is told later.
      receiver.modes.set("a", "refuse");
      await sql(goOffline(1));
      await live(2 * MINUTE);
      await sql(goOffline(2));
      await live(2 * MINUTE);
      await sql(goOffline(3));
      while ((await sql(DELIVERIES)).length === 0) await live(5 * SECOND);
      receiver.modes.clear();
      const [{ lsn } = {}] = await sql("select pg_current_wal_lsn()::text as lsn");
      await onReplicaNow(`select where pg_last_wal_replay_lsn() >= '${lsn}'`).toBe(1);
      await onReplica("alter system set primary_conninfo = ''");
      await onReplica("select pg_reload_conf()");
      await onReplicaNow("select from pg_stat_wal_receiver").toBe(0);

      await sql(goOffline(4));
      await live(140 * SECOND, 10 * SECOND);
      const sent = [idsOf(/^web-1 is/), idsOf(/^web-2 is/), idsOf(/^web-[34]/)];
      expect(sent.map((ids) => ids.length)).toEqual([1, 1, 0]);
      await primary.kill();
      await onReplica("select pg_promote()");
      const promoted = await startInstance(replica.url, receiver.url);
      for (let passed = 0; passed < 12 * MINUTE; passed += 30 * SECOND) {
        await letPass(onReplica, 30 * SECOND);
        expect(await promoted.tick()).toBe(true);
      }
      await promoted.stop();
      const [first, second, third] = [idsOf(/^web-1 is/), idsOf(/^web-2 is/), idsOf(/^web-3 is/)];
      expect([first.length, new Set(first).size]).toEqual([2, 1]);
      expect([second.length, new Set(second).size]).toEqual([2, 2]);
      expect([third.length, idsOf(/^web-4/).length]).toEqual([1, 0]);
      expect(await onReplica("select id from notice_deliveries where state = 'due'")).toEqual([]);
    } finally {
      await replica.stop();
    }
  }, primary);
});

test(`${SEEDS} random histories with two instances that die and whose clocks are stepped, channels that hang, refuse and answer late, and a console that is away: nothing is lost unsaid, nothing is told twice, and no absence is told as an outage`, async () => {
  needs("libfaketime");
  test.setTimeout(MINUTE + SEEDS * MINUTE);
  const wrong: string[] = [];
  await onStage(async ({ sql, receiver, url }) => {
    const start = () => startInstance(url, receiver.url, { hasClock: true });
    const instances = [await start(), await start()];
    try {
      for (let seed = 1; seed <= SEEDS; seed++) {
        await sql(`delete from events; delete from notices; delete from notice_incidents; delete from notice_channels;
          insert into notice_channels (account_id, kind, name, confirmed_at) values (1, 'webhook', 'a', now()), (1, 'webhook', 'b', now())`);
        receiver.arrivals.length = 0;
        const fault = await playSeed(seed, { sql, receiver }, instances, start);
        if (fault !== null) wrong.push(`seed ${seed}: ${fault}`);
      }
    } finally {
      for (const one of instances) await one.stop();
    }
  });
  expect(wrong).toEqual([]);
});

/** How far clocks are off after a step. */
const CLOCKS = ["+0", "+90s", "-20m", "+7h", "-26h", "+400d"];
const MODES: readonly Mode[] = ["ok", "ok", "ok", "refuse", "hang", "late", "wait"];

/** What is wrong with one history, in a sentence. */
async function playSeed(
  seed: number,
  { sql, receiver }: Pick<Stage, "sql" | "receiver">,
  instances: Instance[],
  start: () => Promise<Instance>,
): Promise<string | null> {
  const random = randomOf(seed);
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  const isOffline = new Map([
    [1, false],
    [2, false],
  ]);
  let deaths = 0;
  /** The console is away for a while: what began before goes on, and servers that come back end it. */
  const beAway = async () => {
    await letPass(sql, Math.ceil(random() * 8 * MINUTE));
    for (const server of [1, 2]) {
      if (!isOffline.get(server) || random() < 0.5) continue;
      isOffline.set(server, false);
      await sql(comeBack(server));
    }
  };
  const tick = async () => {
    const alive = await Promise.all(instances.map((one) => one.tick()));
    for (const [place, isAlive] of alive.entries()) {
      if (isAlive) continue;
      deaths++;
      await instances[place]?.stop();
      instances[place] = await start();
    }
  };
  for (let step = 0; step < 40; step++) {
    const server = pick([1, 2]);
    if (random() < 0.25) {
      await sql(isOffline.get(server) ? comeBack(server) : goOffline(server));
      isOffline.set(server, !isOffline.get(server));
    }
    for (const channel of ["a", "b"]) if (random() < 0.1) receiver.modes.set(channel, pick(MODES));
    if (random() < 0.03) pick(instances).dieAt({ when: pick(["before", "after"] as const), what: pick(STEPS) });
    if (random() < 0.2) pick(instances).setClock(pick(CLOCKS));
    if (random() < 0.08) await beAway();
    await letPass(sql, random() * 2 * MINUTE);
    if (random() < 0.9) await tick();
  }
  for (const server of [1, 2]) if (isOffline.get(server)) await sql(comeBack(server));
  for (const one of instances) one.dieAt(null);
  receiver.modes.clear();
  await tick();
  for (const wait of [MINUTE, MINUTE, MINUTE, 2 * MINUTE, 15 * MINUTE, 80 * MINUTE, 8 * HOUR, MINUTE, 2 * MINUTE]) {
    await letPass(sql, wait);
    await tick();
  }
  const [absence] = await sql(CAUSED_BY_ABSENCE);
  if (absence) return `what was no outage was told: ${JSON.stringify(absence)}`;
  return findFault(await sql(DELIVERIES), await sql(OUTAGES), receiver, deaths);
}

/** SQL: what was told of an incident that an event lies in. */
const OF_EVENT = `i.subject_id = e.subject_id and i.started_at <= e.started_at and coalesce(i.ended_at, 'infinity') >= e.started_at`;
const OUTAGES = `select extract(epoch from e.ended_at - e.started_at)::float8 as seconds,
    exists (select from notice_incidents i where ${OF_EVENT} and i.told_at is not null) as told,
    not exists (select from notice_incidents i where ${OF_EVENT} and i.look_at is not null) as settled,
    exists (select from notice_incidents f where f.subject_id = e.subject_id and f.id in (
      select jsonb_array_elements_text(n.facts -> 'flapping')::int from notices n)) as flapped
  from events e where e.kind = 'offline' order by e.started_at`;
/**
 * SQL: outages that were told without a stretch in which the console was there and heard nothing. After four minutes one may come
 * along with what is told after five.
 */
const CAUSED_BY_ABSENCE = `select i.started_at, i.ended_at from notice_incidents i where i.told_at is not null and not exists (
  select from events e where e.subject_id = i.subject_id and e.kind = 'offline'
    and e.ended_at - e.started_at > interval '239 s'
    and e.started_at <= coalesce(i.ended_at, 'infinity') and e.ended_at >= i.started_at)`;

function findFault(
  deliveries: readonly Record<string, unknown>[],
  outages: readonly Record<string, unknown>[],
  { arrivals }: Receiver,
  deaths: number,
): string | null {
  for (const { seconds, told, flapped, settled } of outages) {
    // What is noticed when it is over has to have been long enough; what comes and goes is told as that.
    if (Number(seconds) >= 5.5 * 60 && !told && !flapped) return `an outage of ${seconds} s was not told`;
    if (settled === false && !flapped) return "an outage is not settled";
  }
  const open = deliveries.filter(({ state }) => state === "due");
  if (open.length > 0) return `${open.length} are still due: ${JSON.stringify(open[0])}`;
  const twice = new Set<string>();
  for (const { id, state, kind, channel, incidents } of deliveries) {
    const mine = arrivals.filter((arrival) => arrival.id === id);
    if (state === "delivered" && mine.length === 0) return `${kind} on ${channel} is called delivered and never came`;
    if (mine.filter(({ isConfirmed }) => isConfirmed).length > 1 + deaths) return `${kind} on ${channel} came twice`;
    if (new Set(mine.map(({ body }) => body)).size > 1) return `${kind} on ${channel} changed under its id`;
    if (state !== "delivered" || kind === "still") continue;
    for (const incident of incidents as number[]) {
      const key = `${kind} ${channel} ${incident}`;
      if (twice.has(key)) return `${key} was told twice`;
      twice.add(key);
    }
  }
  return arrivals.every(({ id }) => deliveries.some((one) => one.id === id)) ? null : "something unknown came";
}

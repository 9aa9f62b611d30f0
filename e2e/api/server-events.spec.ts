import { readFileSync } from "node:fs";
import { POST as checkIn } from "@/app/ingest/v1/check-ins/route";
import { servers, withLibrary } from "@/e2e/support/account-of-servers";
import { newAccount, newReportingServer, newServer, steadyRecord } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { recordQueries } from "@/e2e/support/recorded-queries";
import { runSql } from "@/e2e/support/run-sql";
import { db } from "@/lib/database/client";
import { counted } from "@/lib/format/quantities";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { deliverBenchmark, requestBenchmark } from "@/lib/servers/benchmarks";
import { listServerEvents } from "@/lib/servers/events/server-events";
import { ONLINE_WINDOW, SILENCE_KINDS } from "@/lib/servers/events/silence";
import { uptimeOf, withoutMaintenance } from "@/lib/servers/events/uptime";
import { renameServer } from "@/lib/servers/management";
import { replaceServerKey } from "@/lib/servers/server-keys";
import { getServer, getServerReport, listFleet } from "@/lib/servers/servers";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { eachMeasurement, type Sample } from "@/lib/servers/telemetry/measurements";

// What is recorded of servers that fall silent. Where the console's own absence matters, on a database of the test's own: the
// shared one has a console that is there.

/** Histories on a real database. `SILENCE_SEEDS=200` plays all of them. */
const SEEDS = Number(process.env.SILENCE_SEEDS ?? 15);

const NO_PARAMS = { params: Promise.resolve({}) };
const sample: Sample = eachMeasurement(() => null);
const eventsOf = async (id: number, now: number) =>
  (await listServerEvents(id, { from: 0, to: now + DAY }, now)).silences;
const rowsOf = (serverId: number) =>
  db.serverEvent.findMany({
    where: { serverId },
    orderBy: { startedAt: "asc" },
    omit: { id: true, facts: true, serverId: true },
  });

test(`${SEEDS} random histories on a real database, with two instances at once, are what the model says at every moment, in the API, the fleet, the events and the uptime alike, and none is strained in a silence`, async () => {
  test.setTimeout(60 * SECOND + SEEDS * 5 * SECOND);
  await withLibrary(async (_, library) => {
    const { playHistories } = library.use<typeof import("@/e2e/support/played-histories")>(
      "../e2e/support/played-histories",
    );
    const { wrong, kinds } = await playHistories(1, 1, SEEDS);
    expect(wrong).toEqual([]);
    expect(Object.keys(kinds)).toEqual(expect.arrayContaining(["offline", "unknown", "unreachable", "strained"]));
  });
});

test("a check-in that ends a silence is three statements, and writes it from two minutes after the last one to itself", async () => {
  const { id: accountId } = await newAccount();
  const { id, key } = await newReportingServer(accountId);
  const lastSeenAt = new Date(Date.now() - 10 * MINUTE);
  await db.server.update({ where: { id }, data: { createdAt: new Date(Date.now() - DAY), lastSeenAt } });
  const silentSince = new Date(lastSeenAt.getTime() + ONLINE_WINDOW);
  // Derived before any row is there, and the same afterwards. A console that was away itself knows a part of it less well.
  const derived = await eventsOf(id, Date.now());
  expect(derived.map(({ from }) => from)).toEqual([silentSince.getTime(), ...derived.slice(0, -1).map(({ to }) => to)]);
  expect(derived.at(-1)?.to).toBeNull();
  const queries = await recordQueries(async () => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const body = JSON.stringify({ cpu_pct: 5 });
    expect((await checkIn(new Request("http://localhost/", { method: "POST", headers, body }), NO_PARAMS)).status).toBe(
      200,
    );
  });
  expect(queries).toHaveLength(3);
  const { lastSeenAt: seenAt } = await db.server.findUniqueOrThrow({ where: { id } });
  const rows = await rowsOf(id);
  expect(rows.at(0)?.startedAt).toEqual(silentSince);
  expect(rows.at(-1)?.endedAt).toEqual(seenAt);
  expect(rows.filter(({ endedAt }) => endedAt === null)).toEqual([]);
  expect(await eventsOf(id, Date.now())).toHaveLength(rows.length);
});

test("more than half of all servers that fall silent within a minute are unknown, until half of them are heard again; the others are offline two minutes later", async () => {
  await withLibrary(async (url, library) => {
    const { watchServers } = library.use<typeof import("@/lib/servers/events/watch")>("servers/events/watch");
    const { bePresent } = library.use<typeof import("@/lib/servers/events/presence")>("servers/events/presence");
    const begin = Math.floor(Date.now() / MINUTE) * MINUTE - HOUR;
    let present = begin - 10 * SECOND;
    const look = async (minutes: number) => {
      const now = begin + minutes * MINUTE;
      // The rest of the fleet goes on reporting.
      await runSql(url, `update servers set last_seen_at = to_timestamp(${now / SECOND}) where id > 12`);
      for (; present <= now; present += 10 * SECOND) await bePresent(present);
      await watchServers(now);
      const rows = await runSql(
        url,
        "select server_id as id, kind, started_at, ended_at from server_events order by 1, 3",
      );
      return rows.map(({ id, kind, started_at, ended_at }) => [
        id,
        kind,
        ((started_at as Date).getTime() - begin) / MINUTE,
        ended_at === null ? null : ((ended_at as Date).getTime() - begin) / MINUTE,
      ]);
    };
    await runSql(url, servers(12, begin, 3));
    await runSql(url, servers(10, begin + MINUTE, 0));
    await look(2.5);
    await look(3);
    const cut = await look(3.2);
    expect(cut.map(([, kind]) => kind)).toEqual(Array(12).fill("unknown"));
    expect(cut.map(([, , from]) => from)).toEqual(Array.from({ length: 12 }, (_, index) => 2 + (3 * (index + 1)) / 60));
    expect(cut.every(([, , , to]) => to === null)).toBe(true);
    // The fleet, its title and the first of its list say the same.
    const { listFleet } = library.use<typeof import("@/lib/servers/servers")>("servers/servers");
    const needsAt = async (minutes: number) => (await listFleet(1, begin + minutes * MINUTE)).map(({ need }) => need);
    const others = Array(10).fill("attention");
    expect(await needsAt(3.2)).toEqual([...Array(12).fill("unknown"), ...others]);

    // Six of them come back within ten minutes, one after the other.
    const { storeAt } = library.use<typeof import("@/e2e/support/played-histories")>("../e2e/support/played-histories");
    for (let id = 1; id <= 6; id++) await storeAt(id, begin + (10 + id) * MINUTE);
    await look(16.5);
    // Half of them were back at 16, and the others had until 18.
    const after = await look(19);
    const left = after.filter(([id]) => (id as number) > 6);
    expect(left.filter(([, kind]) => kind === "unknown").map(([, , , to]) => to)).toEqual(Array(6).fill(18));
    expect(left.filter(([, kind]) => kind === "offline").map(([, , from, to]) => [from, to])).toEqual(
      Array(6).fill([18, null]),
    );
    expect(await needsAt(17.9)).toEqual([
      ...Array(5).fill("unknown"),
      "attention",
      ...Array(6).fill("unknown"),
      ...others,
    ]);
    expect(await needsAt(19)).toEqual([...Array(12).fill("offline"), ...others]);
    const [cutRow] = await runSql(url, "select cause, fallen, ended_at, settled from blind_times where cause = 'cut'");
    expect(cutRow).toMatchObject({ fallen: 12, ended_at: new Date(begin + 16 * MINUTE) });
  });
});

test("while the console was away, /metrics says of a silent server that it is unknown, and the alert of the recipe is of none that is", async () => {
  await withLibrary(async (url, library) => {
    const { bePresent } = library.use<typeof import("@/lib/servers/events/presence")>("servers/events/presence");
    const { listServerReadings } = library.use<typeof import("@/lib/servers/servers")>("servers/servers");
    const { writePrometheus } = library.use<typeof import("@/lib/api/prometheus")>("api/prometheus");
    const now = Date.now();
    await runSql(url, servers(1, now - 5 * MINUTE, 0));
    const text = async () => writePrometheus(await listServerReadings(1), []);
    await bePresent(now);
    expect(await text()).toMatch(/^console_server_online\{server_id="1"\} 0$/m);
    expect(await text()).toMatch(/^console_server_unknown\{server_id="1"\} 0$/m);
    await runSql(url, "update console_presence set until = until - interval '40 s'");
    expect(await text()).toMatch(/^console_server_online\{server_id="1"\} 0$/m);
    expect(await text()).toMatch(/^console_server_unknown\{server_id="1"\} 1$/m);
    const rules = readFileSync("public/recipes/prometheus/console-rules.yml", "utf8");
    expect(rules).toContain("expr: (console_server_online + console_server_unknown) * on");
  });
});

test("nine servers, or half of them, that fall silent at once are offline", async () => {
  await withLibrary(async (url, library) => {
    const { watchServers } = library.use<typeof import("@/lib/servers/events/watch")>("servers/events/watch");
    const { bePresent } = library.use<typeof import("@/lib/servers/events/presence")>("servers/events/presence");
    const now = Math.floor(Date.now() / MINUTE) * MINUTE;
    for (let time = now - 10 * MINUTE; time <= now; time += 10 * SECOND) await bePresent(time);
    await runSql(url, servers(9, now - 4 * MINUTE, 1));
    await watchServers(now);
    const kinds = async () => runSql(url, "select kind, count(*)::int as count from server_events group by 1");
    expect(await kinds()).toEqual([{ kind: "offline", count: 9 }]);
    await runSql(url, `${servers(3, now - 4 * MINUTE, 1)}; ${servers(12, now, 0)}`);
    await watchServers(now);
    expect(await kinds()).toEqual([{ kind: "offline", count: 12 }]);
    expect(await runSql(url, "select from blind_times")).toEqual([]);
  });
});

test("four looks at once write each event once, a thousand silent servers of five in pages, and a second look writes nothing", async () => {
  await withLibrary(async (url, library) => {
    const { watchServers } = library.use<typeof import("@/lib/servers/events/watch")>("servers/events/watch");
    const { bePresent } = library.use<typeof import("@/lib/servers/events/presence")>("servers/events/presence");
    const now = Date.now();
    await bePresent(now);
    // Hours apart, so that they did not fall silent together.
    await runSql(url, `${servers(1000, now - 90 * DAY, 3600)}; ${servers(4000, now, 0)}`);
    await Promise.all([1, 2, 3, 4].map(() => watchServers(now)));
    const written = () =>
      runSql(
        url,
        "select count(*)::int as rows, count(distinct server_id)::int as servers, max(xmin::text::int) as last from server_events",
      );
    const [first] = await written();
    expect(first).toMatchObject({ rows: 1000, servers: 1000 });
    for (let later = now; later <= now + MINUTE; later += 10 * SECOND) await bePresent(later);
    await watchServers(now + MINUTE);
    expect(await written()).toEqual([first]);
  });
});

test("what another program writes into last_seen_at ends the event at the next look, and an event that never was goes", async () => {
  await withLibrary(async (url, library) => {
    const { watchServers } = library.use<typeof import("@/lib/servers/events/watch")>("servers/events/watch");
    const { bePresent } = library.use<typeof import("@/lib/servers/events/presence")>("servers/events/presence");
    const now = Math.floor(Date.now() / SECOND) * SECOND;
    for (let time = now - 20 * MINUTE; time <= now; time += 10 * SECOND) await bePresent(time);
    await runSql(url, servers(2, now - 20 * MINUTE, 0));
    await watchServers(now);
    await runSql(
      url,
      `update servers set last_seen_at = to_timestamp(${now / SECOND}) where id = 1;
      update servers set last_seen_at = to_timestamp(${now / SECOND} - 19 * 60) where id = 2`,
    );
    await watchServers(now + 10 * SECOND);
    const rows = await runSql(
      url,
      "select server_id as id, kind, started_at, ended_at from server_events order by 1, 3",
    );
    expect(rows).toEqual([
      { id: 1, kind: "offline", started_at: new Date(now - 18 * MINUTE), ended_at: new Date(now) },
      { id: 2, kind: "offline", started_at: new Date(now - 17 * MINUTE), ended_at: null },
    ]);
  });
});

test("no index holds the last check-in, so that check-ins stay HOT updates", async () => {
  const indexes = await db.$queryRaw<
    { indexdef: string }[]
  >`select indexdef from pg_indexes where tablename = 'servers'`;
  expect(indexes.length).toBeGreaterThan(1);
  for (const { indexdef } of indexes) expect(indexdef).not.toMatch(/last_seen_at|stability|latest_sample/);
});

test("console_presence has one row, whatever writes it", async () => {
  await expect(db.consolePresence.create({ data: { id: 2, until: new Date() } })).rejects.toThrow(
    "console_presence_one",
  );
  expect(await db.consolePresence.count()).toBeLessThanOrEqual(1);
});

test("a check-in tells of a reboot at the time of the boot, of killed processes once, of services that failed until they work, and of two daemons until they take no turns", async () => {
  const { id: accountId } = await newAccount();
  const { id } = await newReportingServer(accountId);
  const begin = Math.floor(Date.now() / MINUTE) * MINUTE - 5 * MINUTE;
  await db.server.update({ where: { id }, data: { createdAt: new Date(begin - DAY), lastSeenAt: new Date(begin) } });
  const send = (seconds: number, values: Partial<Sample>, daemon?: string) => {
    const at = new Date(begin + seconds * SECOND);
    return storeCheckIn(
      id,
      { sample: { ...sample, ...values } },
      { sampledAt: at, arrivedAt: at, ...(daemon && { daemon }) },
    );
  };
  await send(30, { uptimeS: 1000, failedUnits: 0, oomKills: 0 });
  // Twice, as a daemon does that got no answer.
  for (const _ of [1, 2]) await send(60, { uptimeS: 20, failedUnits: 2, oomKills: 3 });
  // Of the same ten seconds as the one before: it is not stored, and its kills are added.
  for (const _ of [1, 2]) await send(65, { uptimeS: 25, failedUnits: 2, oomKills: 1 });
  await send(90, { uptimeS: 50, failedUnits: 3 });
  await send(120, { uptimeS: 80, failedUnits: 0 });
  const [first, second] = ["daemon-first", "daemon-second"];
  for (const [index, daemon] of [first, second, first, second, first].entries())
    await send(150 + 30 * index, {}, daemon);
  const where = { serverId: id, kind: { not: "offline" } };
  const find = () => db.serverEvent.findMany({ where, orderBy: [{ startedAt: "asc" }, { kind: "asc" }] });
  const rows = await find();
  expect(
    rows.map(({ kind, startedAt, endedAt, facts }) => [
      kind,
      (startedAt.getTime() - begin) / SECOND,
      endedAt && (endedAt.getTime() - begin) / SECOND,
      facts,
    ]),
  ).toEqual([
    ["rebooted", 40, 40, {}],
    ["process_killed", 60, 60, { count: 4 }],
    ["unit_failed", 60, 120, { count: 2 }],
    ["two_daemons", 210, null, {}],
  ]);
  const { others, silences } = await listServerEvents(id, { from: 0, to: begin + DAY }, begin + 300 * SECOND);
  expect(others.map(({ kind }) => kind).sort()).toEqual(rows.map(({ kind }) => kind).sort());
  expect(silences).toEqual([]);
  // Once ten minutes without a turn are over, the watch of the console ends it with the last turn.
  const earlier = (seconds: number) => new Date(begin + seconds * SECOND - 10 * MINUTE);
  const { id: eventId } = await db.serverEvent.update({
    where: {
      serverId_startedAt_kind: { serverId: id, startedAt: new Date(begin + 210 * SECOND), kind: "two_daemons" },
    },
    data: { startedAt: earlier(210) },
  });
  await db.server.update({ where: { id }, data: { twoDaemonsAt: earlier(270) } });
  await expect
    .poll(async () => (await db.serverEvent.findUniqueOrThrow({ where: { id: eventId } })).endedAt)
    .toEqual(earlier(270));
});

const WELL: Partial<Sample> = { cpuPct: 5, memUsedMb: 100, memTotalMb: 1000, diskUsedPct: 20, netLossPct: 0 };
/** CPU and memory have hardly any points: 667. */
const STRAINED: Partial<Sample> = { ...WELL, cpuPct: 97, memUsedMb: 960 };
const CRITICAL: Partial<Sample> = { ...STRAINED, diskUsedPct: 99, netLossPct: 10 };

/** Rows of a server in minutes since `begin`, with their facts. */
async function minutesOf(serverId: number, begin: number) {
  const rows = await db.serverEvent.findMany({ where: { serverId }, orderBy: [{ startedAt: "asc" }, { kind: "asc" }] });
  return rows.map(({ kind, startedAt, endedAt, facts }) => [
    kind,
    (startedAt.getTime() - begin) / MINUTE,
    endedAt && (endedAt.getTime() - begin) / MINUTE,
    facts,
  ]);
}

/**
 * A server, and a function that has it check in every half minute. It counts as heard until after the test, so that the
 * shared console's looks find no silence between two check-ins of the past.
 */
async function newSteadyServer(begin: number, lastSeenAt = Date.now() + HOUR) {
  const { id: accountId } = await newAccount();
  const { id } = await newReportingServer(accountId);
  await db.server.update({
    where: { id },
    data: { createdAt: new Date(begin - DAY), lastSeenAt: new Date(lastSeenAt) },
  });
  const heard = async (from: number, to: number, values: Partial<Sample>, late = 0) => {
    for (let at = begin + from * MINUTE; at < begin + to * MINUTE; at += 30 * SECOND) {
      const arrival = { sampledAt: new Date(at), arrivedAt: new Date(at + late * SECOND) };
      await storeCheckIn(id, { sample: { ...sample, ...values } }, arrival);
    }
  };
  return { accountId, id, heard };
}

test("a score that is strained or critical for ten minutes is an event from its beginning to its end, with its cause; a shorter one is not; the check-in that tells of it is three statements", async () => {
  const begin = Math.floor(Date.now() / MINUTE) * MINUTE - 90 * MINUTE;
  const { id, heard } = await newSteadyServer(begin);
  await heard(0.5, 5, WELL);
  await heard(5, 14, STRAINED);
  await heard(14, 16, WELL);
  expect(await minutesOf(id, begin)).toEqual([]);
  await heard(16, 26, STRAINED);
  const queries = await recordQueries(() => heard(26, 26.5, STRAINED));
  // A check-in without its key: what looks the key up is the third.
  expect(queries).toHaveLength(2);
  const strained = ["strained", 16, null, { cause: "cpu", score: 667 }];
  expect(await minutesOf(id, begin)).toEqual([strained]);
  await heard(26.5, 37, CRITICAL);
  const facts = { cause: expect.any(String), score: expect.any(Number) };
  expect(await minutesOf(id, begin)).toEqual([
    ["strained", 16, 26.5, facts],
    ["critical", 26.5, null, facts],
  ]);
  await heard(37, 48, WELL);
  expect(await minutesOf(id, begin)).toEqual([
    ["strained", 16, 26.5, facts],
    ["critical", 26.5, 37, facts],
  ]);
});

test("what stability and freshness cost is no event: an outage is told once", async () => {
  const begin = Math.floor(Date.now() / MINUTE) * MINUTE - 45 * MINUTE;
  const { accountId, id, heard } = await newSteadyServer(begin, begin - 10 * MINUTE);
  // A disk at 85 % costs as much as leaves the score healthy by a little.
  await heard(0, 40, { ...WELL, uptimeS: 1, failedUnits: 4, diskUsedPct: 85 });
  const { score_components: components, score } = await getServer(accountId, String(id), begin + 40 * MINUTE);
  expect(components.stability).toBe(0);
  expect(score).toBeLessThan(800);
  const kinds = (await minutesOf(id, begin)).map(([kind]) => kind);
  expect(kinds.filter((kind) => kind === "strained" || kind === "critical")).toEqual([]);
  expect(kinds.some((kind) => kind === "offline" || kind === "unknown")).toBe(true);
});

test("a level ends where a silence begins: on the page at once, in its row with the look that writes the silence, and the check-in that ends the silence changes nothing of it", async () => {
  await withLibrary(async (url, library) => {
    const { watchServers } = library.use<typeof import("@/lib/servers/events/watch")>("servers/events/watch");
    const { bePresent } = library.use<typeof import("@/lib/servers/events/presence")>("servers/events/presence");
    const { listServerEvents: list } =
      library.use<typeof import("@/lib/servers/events/server-events")>("servers/events/server-events");
    const { storeAt } = library.use<typeof import("@/e2e/support/played-histories")>("../e2e/support/played-histories");
    const begin = Math.floor(Date.now() / MINUTE) * MINUTE - HOUR;
    const at = (minutes: number) => begin + minutes * MINUTE;
    for (let now = at(-1); now <= at(40); now += 10 * SECOND) await bePresent(now);
    await runSql(url, servers(1, begin - SECOND, 1));
    // A sample without any value is rated as strained.
    for (let minutes = 0; minutes <= 12; minutes += 0.5) await storeAt(1, at(minutes));
    const rows = async () => {
      const all = await runSql(url, "select kind, started_at, ended_at from server_events order by 2, 1");
      return all.map(({ kind, started_at, ended_at }) => [
        kind,
        ((started_at as Date).getTime() - begin) / MINUTE,
        ended_at && ((ended_at as Date).getTime() - begin) / MINUTE,
      ]);
    };
    const pages = async (now: number) => {
      const { silences, others } = await list(1, { from: 0, to: now + 1 }, now);
      return [...others, ...silences].map(({ kind, from, to }) => [
        kind,
        (from - begin) / MINUTE,
        to && (to - begin) / MINUTE,
      ]);
    };
    expect(await rows()).toEqual([["strained", 0, null]]);
    const wanted = [
      ["strained", 0, 14],
      ["offline", 14, null],
    ];
    expect(await pages(at(15))).toEqual(wanted);
    await watchServers(at(16));
    expect(await rows()).toEqual(wanted);
    expect(await pages(at(17))).toEqual(wanted);
    await storeAt(1, at(20));
    expect(await rows()).toEqual([
      ["strained", 0, 14],
      ["offline", 14, 20],
    ]);
  });
});

test("a disk over 90 % for fifteen minutes is an event, also over a silence, until it has had room for as long", async () => {
  const begin = Math.floor(Date.now() / MINUTE) * MINUTE - 80 * MINUTE;
  const { id, heard } = await newSteadyServer(begin);
  const full = { ...WELL, diskUsedPct: 91.7 };
  await heard(0.5, 14, full);
  await heard(14, 16, { ...WELL, diskUsedPct: 90 });
  await heard(16, 31, full);
  expect(await minutesOf(id, begin)).toEqual([]);
  await heard(31, 32, full);
  const [row] = await minutesOf(id, begin);
  expect(row).toEqual(["disk_full", 16, null, { percent: 91 }]);
  await heard(40, 42, full);
  await heard(42, 58, WELL);
  expect((await minutesOf(id, begin)).filter(([kind]) => kind === "disk_full")).toEqual([
    ["disk_full", 16, 42, { percent: 91 }],
  ]);
});

test("a clock that is more than a minute off for ten minutes is an event, with by how much; what waited and comes later is none", async () => {
  const begin = Math.floor(Date.now() / MINUTE) * MINUTE - 80 * MINUTE;
  const { id, heard } = await newSteadyServer(begin);
  await heard(0.5, 9, WELL, -180);
  await heard(13, 15, WELL);
  expect((await minutesOf(id, begin)).filter(([kind]) => kind === "clock_wrong")).toEqual([]);
  await heard(15, 26, WELL, 90);
  await heard(28, 39, WELL);
  expect((await minutesOf(id, begin)).filter(([kind]) => kind === "clock_wrong")).toEqual([
    ["clock_wrong", 16.5, 28, { seconds: -90 }],
  ]);
});

test("samples that another program writes cause the same events at the next look, dated to the samples, and check-ins leave the look nothing to do", async () => {
  await withLibrary(async (url, library) => {
    const { watchServers } = library.use<typeof import("@/lib/servers/events/watch")>("servers/events/watch");
    const { bePresent } = library.use<typeof import("@/lib/servers/events/presence")>("servers/events/presence");
    const { storeAt } = library.use<typeof import("@/e2e/support/played-histories")>("../e2e/support/played-histories");
    const begin = Math.floor(Date.now() / MINUTE) * MINUTE - 50 * MINUTE;
    /** As another program writes: of 700 servers, the last one after the others in each statement. */
    const write = async (from: number, to: number, values: string) => {
      await runSql(
        url,
        `insert into telemetry_samples (server_id, ts, cpu_pct, mem_used_mb, mem_total_mb, disk_used_pct, net_loss_pct,
            uptime_s, oom_kills, failed_units)
          select id, to_timestamp(${begin / SECOND}) + n * interval '30 s', ${values},
            case when n < 30 then 1000 + n * 30 else n * 30 - 895 end, case n when 10 then 2 else 0 end,
            case when n between 20 and 39 or n between 50 and 53 then 1 else 0 end
          from generate_series(${from * 2}, ${to * 2 - 1}) n, servers where id <= 700;
        update servers set last_seen_at = to_timestamp(${begin / SECOND} + ${(to - 0.5) * 60})`,
      );
      for (let look = 0; look < 3; look++) {
        const now = begin + to * MINUTE + look * SECOND;
        await bePresent(now);
        await watchServers(now);
      }
    };
    await runSql(url, servers(701, begin - SECOND, 0));
    await write(0, 12, "97, 960, 1000, 95, 0");
    const events = () =>
      runSql(
        url,
        `select kind, extract(epoch from started_at - to_timestamp(${begin / SECOND}))::int / 60 as "from",
          extract(epoch from ended_at - to_timestamp(${begin / SECOND}))::int / 60 as "to", count(*)::int as servers
        from server_events where kind in ('strained', 'critical', 'disk_full') group by 1, 2, 3 order by 1`,
      );
    expect(await events()).toEqual([{ kind: "critical", from: 0, to: null, servers: 700 }]);
    // Half of the samples are of before the look.
    await write(12, 40, "5, 100, 1000, 95, 0");
    expect(await events()).toEqual([
      { kind: "critical", from: 0, to: 12, servers: 700 },
      { kind: "disk_full", from: 0, to: null, servers: 700 },
    ]);
    // What a sample tells by itself, as a check-in would: one that began before the look and ended after it, too.
    const told = await runSql(
      url,
      `select kind, extract(epoch from started_at - to_timestamp(${begin / SECOND}))::int as "from",
        extract(epoch from ended_at - to_timestamp(${begin / SECOND}))::int as "to", facts, count(*)::int as servers
      from server_events where kind in ('rebooted', 'process_killed', 'unit_failed') group by 1, 2, 3, 4 order by 2`,
    );
    expect(told).toEqual([
      { kind: "process_killed", from: 300, to: 300, facts: { count: 2 }, servers: 700 },
      { kind: "unit_failed", from: 600, to: 1200, facts: { count: 1 }, servers: 700 },
      { kind: "rebooted", from: 895, to: 895, facts: {}, servers: 700 },
      { kind: "unit_failed", from: 1500, to: 1620, facts: { count: 1 }, servers: 700 },
    ]);
    await storeAt(701, begin + 40 * MINUTE);
    expect(await runSql(url, "select id from servers where unrated_since is not null")).toEqual([]);
  });
});

test("a late sample between two others tells of no second reboot", async () => {
  const { id: accountId } = await newAccount();
  const { id } = await newReportingServer(accountId);
  const begin = Math.floor(Date.now() / MINUTE) * MINUTE - 30 * MINUTE;
  await db.server.update({ where: { id }, data: { createdAt: new Date(begin - DAY), lastSeenAt: new Date(begin) } });
  const send = (sampled: number, arrived: number, uptimeS: number) =>
    storeCheckIn(
      id,
      { sample: { ...sample, uptimeS } },
      { sampledAt: new Date(begin + sampled * SECOND), arrivedAt: new Date(begin + arrived * SECOND) },
    );
  await send(30, 30, 1000);
  await send(300, 300, 100);
  await send(210, 301, 10.4);
  await send(240, 302, 40);
  expect(await db.serverEvent.findMany({ where: { serverId: id, kind: "rebooted" } })).toMatchObject([
    { startedAt: new Date(begin + 200 * SECOND) },
  ]);
});

test("a replaced key, a changed name and a benchmark's result are events of their transaction; the first key and the same name are none", async () => {
  const { id: accountId } = await newAccount();
  const { id } = await newReportingServer(accountId);
  const names = { label: "before", hostname: "" };
  expect(await renameServer(accountId, id, names)).toEqual({ kind: "renamed" });
  expect(await renameServer(accountId, id, { ...names, label: "after" })).toEqual({ kind: "renamed" });
  expect(await renameServer(accountId, id, { ...names, label: "after" })).toEqual({ kind: "renamed" });
  expect((await newAccount()).id).not.toBe(accountId);
  expect(await renameServer((await newAccount()).id, id, names)).toEqual({ kind: "not-found" });
  await replaceServerKey(accountId, id);
  const created = await requestBenchmark(accountId, id, "disk");
  if (created.kind !== "requested") throw new Error(created.kind);
  const scores = { cpu: 1, disk: 2, network: 3, stability: 4, total: 55 };
  expect(await deliverBenchmark(created.rawKey, { scores, verified: false, log: "" }, new Date())).toBe(true);
  expect(await deliverBenchmark(created.rawKey, { scores, verified: false, log: "" }, new Date())).toBe(false);
  const rows = await db.serverEvent.findMany({ where: { serverId: id }, orderBy: { id: "asc" } });
  expect(rows.map(({ kind, facts }) => [kind, facts])).toEqual([
    ["settings_changed", { label: expect.stringContaining("server-"), hostname: expect.stringContaining("server-") }],
    ["settings_changed", { label: "before" }],
    ["key_replaced", {}],
    ["benchmark", { label: "disk", total: 55 }],
  ]);
  for (const { startedAt, endedAt } of rows) expect(endedAt).toEqual(startedAt);
});

test("events count from the first check-in, from when they are recorded, and as far back as they are kept, whichever is latest", async () => {
  await withLibrary(async (url, library) => {
    const { bePresent } = library.use<typeof import("@/lib/servers/events/presence")>("servers/events/presence");
    const { listServerEvents: list } =
      library.use<typeof import("@/lib/servers/events/server-events")>("servers/events/server-events");
    const now = Math.floor(Date.now() / SECOND) * SECOND;
    const since = async (id: number) => (now - ((await list(id, { from: 0, to: now }, now)).recordedSince ?? 0)) / DAY;
    await runSql(url, servers(3, now, 0));
    await runSql(url, `update servers set first_seen_at = to_timestamp(${now / SECOND}) - id * interval '2 days'`);
    expect((await list(1, { from: 0, to: now }, now)).recordedSince).toBeNull();
    await bePresent(now - 5 * DAY);
    expect([await since(1), await since(2), await since(3)]).toEqual([2, 4, 5]);
    await runSql(url, "update console_presence set since = now() - interval '900 days'");
    await runSql(url, "update servers set first_seen_at = now() - interval '800 days'");
    expect(await since(1)).toBe(400);
    await runSql(
      url,
      `insert into server_events (server_id, kind, started_at, ended_at)
      select 1, 'offline', to_timestamp(${now / SECOND}) - n * interval '10 min', to_timestamp(${now / SECOND}) - n * interval '10 min'
      from generate_series(1, 10000) n`,
    );
    expect(await since(1)).toBeCloseTo(10_000 / 144, 6);
  });
});

test("the outages of the last 24 hours are one number of the head, the fleet and the uptime, whatever began before, lasted, or fell into maintenance", async () => {
  const now = Date.now();
  const at = (minutes: number) => new Date(now - minutes * MINUTE);
  const { id: accountId } = await newAccount();
  const counts = new Set<number>();
  for (let history = 0; history < 40; history++) {
    const { id } = await newServer(accountId, {
      createdAt: at(4000),
      firstSeenAt: at(4000),
      lastSeenAt: new Date(now),
    });
    const random = (most: number) => 1 + Math.floor(Math.random() * most);
    for (let minute = 3900; minute > 0; ) {
      const end = Math.max(0, minute - random(history % 4 === 0 ? 3000 : 400));
      const kind = SILENCE_KINDS[Math.floor(Math.random() * 3)] ?? "offline";
      await db.serverEvent.create({ data: { serverId: id, kind, startedAt: at(minute), endedAt: at(end) } });
      // Silences follow each other, or a time in which it was heard.
      minute = Math.random() < 0.3 ? end : end - random(400);
    }
    const from = random(3000);
    await db.maintenanceTime.create({ data: { serverId: id, startedAt: at(from), endedAt: at(from - random(600)) } });
    const { day } = await getServerReport(accountId, String(id), now);
    const events = await listServerEvents(id, { from: now - 365 * DAY, to: now + 1 }, now);
    const known = withoutMaintenance(events.silences, events.maintenance);
    expect(day.outages).toBe(uptimeOf(known, now - DAY, now).outages);
    const listed = (await listFleet(accountId, now)).find((server) => server.id === id);
    expect(listed?.need).toBe(day.outages > 0 || !listed || listed.isRatedBadly ? "attention" : "well");
    if (listed?.isUnstable && day.outages > 0)
      expect(listed.cause).toContain(`Offline ${counted(day.outages, "time")}`);
    counts.add(day.outages);
  }
  expect(counts.size).toBeGreaterThan(2);
});

test("of a server the fleet looks at the last forty events of the day, says that there may be more, and its head counts them all", async () => {
  const now = Date.now();
  const { id: accountId } = await newAccount();
  const createdAt = new Date(now - 2 * DAY);
  const seen = { createdAt, firstSeenAt: createdAt, lastSeenAt: new Date(now), stability: steadyRecord(now) };
  const well = { cpuPct: 10, memUsedMb: 100, memTotalMb: 1000, netLossPct: 0, diskUsedPct: 40 };
  for (const [outages, cause] of [
    [40, "Offline 40 times"],
    [41, "Offline 41 times or more"],
    [60, "Offline 40 times or more"],
  ] as const) {
    const { id } = await newServer(accountId, seen);
    await db.telemetrySample.create({ data: { serverId: id, ts: new Date(now), ...well } });
    const times = Array.from({ length: outages - 1 }, (_, index) => now - (index + 1) * 10 * MINUTE);
    // The first began before the day.
    if (outages <= 41) times.push(now - DAY - 30 * SECOND);
    else times.push(now - outages * 10 * MINUTE);
    await db.serverEvent.createMany({
      data: times.map((at) => ({
        ...{ serverId: id, kind: "offline", startedAt: new Date(at), endedAt: new Date(at + MINUTE) },
      })),
    });
    expect((await listFleet(accountId, now)).find((server) => server.id === id)?.cause).toBe(cause);
    expect((await getServerReport(accountId, String(id), now)).day).toMatchObject({ outages, hasMore: false });
  }
});

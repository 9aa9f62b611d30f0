import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import { GET as getMetrics, HEAD as headMetrics } from "@/app/api/v1/game-services/[id]/metrics/route";
import { GET as getGameService } from "@/app/api/v1/game-services/[id]/route";
import { GET as getGameServices } from "@/app/api/v1/game-services/route";
import { GET as getMe } from "@/app/api/v1/me/route";
import { GET as getBenchmarks } from "@/app/api/v1/servers/[id]/benchmarks/route";
import { GET as getServer } from "@/app/api/v1/servers/[id]/route";
import { GET as getServers } from "@/app/api/v1/servers/route";
import { POST as checkIn } from "@/app/ingest/v1/check-ins/route";
import { GET as scrapeMetrics } from "@/app/metrics/route";
import { newAccount, newBenchmarkRun, newGameService, newReportingServer, newServer } from "@/e2e/support/factories";
import { expect, getData, test } from "@/e2e/support/fixtures";
import { recordQueries } from "@/e2e/support/recorded-queries";
import { db } from "@/lib/database/client";
import { STATEMENTS } from "@/lib/database/statement";
import { listServers } from "@/lib/servers/servers";
import { SECOND } from "@/lib/time";
import { authenticate } from "@/lib/tokens/authentication";

// What each endpoint asks the database, to the letter: a new column or query shows here before it costs anybody time.

const AUTHENTICATION = `
  select t.id as "tokenId", (date_part('epoch', t.expires_at) * 1000)::bigint as "expiresAt",
    (date_part('epoch', t.revoked_at) * 1000)::bigint as "revokedAt",
    (date_part('epoch', t.last_used_at) * 1000)::bigint as "lastUsedAt", a.id as "id", a.name as "name",
    a.email as "email", a.role as "role", (date_part('epoch', a.disabled_at) * 1000)::bigint as "disabledAt"
  from access_tokens t join accounts a on a.id = t.account_id where t.token_hash = $1`;

const SERVER = `
  select s.id as "id", s.label as "label", s.hostname as "hostname", s.public_ip as "publicIp",
    (date_part('epoch', s.created_at) * 1000)::bigint as "createdAt",
    (date_part('epoch', s.last_seen_at) * 1000)::bigint as "lastSeenAt", s.stability - 'seen' as "stability",
    s.facts -> 'cores' as "cores", (date_part('epoch', t.ts) * 1000)::bigint as "ts", t.cpu_pct as "cpuPct",
    t.cpu_steal_pct as "cpuStealPct", t.cpu_iowait_pct as "cpuIowaitPct", t.load5 as "load5",
    t.mem_used_mb as "memUsedMb", t.mem_total_mb as "memTotalMb", t.swap_used_pct as "swapUsedPct",
    t.disk_used_pct as "diskUsedPct", t.net_loss_pct as "netLossPct", t.net_retransmit_pct as "netRetransmitPct",
    t.oom_kills as "oomKills"`;
const WITH_LATEST_SAMPLE = `
  from servers s left join lateral ( select * from telemetry_samples newest where newest.server_id = s.id
    order by newest.ts desc limit 1) t on true`;

const GAME_SERVICE = `
  select s.id as "id", s.name as "name", s.status as "status", s.java_hostname as "java_hostname",
    s.origin_host as "origin_host", s.origin_port as "origin_port", s.config_version as "config_version",
    s.error as "error", (date_part('epoch', s.created_at) * 1000)::bigint as "created_at",
    (date_part('epoch', s.updated_at) * 1000)::bigint as "updated_at" from game_services s`;
const visibleTo = (account: string, isStaff: string) => `
  (s.account_id = ${account} or exists (select from service_grants g where g.service_id = s.id and g.account_id = ${account})
    or ${isStaff}::boolean and (s.support_access or exists ( select from tickets k where k.service_id = s.id
      and k.account_id = s.account_id and k.status = 'open')))`;

/** Prisma's own words for a server with its runs; it reads no log, because nothing outside asks for one. */
const BENCHMARKS = `
  SELECT "t0"."id", "Server_benchmarkRuns"."__prisma_data__" AS "benchmarkRuns" FROM "public"."servers" AS "t0"
  LEFT JOIN LATERAL (SELECT COALESCE(JSONB_AGG("__prisma_data__"), '[]') AS "__prisma_data__" FROM (
    SELECT "t3"."__prisma_data__" FROM (SELECT JSONB_BUILD_OBJECT('id', "t2"."id", 'label', "t2"."label",
      'status', "t2"."status", 'cpu', "t2"."cpu", 'disk', "t2"."disk", 'network', "t2"."network",
      'stability', "t2"."stability", 'total', "t2"."total", 'verified', "t2"."verified",
      'finishedAt', "t2"."finished_at") AS "__prisma_data__", "t2"."finished_at", "t2"."id", "t2"."status"
      FROM (SELECT "t1".* FROM "public"."benchmark_runs" AS "t1" WHERE "t0"."id" = "t1"."server_id" /* root select */)
        AS "t2" /* inner select */) AS "t3"
    WHERE "t3"."status" = CAST($1::text AS "public"."benchmark_status")
    ORDER BY "t3"."finished_at" DESC, "t3"."id" DESC /* middle select */) AS "t4" /* outer select */)
    AS "Server_benchmarkRuns" ON true
  WHERE ("t0"."id" = $2 AND "t0"."account_id" = $3) LIMIT $4`;

/** The endpoint's own statement; null where authentication is all there is. */
const EXPECTED: Record<string, string | null> = {
  "/me": null,
  "/servers": `
    select string_agg(concat('[', coalesce((s.id)::text, 'null'), ',', coalesce(to_json(s.label)::text, 'null'), ',',
      coalesce(to_json(s.hostname)::text, 'null'), ',', coalesce(to_json(s.public_ip)::text, 'null'), ',',
      coalesce(((date_part('epoch', s.created_at) * 1000)::bigint)::text, 'null'), ',',
      coalesce(((date_part('epoch', s.last_seen_at) * 1000)::bigint)::text, 'null'), ',',
      coalesce((s.stability - 'seen')::text, 'null'), ',', coalesce((s.facts -> 'cores')::text, 'null'), ',',
      coalesce(((date_part('epoch', t.ts) * 1000)::bigint)::text, 'null'), ',', coalesce((t.cpu_pct)::text, 'null'), ',',
      coalesce((t.cpu_steal_pct)::text, 'null'), ',', coalesce((t.cpu_iowait_pct)::text, 'null'), ',',
      coalesce((t.load5)::text, 'null'), ',', coalesce((t.mem_used_mb)::text, 'null'), ',',
      coalesce((t.mem_total_mb)::text, 'null'), ',', coalesce((t.swap_used_pct)::text, 'null'), ',',
      coalesce((t.disk_used_pct)::text, 'null'), ',', coalesce((t.net_loss_pct)::text, 'null'), ',',
      coalesce((t.net_retransmit_pct)::text, 'null'), ',', coalesce((t.oom_kills)::text, 'null'), ']'), ',' order by s.id)
      as "rows" ${WITH_LATEST_SAMPLE} where s.account_id = $1`,
  "/servers/:id": `${SERVER}, s.facts as "facts" ${WITH_LATEST_SAMPLE} where s.id = $1 and s.account_id = $2`,
  "/servers/:id/benchmarks": BENCHMARKS,
  "/game-services": `${GAME_SERVICE} where s.id in ( select owned.id from game_services owned where owned.account_id = $1
    union select g.service_id from service_grants g where g.account_id = $1) order by s.id`,
  "/game-services/:id": `${GAME_SERVICE} where s.id = $1 and ${visibleTo("$2", "$3")}`,
  "/game-services/:id/metrics": `
    select part.intervals as "intervals" from game_services s left join lateral (
      select string_agg(concat(',{"ts":', (date_part('epoch', m.ts) * 1000)::bigint, ',"node_id":', m.node_id,
        ',"packets":', m.packets, ',"bytes":', m.bytes, ',"dropped":', m.dropped, ',"connections":', m.connections,
        ',"latency_ms":', coalesce((m.latency_ms)::text, 'null'), '}'), '' order by m.ts, m.node_id) as intervals
      from metric_samples m where m.service_id = s.id and m.ts > $2 and m.ts <= $3
      group by date_bin('8 hours', m.ts, 'epoch') order by date_bin('8 hours', m.ts, 'epoch')) part on true
    where s.id = $1 and ${visibleTo("$4", "$5")}`,
};

/** Of a scrape: the list, and the newest interval of each node of each service. */
const READINGS = `
  select s.id as "id", s.name as "name", s.status as "status", s.java_hostname as "java_hostname",
    s.config_version as "config_version", array_to_json(array(select i from (
      select distinct on (m.node_id) (date_part('epoch', m.ts) * 1000)::bigint as "ts", m.node_id as "node_id",
        m.packets as "packets", m.bytes as "bytes", m.dropped as "dropped", m.connections as "connections",
        m.latency_ms as "latency_ms" from metric_samples m
      where m.service_id = s.id and m.ts > $2 and m.ts <= $3 order by m.node_id, m.ts desc) i))::text as "intervals"
  from game_services s where s.id in ( select owned.id from game_services owned where owned.account_id = $1
    union select g.service_id from service_grants g where g.account_id = $1) order by s.id`;

/** Of a check-in: whose key it is, what was known of the server, and what is known now. */
const SERVER_KEY = `
  select k.id as "keyId", k.server_id as "serverId", a.id as "accountId"
    from server_keys k join servers s on s.id = k.server_id join accounts a on a.id = s.account_id
    where k.key_hash = $1 and (k.expires_at is null or k.expires_at > $2) and a.disabled_at is null`;
const BEFORE = `
  select (date_part('epoch', s.last_seen_at) * 1000)::bigint as "lastSeenAt",
    (date_part('epoch', s.created_at) * 1000)::bigint as "createdAt", s.stability as "stability",
    md5(s.stability::text) as "stabilityMd5", s.daemon as "daemon", s.daemon_before as "daemonBefore",
    (date_part('epoch', s.two_daemons_at) * 1000)::bigint as "twoDaemonsAt",
    (select t.uptime_s from telemetry_samples t where t.server_id = s.id and t.ts < $1 order by t.ts desc limit 1)
      as "uptimeBefore",
    (select t.uptime_s from telemetry_samples t where t.server_id = s.id and t.ts > $1 order by t.ts limit 1)
      as "uptimeAfter",
    (date_part('epoch', (select max(t.ts) from telemetry_samples t where t.server_id = s.id)) * 1000)::bigint as "newestTs"
  from servers s where s.id = $2`;
const AFTER = `
  with same as ( select s.id as id from servers s where s.id = $1 and s.last_seen_at = $2
      and md5(s.stability::text) = $3::text for update),
    added as (insert into telemetry_samples as t (server_id, ts, cpu_pct, cpu_steal_pct, cpu_iowait_pct, load5,
        mem_used_mb, mem_total_mb, swap_used_pct, disk_used_pct, net_loss_pct, net_retransmit_pct, uptime_s, oom_kills,
        failed_units)
      select id, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29 from same
      on conflict (server_id, ts) do nothing returning t.server_id as id),
    used as ( update server_keys k set last_used_at = $6, last_used_ip = $5 where k.id = $4::int
      and (k.last_used_at is null or k.last_used_at <= $7) and exists (select from added)),
    changed as ( update servers s set last_seen_at = $8, stability = $9::jsonb, facts = coalesce($10::jsonb, s.facts),
        public_ip = case when $11::boolean then $12 else s.public_ip end, daemon = $13, daemon_before = $14,
        two_daemons_at = $15 where s.id = $1 and exists (select from added))
  select exists (select from same) as "wasSame", exists (select from added) as "wasNew"`;

type Handler = (request: Request, route: { params: Promise<{ id: string }> }) => Promise<Response>;

test("/me is one statement and every other endpoint is two, however much there is to answer, and each is the one written here", async () => {
  const account = await newAccount();
  const { id: serverId } = await newServer(account.id);
  const { id: serviceId } = await newGameService(account.id);
  await newServer(account.id);
  await newBenchmarkRun(serverId);
  await newBenchmarkRun(serverId);
  // Used just now: no use is due to be written.
  await db.accessToken.updateMany({ where: { accountId: account.id }, data: { lastUsedAt: new Date() } });
  const handlers: Record<string, [Handler, number]> = {
    "/me": [getMe as Handler, 0],
    "/servers": [getServers as Handler, 0],
    "/servers/:id": [getServer, serverId],
    "/servers/:id/benchmarks": [getBenchmarks, serverId],
    "/game-services": [getGameServices as Handler, 0],
    "/game-services/:id": [getGameService, serviceId],
    "/game-services/:id/metrics": [getMetrics, serviceId],
  };
  expect(Object.keys(handlers)).toEqual(Object.keys(EXPECTED));
  // What a token did is written soon after its first request, and then for a minute not again.
  await authenticate(account.token, { ip: null, agent: null });
  const ofToken = { token: { accountId: account.id } };
  await expect.poll(() => db.tokenUseHour.count({ where: ofToken }), { timeout: 15 * SECOND }).toBe(1);
  for (const [path, [handler, id]] of Object.entries(handlers)) {
    const url = `http://localhost/api/v1${path.replace(":id", String(id))}`;
    const request = new Request(url, { headers: { Authorization: `Bearer ${account.token}` } });
    const queries = await recordQueries(async () => {
      const response = await handler(request, { params: Promise.resolve({ id: String(id) }) });
      expect(response.status, path).toBe(200);
    });
    const own = EXPECTED[path];
    const expected = [AUTHENTICATION, ...(own ? [own] : [])].map(flat);
    expect(
      queries.map(({ text }) => flat(text)),
      path,
    ).toEqual(expected);
  }
});

test("HEAD of metrics asks for the service alone, and reads no interval", async () => {
  const account = await newAccount();
  const { id } = await newGameService(account.id);
  const head = new Request(`http://localhost/api/v1/game-services/${id}/metrics?range=7d`, {
    method: "HEAD",
    headers: { Authorization: `Bearer ${account.token}` },
  });
  const queries = await recordQueries(async () => {
    const answer = await headMetrics(head, { params: Promise.resolve({ id: String(id) }) });
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
  });
  const texts = queries.map(({ text }) => flat(text));
  expect(texts).toContain(flat(EXPECTED["/game-services/:id"] ?? ""));
  expect(texts.join("\n")).not.toContain("metric_samples");
});

test("a scrape of /metrics is three statements, and a check-in another three, each the one written here", async () => {
  const account = await newAccount();
  const { key } = await newReportingServer(account.id);
  await newGameService(account.id);
  await db.accessToken.updateMany({ where: { accountId: account.id }, data: { lastUsedAt: new Date() } });
  const send = (handler: Handler, credentials: string, body?: object) =>
    handler(
      new Request("http://localhost/", {
        headers: { Authorization: `Bearer ${credentials}`, "Content-Type": "application/json" },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      }),
      { params: Promise.resolve({ id: "" }) },
    );
  await authenticate(account.token, { ip: null, agent: null });
  const ofToken = { token: { accountId: account.id } };
  await expect.poll(() => db.tokenUseHour.count({ where: ofToken }), { timeout: 15 * SECOND }).toBe(1);
  const scraped = await recordQueries(async () => {
    expect((await send(scrapeMetrics as Handler, account.token)).status).toBe(200);
  });
  const list = EXPECTED["/servers"] ?? "";
  expect(scraped.map(({ text }) => flat(text))).toEqual([AUTHENTICATION, list, READINGS].map(flat));
  const reported = await recordQueries(async () => {
    expect((await send(checkIn as Handler, key, { cpu_pct: 5 })).status).toBe(200);
  });
  expect(reported.map(({ text }) => flat(text))).toEqual([SERVER_KEY, BEFORE, AFTER].map(flat));
});

test("PostgreSQL prepares every declared statement on the migrated database, each takes what it says, and no further file asks in raw SQL", async () => {
  for (const path of sources()) {
    // It names no column, and PostgreSQL prepares no such statement.
    const source = readFileSync(path, "utf8").replaceAll("$executeRaw`vacuum ", "");
    const isRaw = /\$(query|execute)Raw|pool\.query/.test(source);
    expect(isRaw, `${path} asks in raw SQL that is not declared`).toBe(
      path.startsWith(join("lib", "database")) && isRaw,
    );
    if (source.includes("@/lib/database/statement")) await import(resolve(path));
  }
  expect(STATEMENTS.length).toBeGreaterThan(8);
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  for (const [index, { text, names }] of STATEMENTS.entries()) {
    await client.query(`prepare declared_${index} as ${text}`);
    const { rows } = await client.query(
      "select cardinality(parameter_types) as count from pg_prepared_statements where name = $1",
      [`declared_${index}`],
    );
    expect(rows, text).toEqual([{ count: names.length }]);
    await client.query(`deallocate declared_${index}`);
  }
  await client.end();
});

test("a malformed token costs no statement", async () => {
  const { token } = await newAccount();
  const ask = (credentials: string) =>
    (getMe as Handler)(
      new Request("http://console.example/api/v1/me", { headers: { Authorization: `Bearer ${credentials}` } }),
      { params: Promise.resolve({ id: "" }) },
    );
  for (const malformed of [`${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`, "x".repeat(10_000), "cpat_"]) {
    const queries = await recordQueries(async () => expect((await ask(malformed)).status).toBe(401));
    expect(queries).toEqual([]);
  }
  expect(await recordQueries(async () => expect((await ask(token)).status).toBe(200))).not.toEqual([]);
});

test("a thousand servers are one answer, complete and by id", async () => {
  const { id, token } = await newAccount();
  await db.$executeRaw`
    insert into servers (account_id, label, hostname)
    select ${id}, 'server ' || i, 'host' from generate_series(1, 1000) i`;
  await db.$executeRaw`
    insert into telemetry_samples (server_id, ts, cpu_pct)
    select id, now() - i * interval '30 s', 40 from servers, generate_series(1, 3) i where account_id = ${id}`;
  // As check-ins do: the rows are no longer stored in the order in which they were made.
  await db.$executeRaw`update servers set last_seen_at = now() where account_id = ${id} and id % 3 = 0`;

  expect(await recordQueries(() => listServers(id))).toHaveLength(1);
  const { servers } = await getData<{ servers: { id: number; label: string }[] }>("/api/v1/servers", token);
  expect(servers.map(({ label }) => label)).toEqual(Array.from({ length: 1000 }, (_, index) => `server ${index + 1}`));
});

/** Every source file that may ask the database, as a path from here. */
function sources(): string[] {
  return ["lib", join("prisma", "demo")].flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.startsWith("generated"))
      .map((path) => join(room, path)),
  );
}

function flat(sql: string): string {
  return sql.replace(/\s+/g, " ").replaceAll("( ", "(").replaceAll(" ,", ",").trim();
}

import { createAccount, setAccountDisabled } from "@/lib/accounts/accounts";
import { db } from "@/lib/database/client";
import { execute } from "@/lib/database/run-statement";
import { parameter, statement } from "@/lib/database/statement";
import { PlainError } from "@/lib/failures";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { addNode } from "@/lib/game-services/edges/nodes";
import { recordStatus } from "@/lib/game-services/events/changes";
import { API_REQUESTS } from "@/lib/rate-limit/policy";
import { deliverBenchmark, requestBenchmark } from "@/lib/servers/benchmarks";
import { ONLINE_WINDOW } from "@/lib/servers/events/events";
import { createServer } from "@/lib/servers/management";
import { createToken, listTokens, revokeTokens } from "@/lib/tokens/management";
import {
  DEMO_ACCOUNTS,
  DEMO_EMAILS,
  DEMO_RUNS,
  DEMO_SERVERS,
  DEMO_SERVICES,
  DEMO_TICKETS,
  DEMO_TOKENS,
  type DemoRun,
  EDGE_NODES,
  FIRST_ACCOUNT,
  OF_THE_DEMO,
} from "./data";
import { json, writeSamples } from "./history";
import { catchUp, checkIn, demoMachines, lastHour, thisMinute } from "./live";
import { answersTo, runNodes } from "./traffic";

const DEMO_TOKEN = "demo";
const BENCHMARK_TAKES = 14 * MINUTE;
/** How many requests the busiest minute of a token has beyond the limit. */
const TOO_MANY = 11;

/** `builtAt`: when the demo was built. `token`: a new one of the first account. */
export type DemoAccess = { builtAt: Date; token: string };

/**
 * Builds the demo in an empty database. An existing demo stays as it is; an interrupted build is removed and done again.
 * In every case the last hour is behind it then, and the simulator adds the rest, because nobody should wait for it; the first
 * account gets a new token named "demo", which replaces the previous one.
 * @throws PlainError when there is any account that the demo did not make. Nothing was changed then.
 */
export async function seedDemo(now: Date = new Date()): Promise<DemoAccess> {
  await refuseForeignAccounts();
  const builtAt = (await findBuildTime()) ?? (await build(now));
  const running = (await demoMachines(builtAt)).filter(({ until }) => until === null);
  await catchUp(running, now);
  for (const machine of running) await checkIn(machine, now);
  await runNodes(now);
  return { builtAt, token: await replaceDemoToken() };
}

/** When the demo was built. The first ticket is written last, so its presence proves that it was. */
async function findBuildTime(): Promise<Date | null> {
  const [{ subject, ageDays }] = DEMO_TICKETS;
  const ticket = await db.ticket.findFirst({ where: { ...OF_THE_DEMO, subject }, select: { createdAt: true } });
  return ticket && ago(ticket.createdAt, -ageDays * DAY);
}

async function refuseForeignAccounts(): Promise<void> {
  const count = await db.account.count({ where: { email: { not: DEMO_EMAILS } } });
  if (count === 0) return;
  throw new PlainError(
    `This database holds ${count === 1 ? "an account" : `${count} accounts`} that the demo did not make. ` +
      "The demo runs only in a database of its own; nothing was changed.",
  );
}

/** Ids by the names that the tables of the demo use: e-mail, hostname, public hostname. */
type Ids = ReadonlyMap<string, number>;

async function build(now: Date): Promise<Date> {
  // Deleting the accounts deletes everything, and all accounts are the demo's.
  await db.account.deleteMany({ where: { email: DEMO_EMAILS } });
  const accounts = await createAccounts(now);
  const accountId = idOf(accounts, FIRST_ACCOUNT.email);
  for (const { name } of DEMO_TOKENS) await newToken(accountId, name);
  await execute(PAST_OF_TOKENS, { accountId, tokens: JSON.stringify(DEMO_TOKENS), now });
  await createServers(accounts, now);
  const services = await createServices(accounts, now);
  const data = DEMO_TICKETS.map(({ owner, javaHostname, ageDays, ...ticket }) => ({
    ...{ ...ticket, accountId: idOf(accounts, owner), createdAt: ago(now, ageDays * DAY) },
    serviceId: javaHostname === null ? null : idOf(services, javaHostname),
  }));
  await db.ticket.createMany({ data });
  return now;
}

async function createAccounts(now: Date): Promise<Ids> {
  const ids = new Map<string, number>();
  for (const { ageDays, disabled, ...account } of DEMO_ACCOUNTS) {
    const { id, email } = await createAccount(account);
    // `createAccount` always uses the current time, but the demo's accounts should look older.
    await db.account.update({ where: { id }, data: { createdAt: ago(now, ageDays * DAY) } });
    if (disabled) await setAccountDisabled(email, true);
    ids.set(email, id);
  }
  return ids;
}

const TOKENS = { accountId: parameter<number>("int"), tokens: json, now: parameter<Date>("timestamptz") };
// Tokens are always created now, and used by requests: their past is written directly. One that is used evenly is so most seven hours
// before its last use, and over the limit then.
const PAST_OF_TOKENS = statement(TOKENS, ({ accountId, tokens, now }) => ({
  sql: `with t as (
    update access_tokens t set created_at = ${now} - age * interval '1 day', expires_at = ${now} + expires * interval '1 day',
      revoked_at = ${now} - revoked * interval '1 day', first_used_at = case when used > 0 then ${now} - age * interval '1 day' + interval '1 hour' end,
      first_used_ip = ip, last_used_at = ${now} - used * interval '1 hour', last_used_ip = ip, last_used_agent = agent,
      refused_count = coalesce(floor(24 * revoked * refused), 0), last_refused_at = ${now} - refused * interval '1 minute',
      last_refused_ip = case when refused > 0 then ip end, last_refused_agent = case when refused > 0 then agent end
    from json_to_recordset(${tokens}) as d (name text, age float8, expires float8, revoked float8, used float8, ip text,
      agent text, hours int, busiest int, refused int, new_ip text)
    where t.account_id = ${accountId} and t.name = d.name
    returning t.id, first_used_at, last_used_at, revoked_at, refused_count, last_refused_at, d.*),
  used_hours as (
    insert into token_use_hours (token_id, hour, requests, limited, refused, peak)
    select id, date_bin('1 hour', coalesce(last_refused_at, last_used_at), 'epoch') - ago * interval '1 hour', requests, limited,
      coalesce(refused, 0), case when limited > 0 then ${API_REQUESTS.limit} + limited else ceil(requests / 40.0) end
    from t, generate_series(0, hours - 1) as ago,
      lateral (select ceil(coalesce(busiest, 0) * (0.55 + 0.45 * cos((ago - 7) / 12.0 * pi())))::int as requests) as asked,
      lateral (select case when ago = 7 and new_ip is not null then ${TOO_MANY} else 0 end as limited) as judged),
  visitors as (
    insert into token_visitors (token_id, ip, network, agent, first_seen_at, last_seen_at, requests)
    select id, ip, ip, agent, first_used_at, last_used_at, (13 * busiest * age)::int from t where new_ip is not null union all
    select id, new_ip, new_ip, agent, ${now} - interval '8 hours', ${now} - interval '1 hour', 38 from t where new_ip is not null)
  insert into events (subject, subject_id, account_id, kind, started_at, ended_at, facts)
  select 'token', id, ${accountId}, 'refused_after_end', revoked_at + interval '1 hour', last_refused_at,
    jsonb_build_object('count', refused_count, 'ip', ip, 'agent', agent) from t where refused > 0 union all
  select 'token', id, ${accountId}, 'new_network', ${now} - interval '8 hours', null,
    jsonb_build_object('network', new_ip, 'agent', agent) from t where new_ip is not null`,
}));

async function createServers(accounts: Ids, now: Date): Promise<void> {
  for (const { owner, label, hostname, ageDays, machine } of DEMO_SERVERS) {
    const accountId = idOf(accounts, owner);
    const created = await createServer(accountId, { label, hostname }, ago(now, ageDays * DAY));
    if (created.kind !== "created") throw new Error(`The demo's server "${label}" was not created: ${created.kind}.`);
    const { id } = created;
    for (const run of DEMO_RUNS) if (run.hostname === hostname) await createRun(run, accountId, id, now);
    if (!machine?.holds) continue;
    const { days, kind, facts } = machine.holds;
    const startedAt = ago(now, days * DAY);
    const of = { subject: "server", subjectId: id, accountId };
    await db.event.create({ data: { ...of, kind, startedAt, facts, noticeDue: false } });
    // Its check-ins go on from there.
    const follow = { conditions: { [kind]: { told: startedAt.getTime() } } };
    await db.server.update({ where: { id }, data: { follow } });
  }
  for (const machine of await demoMachines(now)) {
    const { id, until } = machine;
    const heardFrom = lastHour(until ?? now);
    const { accountId } = await db.server.update({ where: { id }, data: { firstSeenAt: heardFrom } });
    if (until === null) continue;
    await writeSamples([machine], { from: heardFrom, until: thisMinute(until) });
    await checkIn(machine, until);
    // What the watch writes of it.
    const offlineSince = ago(until, -ONLINE_WINDOW);
    await db.server.update({ where: { id }, data: { offlineSince } });
    const of = { subject: "server", subjectId: id, accountId };
    await db.event.create({ data: { ...of, kind: "offline", startedAt: offlineSince } });
  }
}

async function createRun(run: DemoRun, accountId: number, serverId: number, now: Date): Promise<void> {
  const requestedAt = ago(now, run.hoursAgo * HOUR);
  const requested = await requestBenchmark(accountId, serverId, run.label, requestedAt);
  if (requested.kind !== "requested") return;
  const { id, rawKey } = requested;
  const { label, status, scores, verified } = run;
  const report = { scores, verified, log: `${label}: ${JSON.stringify(scores)}\n` };
  if (status === "done") await deliverBenchmark(rawKey, report, ago(requestedAt, -BENCHMARK_TAKES));
  else await db.benchmarkRun.update({ where: { id }, data: { status } });
}

/** With edge nodes that have had them for long. */
async function createServices(accounts: Ids, now: Date): Promise<Ids> {
  for (const { name } of EDGE_NODES) await addNode(name, ago(now, 200 * DAY));
  const nodes = await db.edgeNode.findMany({ select: { id: true } });
  const ids = new Map<string, number>();
  for (const demo of DEMO_SERVICES) {
    const { owner, ageDays, changedHoursAgo, grants, players: _, attackedEvery: __, ...service } = demo;
    const { status, javaHostname: hostname } = service;
    const accountId = idOf(accounts, owner);
    const createdAt = ago(now, ageDays * DAY);
    const updatedAt = ago(now, changedHoursAgo * HOUR);
    const error = demo.error && `fra-1: ${demo.error} Players still reach version ${demo.configVersion - 1}.`;
    const firstFetchedAt = status === "pending_config" ? null : createdAt;
    const wish = status === "disabled" ? "off" : "on";
    const { id } = await db.gameService.create({
      data: {
        ...{ ...service, accountId, error, createdAt, updatedAt },
        // Nodes never have to say of a service without a wish that it is gone, so one that is being deleted stays.
        ...(status !== "deleting" && { wish, firstFetchedAt }),
        grants: { create: grants.map((email) => ({ accountId: idOf(accounts, email), createdAt: updatedAt })) },
      },
    });
    const answers = answersTo(demo).map((answer) => ({ serviceId: id, acknowledgedAt: updatedAt, ...answer }));
    await db.edgeAcknowledgement.createMany({
      data: nodes.flatMap((node) => answers.map((answer) => ({ nodeId: node.id, ...answer }))),
    });
    if (status === "active")
      await db.hostnameClaim.create({ data: { hostname, serviceId: id, claimedAt: createdAt, activeAt: createdAt } });
    await db.$transaction((tx) => recordStatus(tx, { id, accountId, status, error }, updatedAt));
    ids.set(hostname, id);
  }
  return ids;
}

/** A raw token cannot be read again, so each start of the demo makes one; of the earlier ones the last stays, revoked. */
async function replaceDemoToken(): Promise<string> {
  const where = { email: FIRST_ACCOUNT.email };
  const { id: accountId } = await db.account.findUniqueOrThrow({ where, select: { id: true } });
  await db.accessToken.deleteMany({ where: { accountId, name: DEMO_TOKEN, revokedAt: { not: null } } });
  const { active } = await listTokens(accountId, new Date());
  const former = active.filter(({ name }) => name === DEMO_TOKEN).map(({ id }) => id);
  await revokeTokens(accountId, former);
  return (await newToken(accountId, DEMO_TOKEN)).raw;
}

async function newToken(accountId: number, name: string) {
  const result = await createToken(accountId, { name, expiresAt: null });
  if (result.kind !== "created") throw new Error(`The demo's token "${name}" was not created: ${result.kind}.`);
  return result;
}

function ago(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms);
}

function idOf(ids: Ids, name: string): number {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`The demo's tables name "${name}", which is in none of them.`);
  return id;
}

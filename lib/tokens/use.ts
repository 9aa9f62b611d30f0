import { databaseNow } from "@/lib/database/clock";
import { execute } from "@/lib/database/run-statement";
import { names, parameter, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY, HOUR, MINUTE, SECOND, startOfHour } from "@/lib/format/time";
import { networkOf } from "@/lib/http/network";
import { cleanAgent, type Sender } from "@/lib/http/sender";
import { pause, runInBackground } from "@/lib/process/background";
import { perProcess } from "@/lib/process/per-process.mjs";

// Counts the use of tokens for their owners. Counting happens in memory, and batches are written after responses, so
// requests do not wait for it. A process that dies loses its unwritten counts, so the numbers are not exact.

/** The shortest time between two batches of one token. */
const WRITE_EVERY = MINUTE;
/** How long a first request waits for others to be written with it. */
const GATHER_FOR = SECOND;
/** Bounds memory: while this many tokens wait to be written, further tokens are not counted. */
const MAX_TOKENS = 10_000;
/** Only the latest ips of a token are kept. */
const MAX_VISITORS = 20;
/** What a column of counts holds: it ends at this. */
export const MOST_COUNTED = 2 ** 31 - 1;
/** The token page shows a day. */
export const HOURS_KEPT = DAY + HOUR;

/** The minute of the last request. It may span two batches but counts as one minute. */
type Minute = { start: number; requests: number };
type Hour = { requests: number; limited: number; refused: number; peak: number };
type Visitor = { agent: string | null; firstSeenAt: number; lastSeenAt: number; requests: number };
type Use = {
  /** The earliest time (epoch ms) to write it. */
  dueAt: number;
  hours: Map<number, Hour>;
  minute: Minute;
  visitors: Map<string, Visitor>;
};
type Recorder = {
  unwritten: Map<number, Use>;
  /** Recent writes: their time, and the minute that the next batch may continue. */
  written: Map<number, { at: number; minute: Minute }>;
  isRunning: boolean;
};

const recorder = perProcess(
  "token-use",
  (): Recorder => ({ unwritten: new Map(), written: new Map(), isRunning: false }),
);

/** Counts an accepted or refused request of a token, and keeps the sender's ip, if there is one. */
export function recordRequest(tokenId: number, kind: "requests" | "refused", sender: Sender | null, at: number): void {
  const use = entryOf(tokenId, at);
  if (!use) return;
  const hour = hourOf(use, at);
  hour[kind] += 1;
  if (kind === "requests") {
    const start = at - (at % MINUTE);
    if (use.minute.start !== start) use.minute = { start, requests: 0 };
    use.minute.requests += 1;
    hour.peak = Math.max(hour.peak, use.minute.requests);
  }
  const { ip, agent } = sender ?? { ip: null, agent: null };
  const known = ip === null ? undefined : use.visitors.get(ip);
  if (ip === null || (!known && use.visitors.size >= MAX_VISITORS)) return;
  use.visitors.set(ip, {
    ...{ agent, firstSeenAt: known?.firstSeenAt ?? at, lastSeenAt: at },
    requests: (known?.requests ?? 0) + (kind === "requests" ? 1 : 0),
  });
}

/** Counts that one of these requests was answered with 429. */
export function recordLimited(tokenId: number, at: number): void {
  const use = entryOf(tokenId, at);
  if (use) hourOf(use, at).limited += 1;
}

function entryOf(tokenId: number, at: number): Use | null {
  const { unwritten, written } = recorder;
  // Checked on every call, because a failed write stops the loop and leaves unwritten tokens behind.
  if (!recorder.isRunning) {
    recorder.isRunning = true;
    runInBackground("recording what tokens did", writeUntilNothingIsLeft);
  }
  const known = unwritten.get(tokenId);
  if (known) return known;
  if (unwritten.size >= MAX_TOKENS) return null;
  const before = written.get(tokenId) ?? { at: 0, minute: { start: 0, requests: 0 } };
  const dueAt = Math.max(at + GATHER_FOR, before.at + WRITE_EVERY);
  const use: Use = { dueAt, hours: new Map(), minute: before.minute, visitors: new Map() };
  unwritten.set(tokenId, use);
  return use;
}

function hourOf(use: Use, at: number): Hour {
  const start = startOfHour(at);
  const known = use.hours.get(start);
  if (known) return known;
  const hour: Hour = { requests: 0, limited: 0, refused: 0, peak: 0 };
  use.hours.set(start, hour);
  return hour;
}

async function writeUntilNothingIsLeft(): Promise<void> {
  const { unwritten, written } = recorder;
  try {
    do {
      const goesOn = await pause(GATHER_FOR);
      const now = databaseNow().getTime();
      for (const [id, { at }] of written) if (now - at >= WRITE_EVERY) written.delete(id);
      // Before the process ends, it writes everything that it has.
      const due = [...unwritten].filter(([, { dueAt }]) => dueAt <= now || !goesOn).sort(([a], [b]) => a - b);
      for (const [id, { minute }] of due) {
        unwritten.delete(id);
        written.set(id, { at: now, minute });
      }
      if (due.length > 0) await write(due, now);
    } while (unwritten.size > 0);
  } finally {
    recorder.isRunning = false;
  }
}

const h = table("TokenUseHour", "h");
const newHour = table("TokenUseHour", "excluded");
const v = table("TokenVisitor", "v");
const newVisitor = table("TokenVisitor", "excluded");
const t = table("AccessToken", "t");
const e = table("Event", "e");

/** New rows as the text of a JSON array of objects. */
const rows = parameter<string>("json");

// Raw, because one statement upserts many rows. What it reads is as it was before it: a network that is not there is new,
// unless it is the first of its token, or was reported before. It skips tokens that were deleted meanwhile, and deletes rows that are
// too old for the page.
const WRITE = statement(
  {
    hours: rows,
    visitors: rows,
    tokens: parameter<readonly number[]>("int[]"),
    keptSince: h.hour,
    visitorsKept: parameter<number>("int"),
  },
  (values) => ({
    sql: `with hours as (
      insert into token_use_hours as h (${names(h.tokenId, h.hour, h.requests, h.limited, h.refused, h.peak)})
      select u.id, to_timestamp(u.start / 1000), u.requests, u.limited, u.refused, u.peak
      from json_to_recordset(${values.hours})
        as u (id int, start float8, requests int, limited int, refused int, peak int)
      join ${t} on ${t.id} = u.id
      on conflict (${names(h.tokenId, h.hour)}) do update set
        ${h.requests.name} = ${h.requests} + ${newHour.requests}, ${h.limited.name} = ${h.limited} + ${newHour.limited},
        ${h.refused.name} = ${h.refused} + ${newHour.refused}, ${h.peak.name} = greatest(${h.peak}, ${newHour.peak})
    ), seen as (
      select u.*, ${t.accountId} as account_id from json_to_recordset(${values.visitors})
        as u (token_id int, ip text, network text, agent text, first float8, last float8, requests int)
      join ${t} on ${t.id} = u.token_id
    ), new_networks as (
      insert into events (subject, subject_id, account_id, kind, started_at, facts)
      select 'token', u.token_id, u.account_id, 'new_network', to_timestamp(u.first / 1000),
        jsonb_strip_nulls(jsonb_build_object('network', u.network, 'agent', nullif(u.agent, '')))
      from seen u where u.requests > 0
        and (exists (select from ${v} where ${v.tokenId} = u.token_id)
          or exists (select from seen o where o.token_id = u.token_id and (o.first, o.ip) < (u.first, u.ip)))
        and not exists (select from ${v} where ${v.tokenId} = u.token_id and ${v.network} = u.network)
        and not exists (select from seen o where o.token_id = u.token_id and o.network = u.network
          and (o.first, o.ip) < (u.first, u.ip))
        and not exists (select from ${e} where ${e.subjectId} = u.token_id and ${e.subject} = 'token' and ${e.kind} = 'new_network'
          and ${e.facts} ->> 'network' = u.network)
      order by u.token_id, u.first
      on conflict do nothing
    ), visitors as (
      insert into token_visitors as v (
        ${names(v.tokenId, v.ip, v.network, v.agent, v.firstSeenAt, v.lastSeenAt, v.requests)})
      select u.token_id, u.ip, u.network, nullif(u.agent, ''), to_timestamp(u.first / 1000), to_timestamp(u.last / 1000),
        u.requests
      from seen u
      on conflict (${names(v.tokenId, v.ip)}) do update set
        ${v.agent.name} = ${newVisitor.agent}, ${v.lastSeenAt.name} = ${newVisitor.lastSeenAt},
        ${v.requests.name} = least(${MOST_COUNTED}, ${v.requests}::bigint + ${newVisitor.requests})
    ), old_hours as (
      delete from ${h} where ${h.tokenId} = any(${values.tokens}) and ${h.hour} < ${values.keptSince}
    )
    delete from token_visitors gone
    using (
      select ${v.tokenId} as token_id, ${v.ip} as ip,
        row_number() over (partition by ${v.tokenId} order by ${v.lastSeenAt} desc) as place
      from ${v} where ${v.tokenId} = any(${values.tokens})
    ) ranked
    where ranked.place > ${values.visitorsKept} and gone.${v.tokenId.name} = ranked.token_id
      and gone.${v.ip.name} = ranked.ip`,
  }),
);

async function write(uses: readonly (readonly [number, Use])[], now: number): Promise<void> {
  const hours = uses.flatMap(([id, use]) => [...use.hours].map(([start, hour]) => ({ id, start, ...hour })));
  const visitors = uses.flatMap(([id, use]) =>
    [...use.visitors].map(([ip, { agent, firstSeenAt, lastSeenAt, requests }]) => ({
      ...{ token_id: id, ip, network: networkOf(ip), agent: cleanAgent(agent) ?? "" },
      ...{ first: firstSeenAt, last: lastSeenAt, requests },
    })),
  );
  await execute(WRITE, {
    hours: JSON.stringify(hours),
    visitors: JSON.stringify(visitors),
    tokens: uses.map(([id]) => id),
    keptSince: new Date(now - HOURS_KEPT),
    visitorsKept: MAX_VISITORS,
  });
}

import { db } from "@/lib/database/client";
import { networkOf } from "@/lib/http/network";
import { cleanAgent, type Sender } from "@/lib/http/sender";
import { pause, runInBackground } from "@/lib/process/background";
import { perProcess } from "@/lib/process/per-process";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/time";

// What tokens did, for their owners' eyes. Counted in memory and written in batches after responses, so it costs the
// request path nothing, and what a process has not written when it dies is lost: nothing here is exact to the request.

/** Of one token: a batch of it at most this often. */
const WRITE_EVERY = MINUTE;
/** How long a first request waits for others to be written with it. */
const GATHER_FOR = SECOND;
/** Beyond this many tokens at once, further ones are not counted until some were written. */
const MAX_TOKENS = 10_000;
/** So many ips of a token are kept, the last ones. */
const MAX_VISITORS = 20;
/** The token page shows a day. */
const HOURS_KEPT = DAY + HOUR;

/** The minute of the last request; it may be written in two batches and is counted as one. */
type Minute = { start: number; requests: number };
type Hour = { requests: number; limited: number; refused: number; peak: number };
type Visitor = { agent: string | null; firstSeenAt: number; lastSeenAt: number };
type Use = {
  /** No earlier than this may it be written. */
  dueAt: number;
  hours: Map<number, Hour>;
  minute: Minute;
  visitors: Map<string, Visitor>;
};
type Recorder = {
  unwritten: Map<number, Use>;
  /** What was written of late: when, and the minute that may go on. */
  written: Map<number, { at: number; minute: Minute }>;
  isRunning: boolean;
};

const recorder = perProcess(
  "token-use",
  (): Recorder => ({ unwritten: new Map(), written: new Map(), isRunning: false }),
);

/** Counts a request with a token: one that worked, or one that was refused because the token had ended. */
export function recordRequest(tokenId: number, kind: "requests" | "refused", sender: Sender, at: number): void {
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
  const known = sender.ip === null ? undefined : use.visitors.get(sender.ip);
  if (sender.ip === null || (!known && use.visitors.size >= MAX_VISITORS)) return;
  use.visitors.set(sender.ip, { agent: sender.agent, firstSeenAt: known?.firstSeenAt ?? at, lastSeenAt: at });
}

/** Counts that one of these requests was answered with 429. */
export function recordLimited(tokenId: number, at: number): void {
  const use = entryOf(tokenId, at);
  if (use) hourOf(use, at).limited += 1;
}

function entryOf(tokenId: number, at: number): Use | null {
  const { unwritten, written } = recorder;
  // Not only for the first: a write that failed has ended the work, and what came meanwhile waits for the next.
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
  const start = at - (at % HOUR);
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
      const now = Date.now();
      for (const [id, { at }] of written) if (now - at >= WRITE_EVERY) written.delete(id);
      // A process that is about to end writes what it has.
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

/**
 * One statement for all of it, raw because it upserts many rows; tokens that are gone by now are left out. What is too
 * old to be shown goes with it.
 */
async function write(uses: readonly (readonly [number, Use])[], now: number): Promise<void> {
  const hours = uses.flatMap(([id, use]) => [...use.hours].map(([start, hour]) => ({ id, start, ...hour })));
  const visitors = uses.flatMap(([id, use]) =>
    [...use.visitors].map(([ip, visitor]) => ({ id, ip, ...visitor, agent: cleanAgent(visitor.agent) ?? "" })),
  );
  const ids = uses.map(([id]) => id);
  await db.$executeRaw`
    with hours as (
      insert into token_use_hours (token_id, hour, requests, limited, refused, peak)
      select u.token_id, to_timestamp(u.start / 1000), u.requests, u.limited, u.refused, u.peak
      from unnest(${hours.map(({ id }) => id)}::int[], ${hours.map(({ start }) => start)}::float8[],
        ${hours.map(({ requests }) => requests)}::int[], ${hours.map(({ limited }) => limited)}::int[],
        ${hours.map(({ refused }) => refused)}::int[], ${hours.map(({ peak }) => peak)}::int[])
        as u (token_id, start, requests, limited, refused, peak)
      join access_tokens t on t.id = u.token_id
      on conflict (token_id, hour) do update set requests = token_use_hours.requests + excluded.requests,
        limited = token_use_hours.limited + excluded.limited, refused = token_use_hours.refused + excluded.refused,
        peak = greatest(token_use_hours.peak, excluded.peak)
    ), visitors as (
      insert into token_visitors (token_id, ip, network, agent, first_seen_at, last_seen_at)
      select u.token_id, u.ip, u.network, nullif(u.agent, ''), to_timestamp(u.first / 1000), to_timestamp(u.last / 1000)
      from unnest(${visitors.map(({ id }) => id)}::int[], ${visitors.map(({ ip }) => ip)}::text[],
        ${visitors.map(({ ip }) => networkOf(ip))}::text[], ${visitors.map(({ agent }) => agent)}::text[],
        ${visitors.map(({ firstSeenAt }) => firstSeenAt)}::float8[],
        ${visitors.map(({ lastSeenAt }) => lastSeenAt)}::float8[])
        as u (token_id, ip, network, agent, first, last)
      join access_tokens t on t.id = u.token_id
      on conflict (token_id, ip) do update set agent = excluded.agent, last_seen_at = excluded.last_seen_at
    ), old_hours as (
      delete from token_use_hours where token_id = any(${ids}::int[]) and hour < ${new Date(now - HOURS_KEPT)}
    )
    delete from token_visitors v
    using (
      select token_id, ip, row_number() over (partition by token_id order by last_seen_at desc) as place
      from token_visitors where token_id = any(${ids}::int[])
    ) ranked
    where ranked.place > ${MAX_VISITORS} and v.token_id = ranked.token_id and v.ip = ranked.ip`;
}

import { z } from "zod";
import { names, parameter, query, type RowOfStatement, type Sql, select, statement } from "@/lib/database/statement";
import { type Column, Expression, table } from "@/lib/database/tables";
import { InvalidInputError, NotFoundError } from "@/lib/failures";
import { parseStabilityRecord, withCheckIn } from "@/lib/servers/stability";
import { measuredColumns } from "@/lib/servers/telemetry/measured-columns";
import { isTimeToPrune, pruneInBackground } from "@/lib/servers/telemetry/retention";
import { MINUTE } from "@/lib/time";

const percent = z.number().min(0).max(100).nullable().default(null);
/** Beyond any machine, and far from where adding up loses digits. */
const amount = z.number().min(0).max(1e12).nullable().default(null);
const count = z.int().min(0).max(1_000_000).nullable().default(null);

export const cores = z.int().min(1).max(65_536);

/** What a daemon measures. What it could not measure it leaves out or sends as null. */
export const measurements = {
  cpuPct: percent,
  cpuStealPct: percent,
  cpuIowaitPct: percent,
  load5: amount,
  memUsedMb: amount,
  memTotalMb: amount,
  swapUsedPct: percent,
  diskUsedPct: percent,
  netLossPct: percent,
  netRetransmitPct: percent,
  uptimeS: amount,
  /** Since the previous check-in. */
  oomKills: count,
  failedUnits: count,
} as const;

export const publicIp = z.union([z.ipv4(), z.ipv6()], { error: "must be an IPv4 or IPv6 address" }).nullable();

const checkIn = z.strictObject({
  /** Facts about the machine; they replace the ones reported before. */
  facts: z.looseObject({ os: z.string(), kernel: z.string(), cores }).optional(),
  publicIp: publicIp.optional(),
  sample: z.strictObject(measurements).optional(),
});

export type CheckIn = z.input<typeof checkIn>;
export type ParsedCheckIn = z.output<typeof checkIn>;

/** When it was measured, and how it came here. */
export type Arrival = {
  /** What the sample tells of; a daemon that could not deliver it at once delivers it later. */
  sampledAt: Date;
  arrivedAt: Date;
  /** The random name that the daemon gave itself when it started. */
  daemon?: string;
  /** The server key it came with, and from where. */
  key?: { id: number; ip: string | null };
};

const s = table("Server", "s");
const k = table("ServerKey", "k");
const t = table("TelemetrySample", "t");

type Uptime = (typeof t.uptimeS)["value"];

// Raw, so that what a check-in depends on is one statement, and because the typed client has no word for a hash.
const PREVIOUS = statement({ sampledAt: t.ts, id: s.id }, ({ sampledAt, id }) => {
  const samples = `from ${t} where ${t.serverId} = ${s.id}`;
  return select(
    {
      lastSeenAt: s.lastSeenAt,
      createdAt: s.createdAt,
      stability: s.stability,
      stabilityMd5: new Expression<string>(`md5(${s.stability}::text)`),
      daemon: s.daemon,
      daemonBefore: s.daemonBefore,
      twoDaemonsAt: s.twoDaemonsAt,
      // Of the sample before this one, and of the one after it if this one arrives late.
      uptimeBefore: new Expression<Uptime>(
        `(select ${t.uptimeS} ${samples} and ${t.ts} < ${sampledAt} order by ${t.ts} desc limit 1)`,
      ),
      uptimeAfter: new Expression<Uptime>(
        `(select ${t.uptimeS} ${samples} and ${t.ts} > ${sampledAt} order by ${t.ts} limit 1)`,
      ),
      newestTs: new Expression<Date | null>(`(select max(${t.ts}) ${samples})`, "instant"),
    },
    `from ${s} where ${s.id} = ${id}`,
  );
});
type Previous = RowOfStatement<typeof PREVIOUS>;

/** Of a measured sample: its columns, in the order in which they are stored. */
export const MEASURED = {
  ...measuredColumns(t),
  uptimeS: t.uptimeS,
  failedUnits: t.failedUnits,
} satisfies Record<keyof typeof measurements, Column<unknown>>;

const CHANGE = {
  id: s.id,
  lastSeenBefore: s.lastSeenAt,
  stabilityMd5: parameter<string>("text"),
  keyId: parameter<number | null>("int"),
  keyIp: k.lastUsedIp,
  keyUsedAt: k.lastUsedAt,
  keyNotSince: k.lastUsedAt,
  lastSeenAt: s.lastSeenAt,
  stability: parameter<string>("jsonb"),
  facts: parameter<string | null>("jsonb"),
  hasNewIp: parameter<boolean>("boolean"),
  publicIp: s.publicIp,
  daemon: s.daemon,
  daemonBefore: s.daemonBefore,
  twoDaemonsAt: s.twoDaemonsAt,
};

// Raw, because it is one statement, so one transaction: nothing is written unless the server is as it was read, and
// nothing but the sample decides whether anything is new. No transaction is held open between reading and writing.
const SEEN = statement(CHANGE, (given) => change(given, "select id from same"));
const SAMPLED = statement({ ...CHANGE, ts: t.ts, ...MEASURED }, (given) => {
  const columns = [t.serverId, t.ts, ...Object.values(MEASURED)];
  const values = Object.keys(MEASURED).map((name) => given[name as keyof typeof MEASURED]);
  return change(
    given,
    `insert into telemetry_samples as t (${names(...columns)}) select id, ${given.ts}, ${values.join(", ")} from same
    on conflict (${names(t.serverId, t.ts)}) do nothing returning ${t.serverId} as id`,
  );
});

/** `added` answers a row if there is something new. */
function change(given: { [Name in keyof typeof CHANGE]: string }, added: string): Sql<Outcome> {
  const outcome = select({
    wasSame: new Expression<boolean>("exists (select from same)"),
    wasNew: new Expression<boolean>("exists (select from added)"),
  });
  return {
    sql: `with same as (
      select ${s.id} as id from ${s} where ${s.id} = ${given.id} and ${s.lastSeenAt} = ${given.lastSeenBefore}
        and md5(${s.stability}::text) = ${given.stabilityMd5} for update),
    added as (${added}),
    used as (
      update ${k} set ${k.lastUsedAt.name} = ${given.keyUsedAt}, ${k.lastUsedIp.name} = ${given.keyIp}
      where ${k.id} = ${given.keyId} and (${k.lastUsedAt} is null or ${k.lastUsedAt} <= ${given.keyNotSince})
        and exists (select from added)),
    changed as (
      update ${s} set
        ${s.lastSeenAt.name} = ${given.lastSeenAt},
        ${s.stability.name} = ${given.stability},
        ${s.facts.name} = coalesce(${given.facts}, ${s.facts}),
        ${s.publicIp.name} = case when ${given.hasNewIp} then ${given.publicIp} else ${s.publicIp} end,
        ${s.daemon.name} = ${given.daemon}, ${s.daemonBefore.name} = ${given.daemonBefore},
        ${s.twoDaemonsAt.name} = ${given.twoDaemonsAt}
      where ${s.id} = ${given.id} and exists (select from added))
    ${outcome.sql}`,
  };
}
type Outcome = { wasSame: boolean; wasNew: boolean };

/** A key's use is written at most this often. */
const KEY_USE_PRECISION = MINUTE;

/** Each attempt fails only when another check-in of the same server succeeds. */
const MAX_ATTEMPTS = 100;

/**
 * Takes in one check-in of a server's daemon at `now`: the server is seen, its facts and ip are updated, the
 * sample is stored, and the record behind the stability component moves on; all of it or nothing.
 * @throws InvalidInputError naming the first wrong value. @throws NotFoundError for an unknown server.
 */
export async function recordCheckIn(serverId: number, report: CheckIn, now: Date = new Date()): Promise<void> {
  const parsed = checkIn.safeParse(report);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new InvalidInputError(`Invalid check-in: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  await storeCheckIn(serverId, parsed.data, { sampledAt: now, arrivedAt: now });
}

/**
 * As `recordCheckIn`, for what was checked before. A sample that is there already changes nothing at all, so a daemon
 * may send again what it is not sure to have delivered; false says so. The server was last seen at the arrival.
 * @throws NotFoundError for an unknown server.
 */
export async function storeCheckIn(
  serverId: number,
  { facts, publicIp, sample }: ParsedCheckIn,
  { sampledAt, arrivedAt, daemon, key }: Arrival,
): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const [previous] = await query(PREVIOUS, { sampledAt, id: serverId });
    if (!previous) throw new NotFoundError();
    // What a report that arrives late says of the present is out of date.
    const isNewest = previous.newestTs === null || sampledAt.getTime() >= previous.newestTs;
    const stability = withCheckIn(parseStabilityRecord(previous.stability), sampledAt.getTime(), {
      restarts: restartsRevealed(previous, sample?.uptimeS ?? null),
      oomKills: sample?.oomKills ?? 0,
      failedUnits: isNewest ? (sample?.failedUnits ?? null) : null,
    });
    const daemons = withDaemon(previous, daemon, arrivedAt);
    const newFacts = isNewest && facts ? JSON.stringify(facts) : null;
    const hasNewIp = isNewest && publicIp !== undefined;
    const changes = {
      id: serverId,
      lastSeenBefore: new Date(previous.lastSeenAt),
      stabilityMd5: previous.stabilityMd5,
      keyId: key?.id ?? null,
      keyIp: key?.ip ?? null,
      keyUsedAt: arrivedAt,
      keyNotSince: new Date(arrivedAt.getTime() - KEY_USE_PRECISION),
      lastSeenAt: latest(arrivedAt, previous),
      stability: JSON.stringify(stability),
      facts: newFacts,
      hasNewIp,
      publicIp: publicIp ?? null,
      ...daemons,
    };
    const [outcome] = sample
      ? await query(SAMPLED, { ...changes, ts: sampledAt, ...sample })
      : await query(SEEN, changes);
    if (!outcome?.wasSame) continue;
    if (outcome.wasNew && isTimeToPrune(serverId, previous.lastSeenAt, arrivedAt.getTime()))
      pruneInBackground(serverId);
    return outcome.wasNew;
  }
  throw new Error(`Server ${serverId} never stayed as it was between reading and writing.`);
}

/** Never backwards, and never the time of creation, which means that there was no check-in. */
function latest(now: Date, { lastSeenAt, createdAt }: Previous): Date {
  return new Date(Math.max(now.getTime(), lastSeenAt, createdAt + 1));
}

/** How many more restarts there are to see with this sample than without it. */
function restartsRevealed({ uptimeBefore, uptimeAfter }: Previous, uptimeS: number | null): number {
  if (uptimeS === null) return 0;
  const steps = (from: number | null, to: number | null) => (hasRestarted(from, to) ? 1 : 0);
  return steps(uptimeBefore, uptimeS) + steps(uptimeS, uptimeAfter) - steps(uptimeBefore, uptimeAfter);
}

/** The machine has been up for less time than it had been at the sample before. */
function hasRestarted(uptimeBefore: number | null, uptimeS: number | null): boolean {
  return uptimeBefore !== null && uptimeS !== null && uptimeS < uptimeBefore;
}

/** A daemon takes a new name when it starts: one that comes back after another is still running beside it. */
function withDaemon(previous: Previous, daemon: string | undefined, now: Date) {
  const { daemon: last, daemonBefore: before } = previous;
  const twoDaemonsAt = previous.twoDaemonsAt === null ? null : new Date(previous.twoDaemonsAt);
  if (daemon === undefined || daemon === last) return { daemon: last, daemonBefore: before, twoDaemonsAt };
  return { daemon, daemonBefore: last, twoDaemonsAt: daemon === before ? now : twoDaemonsAt };
}

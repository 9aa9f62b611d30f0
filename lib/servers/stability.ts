import { HOUR, MINUTE } from "@/lib/format/time";

/** A longer pause between samples counts as an outage. A daemon checks in twice a minute and is offline after two minutes. */
export const LONGEST_PAUSE = 2.5 * MINUTE;
/** The stability component looks back this many hours. */
const HOURS = 24;
const MINUTES = HOUR / MINUTE;
/** The record keeps one hour more, because late check-ins belong to an earlier hour. */
const KEPT_HOURS = HOURS + 1;

/** What a reader needs of the record. It is read once per server by every request that lists servers. */
type StabilitySummary = {
  /** The newest hour, in hours since the epoch. */
  until: number;
  /** Minutes of each hour in which the daemon checked in: two digits an hour, 25 hours, the newest last. */
  minutes: string;
  /** The hours with unexpected restarts or processes killed for lack of memory; mostly none. */
  events: { hour: number; reboots: number; oom_kills: number }[];
  /** Epoch milliseconds of the last check-in that reported a process killed for lack of memory. */
  last_oom_at: number | null;
  /** System services in a failed state at the last check-in. */
  failed_units: number;
};

/** What `servers.stability` holds; before the first check-in, an empty object. */
export type StabilityRecord = StabilitySummary & {
  /** The minutes with a check-in: 60 bits per hour as 15 hexadecimal digits. Minute 59 is the highest bit. */
  seen: string;
  /** The time of the last sample whose kills were added to another sample, in epoch milliseconds: it may be sent again. */
  absorbed_at?: number;
};

const EMPTY: StabilityRecord = { until: 0, minutes: "", seen: "", events: [], last_oom_at: null, failed_units: 0 };

/** The last 24 hours of a server, or the time since it was first heard if that is shorter. */
export type Stability = {
  /** Percent of the minutes in which the daemon checked in, or nobody was there to hear it; 0 to 100. */
  coveragePct: number;
  reboots: number;
  oomKills: number;
  failedUnits: number;
  lastOomAt: number | null;
};

type CheckInFacts = {
  /** Since the sample before. */
  restarts: number;
  oomKills: number;
  /** Null: not measured, or out of date. */
  failedUnits: number | null;
};

/** Reads the column, whole or without `seen`; anything that is not such a record is an empty record. */
export function parseStabilityRecord(column: unknown): StabilityRecord {
  const record = column as Partial<StabilityRecord> | null;
  return typeof record?.minutes === "string" && typeof record.until === "number" && Array.isArray(record.events)
    ? { ...EMPTY, ...record }
    : EMPTY;
}

/**
 * Adds a check-in of `at` (epoch ms) to the record. The order does not matter and each minute counts once, so that a
 * daemon that replays an outage gets the same record as without the outage.
 */
export function withCheckIn(record: StabilityRecord, at: number, facts: CheckInFacts): StabilityRecord {
  const hour = Math.floor(at / HOUR);
  const { until, minutes, seen } = withMinutes(record, hour, 1n << BigInt(Math.floor((at % HOUR) / MINUTE)));
  return {
    until,
    minutes,
    seen,
    events: withEvent(record.events, { hour, reboots: facts.restarts, oom_kills: facts.oomKills }).filter(
      (event) => event.hour > until - KEPT_HOURS,
    ),
    last_oom_at: facts.oomKills > 0 ? Math.max(at, record.last_oom_at ?? 0) : record.last_oom_at,
    failed_units: facts.failedUnits ?? record.failed_units,
    ...(record.absorbed_at !== undefined && { absorbed_at: record.absorbed_at }),
  };
}

/**
 * Adds the minutes of a silence, or of a part of it, in which nobody was there to hear the daemon (epoch ms): they count as if
 * it had been heard.
 */
export function withUnknown(record: StabilityRecord, silence: { from: number; to: number }): StabilityRecord {
  // A silence begins two minutes after a check-in, and the minute between the two is as unknown.
  const [from, to] = [Math.floor(silence.from / MINUTE) - 1, Math.floor(silence.to / MINUTE)];
  const lastHour = Math.floor((to - 1) / MINUTES);
  let updated = record;
  for (let hour = Math.max(Math.floor(from / MINUTES), lastHour - KEPT_HOURS); hour <= lastHour; hour++) {
    const [first, end] = [Math.max(0, from - hour * MINUTES), Math.min(MINUTES, to - hour * MINUTES)];
    updated = withMinutes(updated, hour, (1n << BigInt(end)) - (1n << BigInt(first)));
  }
  return updated;
}

/** Counts minutes of an hour, one bit each, unless they are counted. */
function withMinutes(record: StabilityRecord, hour: number, bits: bigint): StabilityRecord {
  const until = Math.max(record.until, hour);
  const minutes = shifted(record.minutes, MINUTE_DIGITS, until - record.until);
  const seen = shifted(record.seen, SEEN_DIGITS, until - record.until);
  const place = KEPT_HOURS - 1 - (until - hour);
  if (place < 0) return { ...record, until, minutes, seen };
  const before = BigInt(`0x${digitsAt(seen, SEEN_DIGITS, place)}`);
  const added = (bits & ~before).toString(2).replaceAll("0", "").length;
  if (added === 0) return { ...record, until, minutes, seen };
  const count = Math.min(MINUTES, minutesIn({ until, minutes }, hour) + added);
  return {
    ...record,
    until,
    minutes: withDigits(minutes, MINUTE_DIGITS, place, String(count)),
    seen: withDigits(seen, SEEN_DIGITS, place, (before | bits).toString(16)),
  };
}

/**
 * Corrects the restarts of an hour (`at` lies in it, epoch ms) whose sample now has another one before it. Negative: it shows that
 * the count was wrong.
 */
export function withCorrection(record: StabilityRecord, at: number, restarts: number): StabilityRecord {
  const event = { hour: Math.floor(at / HOUR), reboots: restarts, oom_kills: 0 };
  return { ...record, events: withEvent(record.events, event) };
}

/** Builds a record from hourly counts, in order. Such counts do not tell which minutes were seen. */
export function recordOfHours(
  hours: readonly ({ minutes: number } & Event)[],
  rest: Pick<StabilityRecord, "last_oom_at" | "failed_units">,
): StabilityRecord {
  const until = hours.at(-1)?.hour ?? 0;
  const counts = new Map(hours.map(({ hour, minutes }) => [hour, minutes]));
  const kept = Array.from({ length: KEPT_HOURS }, (_, index) => counts.get(until - KEPT_HOURS + 1 + index) ?? 0);
  return {
    until,
    minutes: hours.length === 0 ? "" : kept.map((count) => String(count).padStart(MINUTE_DIGITS, "0")).join(""),
    seen: "",
    events: hours
      .filter(({ hour, reboots, oom_kills }) => hour > until - KEPT_HOURS && (reboots > 0 || oom_kills > 0))
      .map(({ hour, reboots, oom_kills }) => ({ hour, reboots, oom_kills })),
    ...rest,
  };
}

type Event = StabilityRecord["events"][number];

function withEvent(events: readonly Event[], { hour, reboots, oom_kills }: Event): Event[] {
  if (reboots === 0 && oom_kills === 0) return [...events];
  const before: Event = events.find((event) => event.hour === hour) ?? { hour, reboots: 0, oom_kills: 0 };
  const updated = {
    hour,
    reboots: Math.max(0, before.reboots + reboots),
    oom_kills: before.oom_kills + oom_kills,
  };
  return [...events.filter((event) => event.hour !== hour), updated]
    .filter((event) => event.reboots > 0 || event.oom_kills > 0)
    .sort((a, b) => a.hour - b.hour);
}

/** From when on check-ins are expected: the first one; where it is not known, when the server was added. */
export function countsFrom<Time>({ firstSeenAt, createdAt }: { firstSeenAt: Time | null; createdAt: Time }): Time {
  return firstSeenAt ?? createdAt;
}

/**
 * Summarises the 24 hours before `now` in whole clock hours, or the time from `countsFrom` on if that is shorter.
 * Null when no check-in was ever recorded.
 */
export function summariseStability(record: StabilitySummary, countsFrom: number, now: number): Stability | null {
  if (record.minutes === "") return null;
  const from = Math.floor(now / HOUR) - HOURS + 1;
  const since = Math.max(from * HOUR, countsFrom);
  // The minute that is running now may still see its check-in.
  const expected = Math.max(1, Math.floor(now / MINUTE) - Math.floor(since / MINUTE));
  let seen = 0;
  for (let hour = from; hour <= record.until; hour++) seen += minutesIn(record, hour);
  let reboots = 0;
  let oomKills = 0;
  for (const event of record.events) {
    if (event.hour < from) continue;
    reboots += event.reboots;
    oomKills += event.oom_kills;
  }
  return {
    coveragePct: (Math.min(seen, expected) / expected) * 100,
    reboots,
    oomKills,
    failedUnits: record.failed_units,
    lastOomAt: record.last_oom_at,
  };
}

const MINUTE_DIGITS = 2;
const SEEN_DIGITS = 15;
const ZERO = "0".charCodeAt(0);

/** The digits of all hours, so many hours later. */
function shifted(digits: string, width: number, hours: number): string {
  const length = KEPT_HOURS * width;
  return (digits + "0".repeat(Math.min(hours, KEPT_HOURS) * width)).slice(-length).padStart(length, "0");
}

function digitsAt(digits: string, width: number, place: number): string {
  return digits.slice(place * width, (place + 1) * width);
}

function withDigits(digits: string, width: number, place: number, replaced: string): string {
  return digits.slice(0, place * width) + replaced.padStart(width, "0") + digits.slice((place + 1) * width);
}

/** 0 for an hour that the record does not reach. */
function minutesIn({ until, minutes }: Pick<StabilitySummary, "until" | "minutes">, hour: number): number {
  const at = minutes.length - (until - hour + 1) * MINUTE_DIGITS;
  if (hour > until || at < 0) return 0;
  return (minutes.charCodeAt(at) - ZERO) * 10 + minutes.charCodeAt(at + 1) - ZERO;
}

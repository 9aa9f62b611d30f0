import { z } from "zod";
import { HOUR, MINUTE } from "@/lib/time";

/** The stability component looks back this many hours. */
const HOURS = 24;

const counter = z.number().int().min(0);
const stabilityRecord = z.object({
  hours: z
    .array(
      z.object({
        /** Hours since the epoch. */
        hour: counter,
        /** Minutes of this hour in which the daemon checked in. */
        minutes: counter,
        /** Which minutes those are: bit n of this hexadecimal number is minute n. */
        seen: z
          .string()
          .regex(/^[0-9a-f]{1,15}$/)
          .default("0"),
        /** Unexpected restarts. */
        reboots: counter,
        /** Processes killed for lack of memory. */
        oom_kills: counter,
      }),
    )
    .default([]),
  /** Epoch milliseconds of the last check-in that reported a process killed for lack of memory. */
  last_oom_at: counter.nullable().default(null),
  /** System services in a failed state at the last check-in. */
  failed_units: counter.default(0),
});

/** What `servers.stability` holds: one entry per hour, the last 25 at most, oldest first. */
export type StabilityRecord = z.infer<typeof stabilityRecord>;

/** The last 24 hours of a server, as far as it has been known. */
export type Stability = {
  /** Percent of the minutes in which the daemon checked in, 0 to 100. */
  coveragePct: number;
  reboots: number;
  oomKills: number;
  failedUnits: number;
  lastOomAt: number | null;
};

type CheckInFacts = {
  /** Restarts that this check-in reveals; negative where it shows that one counted before was none. */
  restarts: number;
  oomKills: number;
  /** Null: not measured, or out of date. */
  failedUnits: number | null;
};

/** Reads the column; anything that is not such a record (an empty object, say) is an empty record. */
export function parseStabilityRecord(column: unknown): StabilityRecord {
  const parsed = stabilityRecord.safeParse(column);
  return parsed.success ? parsed.data : { hours: [], last_oom_at: null, failed_units: 0 };
}

/**
 * The record after one more check-in that tells of `at` (epoch ms), in whatever order check-ins arrive: each minute
 * counts once, so that what a daemon replays after an outage ends in the same record as if there had been none.
 */
export function withCheckIn(record: StabilityRecord, at: number, facts: CheckInFacts): StabilityRecord {
  const hour = Math.floor(at / HOUR);
  const current = record.hours.find((entry) => entry.hour === hour) ?? {
    hour,
    minutes: 0,
    seen: "0",
    reboots: 0,
    oom_kills: 0,
  };
  const seen = BigInt(`0x${current.seen}`);
  const minute = 1n << BigInt(Math.floor((at % HOUR) / MINUTE));
  const isNewMinute = (seen & minute) === 0n;
  const updated = {
    hour,
    minutes: current.minutes + (isNewMinute ? 1 : 0),
    seen: (seen | minute).toString(16),
    reboots: Math.max(0, current.reboots + facts.restarts),
    oom_kills: current.oom_kills + facts.oomKills,
  };
  const others = record.hours.filter((entry) => entry.hour !== hour && entry.hour >= hour - HOURS);
  return {
    // A check-in that arrives late belongs to an hour before the last one.
    hours: [...others, updated].sort((a, b) => a.hour - b.hour),
    last_oom_at: facts.oomKills > 0 ? Math.max(at, record.last_oom_at ?? 0) : record.last_oom_at,
    failed_units: facts.failedUnits ?? record.failed_units,
  };
}

/**
 * What the record says of the 24 hours before `now`, counted in whole clock hours, or of the time since the server was
 * created if that is shorter. Null when no check-in was ever recorded.
 */
export function summariseStability(record: StabilityRecord, createdAt: number, now: number): Stability | null {
  if (record.hours.length === 0) return null;
  const firstHour = Math.floor(now / HOUR) - HOURS + 1;
  const hours = record.hours.filter((entry) => entry.hour >= firstHour);
  const since = Math.max(firstHour * HOUR, createdAt);
  // The minute that is running now may still see its check-in.
  const expected = Math.max(1, Math.floor(now / MINUTE) - Math.floor(since / MINUTE));
  const seen = sum(hours.map((entry) => entry.minutes));
  return {
    coveragePct: (Math.min(seen, expected) / expected) * 100,
    reboots: sum(hours.map((entry) => entry.reboots)),
    oomKills: sum(hours.map((entry) => entry.oom_kills)),
    failedUnits: record.failed_units,
    lastOomAt: record.last_oom_at,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

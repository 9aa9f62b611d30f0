import { setTimeout as wait } from "node:timers/promises";
import type { GoesOn } from "@/lib/database/deletion";
import { query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression } from "@/lib/database/tables";
import { DAY, SECOND } from "@/lib/time";

/** The tables whose rows lie in one partition for each day (UTC) of their `ts`; see the migration "daily_partitions". */
export const DAILY_TABLES = ["telemetry_samples", "metric_samples"] as const;
export type DailyTable = (typeof DAILY_TABLES)[number];

/** Partitions are made for today and so many days after it: rows still have theirs when no console runs for a while. */
const DAYS_AHEAD = 3;
/** More rows than these are not moved out of the DEFAULT partition: it is locked meanwhile, for well under a second. */
const MOST_MOVED = 20_000;

/** A lock that was not free, a deadlock, a row that was written meanwhile, another instance that did the same. */
const PASSING = new Set(["55P03", "40P01", "23514", "42P07", "23505", "42P01"]);
const MAX_ATTEMPTS = 40;
/** Between two attempts, in milliseconds: at random, so that they do not meet the same statement every time. */
const PAUSE = { least: 20, most: SECOND / 2 };

/** What became of a day: "too many" rows of it lie in the DEFAULT partition, "busy" is a table that was never free. */
export type MadeDay = { table: DailyTable; day: number; outcome: "made" | "exists" | "too many" | "busy" };

const parent = parameter<string>("text");
const day = parameter<Date>("timestamptz");

// Raw, because the typed client knows nothing of partitions.
const MAKE = statement({ parent, day, most: parameter<number>("int") }, (given) =>
  select({
    outcome: new Expression<Exclude<MadeDay["outcome"], "busy">>(
      `make_day_partition(${given.parent}, ${given.day}, ${given.most})`,
    ),
  }),
);
const DROP = statement({ parent, day }, (given) =>
  select({ isDropped: new Expression<boolean>(`drop_day_partition(${given.parent}, ${given.day})`) }),
);
const LIST = statement({ parent }, (given) =>
  select(
    { day: new Expression<string>("right(c.relname, 8)") },
    `from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${given.parent}) and c.relname ~ '_[0-9]{8}$' order by c.relname`,
  ),
);

/** The beginnings of the days that have a partition, in epoch ms and in order. */
export async function listDays(table: DailyTable): Promise<number[]> {
  const rows = await query(LIST, { parent: table });
  return rows.map(({ day }) => Date.parse(day.replace(/(....)(..)(..)/, "$1-$2-$3T00:00:00Z")));
}

/** Makes the partitions of today and of the next days that are missing, of all tables. `now` is in epoch ms. */
export async function makeDays(now: number): Promise<MadeDay[]> {
  const today = Math.floor(now / DAY) * DAY;
  const days: MadeDay[] = [];
  for (const table of DAILY_TABLES) {
    const known = new Set(await listDays(table));
    for (let day = today; day <= today + DAYS_AHEAD * DAY; day += DAY) {
      days.push({ table, day, outcome: known.has(day) ? "exists" : await makeDay(table, day) });
    }
  }
  return days;
}

/** Makes the partition of the day that begins at `day` (epoch ms), with the rows of it that lie elsewhere. */
export async function makeDay(table: DailyTable, day: number): Promise<MadeDay["outcome"]> {
  const [made] = (await untilFree(() => query(MAKE, { parent: table, day: new Date(day), most: MOST_MOVED }))) ?? [];
  return made?.outcome ?? "busy";
}

/** Drops a day (its beginning in epoch ms) with all its rows. False when there was none, or the table was never free. */
export async function dropDay(table: DailyTable, day: number): Promise<boolean> {
  const [dropped] = (await untilFree(() => query(DROP, { parent: table, day: new Date(day) }))) ?? [];
  return dropped?.isDropped ?? false;
}

/** Drops the days that end at or before `until` (epoch ms), the oldest first, as long as it may go on. Answers how many. */
export async function dropDaysBefore(table: DailyTable, until: number, goesOn: GoesOn): Promise<number> {
  let dropped = 0;
  for (const day of await listDays(table)) {
    if (day + DAY > until || !(await goesOn())) break;
    if (await dropDay(table, day)) dropped++;
  }
  return dropped;
}

/** Null when the lock was never free. */
async function untilFree<Result>(attempt: () => Promise<Result>): Promise<Result | null> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!PASSING.has((error as { code?: string }).code ?? "")) throw error;
    }
    await wait(PAUSE.least + Math.random() * (PAUSE.most - PAUSE.least));
  }
  return null;
}

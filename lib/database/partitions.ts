import { setTimeout as wait } from "node:timers/promises";
import type { Deletion, GoesOn } from "@/lib/database/deletion";
import { query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression } from "@/lib/database/tables";
import { DAY, SECOND } from "@/lib/format/time";

/** The tables whose rows lie in one partition for each day (UTC) of their `ts`; see the baseline migration. */
export const DAILY_TABLES = ["telemetry_samples", "metric_samples"] as const;
export type DailyTable = (typeof DAILY_TABLES)[number];

/** Days after today whose partitions are made in advance, in case no console runs for a while. */
const DAYS_AHEAD = 3;
/** The most rows that are moved out of the DEFAULT partition. Moving locks it, and this limit keeps that under a second. */
const MOST_MOVED = 20_000;

/** Errors that pass on a retry: a lock timeout, a deadlock, a concurrent write, or another instance at the same work. */
const PASSING = new Set(["55P03", "40P01", "23514", "42P07", "23505", "42P01"]);
const MAX_ATTEMPTS = 40;
/** The pause between two attempts, in milliseconds. It is random so that two instances do not collide again. */
const PAUSE = { least: 20, most: SECOND / 2 };

/** The outcome for a day. "too many": the DEFAULT partition holds too many of its rows. "busy": the table stayed locked. */
type MadeDay = { table: DailyTable; day: number; outcome: "made" | "exists" | "too many" | "busy" };

const parent = parameter<string>("text");
const day = parameter<Date>("timestamptz");

// Raw, because the typed client knows nothing of partitions.
const MAKE = statement({ parent, day, most: parameter<number>("int") }, (values) =>
  select({
    outcome: new Expression<Exclude<MadeDay["outcome"], "busy">>(
      `make_day_partition(${values.parent}, ${values.day}, ${values.most})`,
    ),
  }),
);
const DROP = statement({ parent, day }, (values) =>
  select({ isDropped: new Expression<boolean>(`drop_day_partition(${values.parent}, ${values.day})`) }),
);
const LIST = statement({ parent }, (values) =>
  select(
    { day: new Expression<string>("right(c.relname, 8)") },
    `from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${values.parent}) and c.relname ~ '_[0-9]{8}$' order by c.relname`,
  ),
);

const END_BEFORE = statement({ parent }, (values) =>
  select({ end: new Expression<Date | null>(`partition_before_end(${values.parent})`, "instant") }),
);
const DROP_BEFORE = statement({ parent }, (values) =>
  select({ isDropped: new Expression<boolean>(`drop_partition_before(${values.parent})`) }),
);

/** The partition of everything before the first day: a table that held rows when it was cut into days has it. */
const partitionBefore = (table: DailyTable) => `${table}_before` as const;

/** Where that partition ends, in epoch ms. Null: there is none. */
async function findEndBefore(table: DailyTable): Promise<number | null> {
  const [row] = await query(END_BEFORE, { parent: table });
  return row?.end ?? null;
}

/** Declares the deletion of old rows that lie in no partition of a day. `restIn` declares that of one partition. */
export function deletionOutsideDays(table: DailyTable, restIn: (partition: string) => Deletion<Date>): Deletion<Date> {
  const inDefault = restIn(`${table}_default`);
  // Declared when it is needed: most databases have no such partition.
  let before: Deletion<Date> | undefined;
  return async (limit, goesOn) => {
    const rows = await inDefault(limit, goesOn);
    if ((await findEndBefore(table)) === null) return rows;
    before ??= restIn(partitionBefore(table));
    return rows + (await before(limit, goesOn));
  };
}

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

/** Makes the partition of the day that begins at `day` (epoch ms) and moves that day's rows into it. */
export async function makeDay(table: DailyTable, day: number): Promise<MadeDay["outcome"]> {
  const [made] = (await untilFree(() => query(MAKE, { parent: table, day: new Date(day), most: MOST_MOVED }))) ?? [];
  return made?.outcome ?? "busy";
}

/** Drops the partition of a day (epoch ms of its beginning). False when there is none or the table stayed locked. */
export async function dropDay(table: DailyTable, day: number): Promise<boolean> {
  const [dropped] = (await untilFree(() => query(DROP, { parent: table, day: new Date(day) }))) ?? [];
  return dropped?.isDropped ?? false;
}

/**
 * Drops the partitions that end at or before `until` (epoch ms), the oldest first, as long as it may go on. Answers how
 * many.
 */
export async function dropDaysBefore(table: DailyTable, until: number, goesOn: GoesOn): Promise<number> {
  let dropped = 0;
  const end = await findEndBefore(table);
  if (end !== null && end <= until && (await goesOn())) {
    const [before] = (await untilFree(() => query(DROP_BEFORE, { parent: table }))) ?? [];
    if (before?.isDropped) dropped++;
  }
  for (const day of await listDays(table)) {
    if (day + DAY > until || !(await goesOn())) break;
    if (await dropDay(table, day)) dropped++;
  }
  return dropped;
}

/** Retries while the lock is taken. Null when it stayed taken. */
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

import { query, transaction } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";

/** The tables whose rows lie in one partition for each day (UTC). */
export const DAILY_TABLES = ["telemetry_samples", "metric_samples"] as const;
export type DailyTable = (typeof DAILY_TABLES)[number];

/** Days that are made in advance: for so long no console need run its hourly work. */
const DAYS_AHEAD = 14;
/** The most days that one run drops or makes of a table beyond those: each takes a lock that a busy table has to wait for. */
const MOST_DROPPED = 2;
/**
 * What passes by itself: a lock that is not free in time, another instance that made or dropped the day meanwhile, and rows of
 * that day in the DEFAULT partition of metric_samples, which stay there until they are too old.
 */
const PASSING = new Set(["55P03", "40P01", "42P07", "42P01", "23514"]);

const PARTITIONS = statement({ parent: parameter<string>("text") }, ({ parent }) =>
  select(
    {
      name: new Expression<string>("c.relname::text"),
      end: new Expression<Date | null>(
        `substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \\(''([^'']+)''\\)')::timestamptz`,
        "instant",
      ),
    },
    `from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass(${parent})
      and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT' order by 2`,
  ),
);

/** The partitions of a table, the oldest first, and when each ends (epoch ms). */
export async function listDays(table: DailyTable): Promise<{ name: string; end: number }[]> {
  const rows = await query(PARTITIONS, { parent: table });
  return rows.map(({ name, end }) => ({ name, end: end ?? 0 }));
}

/**
 * Makes the partitions of yesterday, today and the next days, and drops the oldest of those that ended `days` days before `now`
 * (epoch ms) or earlier. Answers how many it made and dropped, and how many of them were too busy: they wait for the next run.
 */
export async function keepDays(table: DailyTable, days: number, now: number) {
  const today = Math.floor(now / DAY) * DAY;
  const known = await listDays(table);
  const isThere = (day: number) => known.some(({ end }) => end === day + DAY);
  const [first] = known;
  const done = { made: 0, dropped: 0, busy: 0 };
  for (let day = today - DAY; day <= today + DAYS_AHEAD * DAY; day += DAY) {
    // A table that was cut into days later has its earlier rows in one partition of more than a day.
    if (isThere(day) || (first && day < first.end - DAY)) continue;
    if (await makeDay(table, day)) done.made++;
    else done.busy++;
  }
  const old = known.filter(({ end }) => end <= today - days * DAY);
  for (const { name } of old.slice(0, MOST_DROPPED)) {
    if (await change(table, `drop table "${name}"`)) done.dropped++;
    else done.busy++;
  }
  return done;
}

/** Makes the partition of the day in which a time (epoch ms) lies. False: the table was busy, or the day is there. */
export function makeDay(table: DailyTable, at: number): Promise<boolean> {
  const day = Math.floor(at / DAY) * DAY;
  const name = `${table}_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
  const [from, to] = [day, day + DAY].map((time) => new Date(time).toISOString());
  return change(table, `create table "${name}" partition of ${table} for values from ('${from}') to ('${to}')`);
}

/** Changes the partitions of a table in a short transaction. Instances wait for each other, and nobody waits long behind them. */
async function change(table: DailyTable, sql: string): Promise<boolean> {
  try {
    await transaction(async (ask) => {
      await ask(once("set local lock_timeout = '1s'"), {});
      await ask(once(`select pg_advisory_xact_lock(hashtextextended('partitions of ${table}', 0))`), {});
      await ask(once(sql), {});
    });
    return true;
  } catch (error) {
    if (!PASSING.has((error as { code?: string }).code ?? "")) throw error;
    return false;
  }
}

/** A statement with the name of a partition in it, which no parameter can be. */
function once(text: string) {
  return { text, names: [] };
}

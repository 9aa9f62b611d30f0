import { DAILY_TABLES, type DailyTable, listDays } from "@/lib/database/partitions";
import { query } from "@/lib/database/run-statement";
import { select, statement } from "@/lib/database/statement";
import { Expression } from "@/lib/database/tables";
import { DAY, SECOND } from "@/lib/format/time";

const SIZE = statement({}, () => select({ bytes: new Expression<bigint>("pg_database_size(current_database())") }));

/** The names under which a sweep reports the size of the database, and the oldest day of a table in epoch seconds. */
export const DATABASE_BYTES = "database_bytes";
export const oldestDayOf = (table: DailyTable) => `${table}_oldest_day`;

/**
 * How large the database is and how far back its days reach. PostgreSQL looks at every file for that, so a sweep asks and
 * no scrape does.
 */
export async function measureDatabase(): Promise<Record<string, number>> {
  const [size] = await query(SIZE, {});
  const measured: Record<string, number> = { [DATABASE_BYTES]: size?.bytes ?? 0 };
  for (const table of DAILY_TABLES) {
    const [oldest] = await listDays(table);
    if (oldest !== undefined) measured[oldestDayOf(table)] = (oldest.end - DAY) / SECOND;
  }
  return measured;
}

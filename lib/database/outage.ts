import type { Fields } from "@/lib/process/log";
import { endRepeated, logRepeated, type Repeated } from "@/lib/process/repeated";

const OUTAGE: Repeated = { level: "error", event: "database unavailable", over: "database available again" };

/** Logs that the database did not answer: one line at the beginning, then counts, from all callers together. */
export function reportOutage(error: unknown, fields: Fields): void {
  logRepeated(OUTAGE, { ...fields, stack: error instanceof Error ? error.stack : String(error) });
}

/** Says that the database has just answered, which ends an outage. */
export function reportAnswer(): void {
  endRepeated(OUTAGE.event);
}

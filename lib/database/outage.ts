import type { Fields } from "@/lib/process/log.mjs";
import { endRepeated, logRepeated, type Repeated } from "@/lib/process/repeated.mjs";

const OUTAGE: Repeated = { level: "error", event: "database unavailable", over: "database available again" };

/** Logs that the database did not answer. All callers share one outage: it logs one line first, then counts. */
export function reportOutage(error: unknown, fields: Fields): void {
  logRepeated(OUTAGE, { ...fields, stack: error instanceof Error ? error.stack : String(error) });
}

/** Ends the current outage, because the database has just answered. */
export function reportAnswer(): void {
  endRepeated(OUTAGE.event);
}

import { isDatabaseUnavailable, isPoolExhausted } from "@/lib/database/health";
import { reportOutage } from "@/lib/database/outage";
import { reportBusy } from "@/lib/process/fair";
import { logFault } from "@/lib/process/faults.mjs";
import { perProcess } from "@/lib/process/per-process.mjs";

/** Our server names each page that it asks Next for in this header. */
export const FAULT_ID_HEADER = "x-console-page";

/** More pages than an instance answers at a time. */
const MOST_OUTAGES = 1000;

/**
 * Pages that failed because the database is away or takes nothing new, until the server has answered them with 503. It does
 * not ask where an answer had begun, or its reader is gone: the oldest go.
 */
const outages = perProcess("page-outages", () => new Set<string>());

/** What Next tells of a request. */
type Asked = { method: string; path: string; headers?: Record<string, string | string[] | undefined> };

/** Logs what went wrong while a page or a form was answered, without its query. */
export function reportPageFault(error: unknown, { method, path, headers = {} }: Asked): void {
  const fields = {
    method,
    path: path.split("?")[0],
    digest: error instanceof Error && "digest" in error ? String(error.digest) : undefined,
  };
  if (!isDatabaseUnavailable(error)) {
    logFault("page failed", error, fields);
    return;
  }
  const id = headers[FAULT_ID_HEADER];
  if (id !== undefined) outages.add(String(id));
  const [oldest] = outages;
  if (oldest !== undefined && outages.size > MOST_OUTAGES) outages.delete(oldest);
  if (isPoolExhausted(error)) reportBusy("connections", null);
  else reportOutage(error, fields);
}

/** Whether this page failed because of the database. It is forgotten. */
export function takeOutage(id: string): boolean {
  return outages.delete(id);
}

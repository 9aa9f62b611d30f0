import { reportBusy } from "@/lib/admission/shares";
import { isDatabaseUnavailable, isPoolExhausted } from "@/lib/database/health";
import { reportOutage } from "@/lib/database/outage";
import { logFault } from "@/lib/process/faults.mjs";
import { waitingTime } from "@/lib/process/request-context.mjs";

/**
 * Logs what went wrong while a page or a form was answered, without its query. If the database is away or takes nothing
 * new, the request has no time left, and the server answers it with 503.
 */
export function reportPageFault(error: unknown, { method, path }: { method: string; path: string }): void {
  const fields = {
    method,
    path: path.split("?")[0],
    digest: error instanceof Error && "digest" in error ? String(error.digest) : undefined,
  };
  if (!isDatabaseUnavailable(error)) {
    logFault("page failed", error, fields);
    return;
  }
  waitingTime()?.giveUp();
  if (isPoolExhausted(error)) reportBusy("connections", null);
  else reportOutage(error, fields);
}

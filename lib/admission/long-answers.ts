import { perProcess } from "@/lib/process/per-process";

/** Accounts and endpoints whose last answer was long, the one seen first at the front. */
const known = perProcess("long-answers", () => new Set<string>());
/** When full, the oldest entry is dropped. */
const MAX_KNOWN = 20_000;

/** Whether the last answer of an endpoint to an account was long, so that the next one will be as well. */
export function isLongFor(endpoint: string | null, accountId: number): boolean {
  return known.has(keyOf(endpoint, accountId));
}

/** Notes whether an answer was long. */
export function noteLength(endpoint: string | null, accountId: number, isLong: boolean): void {
  const key = keyOf(endpoint, accountId);
  if (!isLong) {
    known.delete(key);
    return;
  }
  known.add(key);
  if (known.size <= MAX_KNOWN) return;
  const [oldest] = known;
  if (oldest !== undefined) known.delete(oldest);
}

function keyOf(endpoint: string | null, accountId: number): string {
  return `${accountId} ${endpoint}`;
}

import { perProcess } from "@/lib/process/per-process.mjs";

/** Accounts and endpoints whose last answer was long, the one seen first at the front. */
const known = perProcess("long-answers", () => new Set<string>());
/** In characters: 40 servers, or 100 benchmarks. To make it takes the process several milliseconds. */
export const LONG = 16 * 1024;

/** When full, the oldest entry is dropped. */
const MAX_KNOWN = 20_000;

/** Whether the last answer of an endpoint to an account was long, so that the next one will be as well. */
export function isLongFor(endpoint: string | null, accountId: number): boolean {
  return known.has(keyOf(endpoint, accountId));
}

/** Notes the length of an answer, in characters. */
export function noteLength(endpoint: string | null, accountId: number, length: number): void {
  const key = keyOf(endpoint, accountId);
  if (length <= LONG) {
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

import { EVERYBODY, fair } from "@/lib/process/fair";
import { perProcess } from "@/lib/process/per-process.mjs";

/** Hashes of credentials that have worked in this process. They only say who waits, never who may enter. */
const known = perProcess("known-credentials", () => new Set<string>());
/** When full, the oldest entry is dropped. */
const MAX_KNOWN = 20_000;

/**
 * Looks up the row of the credentials with this hash. Those that have not worked yet, made-up ones among them, share a few
 * places. `works`: whether the found row still does. @throws BusyError, and what `ask` throws.
 */
export async function lookUp<Found>(
  hash: string,
  ask: (hash: string) => Promise<Found | undefined>,
  works: (found: Found) => boolean,
): Promise<Found | undefined> {
  const found = known.has(hash) ? await ask(hash) : await fair("lookup", EVERYBODY, () => ask(hash));
  if (found === undefined || !works(found)) known.delete(hash);
  else known.add(hash);
  const [oldest] = known;
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  return found;
}

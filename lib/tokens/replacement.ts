import { DAY, HOUR } from "@/lib/format/time";
import { noLaterThanLast } from "@/lib/tokens/expiry";

/** How long the old token works beside the new one, in milliseconds; or until the new one is first used. */
const OVERLAPS = { "first-use": null, none: 0, hour: HOUR, day: DAY, week: 7 * DAY } as const;

export type Overlap = keyof typeof OVERLAPS;

/** Returns the overlap that a form names, or null for an unknown name. */
export function findOverlap(text: string): Overlap | null {
  return Object.hasOwn(OVERLAPS, text) ? (text as Overlap) : null;
}

type Life = { createdAt: Date; expiresAt: Date | null };

/** When the new token expires: it lives as long as the old one was meant to. Null for never. */
export function expiryOfReplacement({ createdAt, expiresAt }: Life, now: Date): Date | null {
  return expiresAt && noLaterThanLast(new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime()));
}

/** Returns the new end of the old token. The overlap never extends its life. */
export function endOfReplaced(overlap: Overlap, old: Life, now: Date) {
  const ms = OVERLAPS[overlap];
  if (ms === null) return { endsOnFirstUse: true };
  if (ms === 0) return { revokedAt: now };
  const end = new Date(now.getTime() + ms);
  // An earlier replacement may have been lost before its first use.
  return { expiresAt: old.expiresAt && old.expiresAt < end ? old.expiresAt : end, endsOnFirstUse: false };
}

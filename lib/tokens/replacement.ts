import { DAY, HOUR } from "@/lib/time";

/** How long the old token works beside the new one, in milliseconds; or until the new one is first used. */
const OVERLAPS = { "first-use": null, none: 0, hour: HOUR, day: DAY, week: 7 * DAY } as const;

export type Overlap = keyof typeof OVERLAPS;

/** The overlap that a form names; null for none of them. */
export function findOverlap(text: string): Overlap | null {
  return Object.hasOwn(OVERLAPS, text) ? (text as Overlap) : null;
}

type Life = { createdAt: Date; expiresAt: Date | null };

/** When the new token expires: it lives as long as the old one was meant to. Null for never. */
export function expiryOfReplacement({ createdAt, expiresAt }: Life, now: Date): Date | null {
  return expiresAt && new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime());
}

/** What becomes of the old token now. One that would expire during the overlap still does. */
export function endOfReplaced(overlap: Overlap, old: Life, now: Date) {
  const ms = OVERLAPS[overlap];
  if (ms === null) return { endsOnFirstUse: true };
  if (ms === 0) return { revokedAt: now };
  const end = new Date(now.getTime() + ms);
  return { expiresAt: old.expiresAt && old.expiresAt < end ? old.expiresAt : end };
}

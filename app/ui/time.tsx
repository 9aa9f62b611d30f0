import { instantText, relativeTime } from "@/lib/relative-time";

/** "3 minutes ago", with the exact instant for machines and for those who point at it. */
export function Time({ at, now }: { at: Date; now: Date }) {
  return (
    <time dateTime={at.toISOString()} title={instantText(at)}>
      {relativeTime(at, now)}
    </time>
  );
}

import { MINUTE } from "@/lib/format/time";
import { instantOf, wallClock, zoneOrUtc } from "@/lib/format/time-zone";

/** Minutes since midnight in the zone; null: there are no quiet hours. From 22:00 to 07:00 they go over midnight. */
type QuietHours = { quietFrom: number | null; quietTo: number | null; quietZone: string | null };

const MINUTES_OF_DAY = 24 * 60;

/**
 * When the quiet hours end that an instant lies in (epoch ms); null: in none. They are what the clock on the wall says. Where clocks
 * are changed at their end, it may be an hour off; where it is over already, a minute after the instant. The caller then asks anew.
 */
export function quietUntil({ quietFrom: from, quietTo: to, quietZone }: QuietHours, at: number): number | null {
  if (from === null || to === null) return null;
  const zone = zoneOrUtc(quietZone ?? "UTC");
  const clock = wallClock(at, zone);
  const minutes = clock.hour * 60 + clock.minute;
  const sinceFrom = (time: number) => (time - from + MINUTES_OF_DAY) % MINUTES_OF_DAY;
  if (sinceFrom(minutes) >= sinceFrom(to)) return null;
  const day = clock.day + (to > minutes ? 0 : 1);
  const end = instantOf({ ...clock, day, hour: Math.floor(to / 60), minute: to % 60, second: 0 }, zone);
  return end > at ? end : at + MINUTE;
}

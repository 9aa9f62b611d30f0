import { MINUTE } from "@/lib/format/time";
import { instantOf, wallClock, zoneOrUtc } from "@/lib/format/time-zone";

/** Minutes since midnight in the zone; null: there are no quiet hours. From 22:00 to 07:00 they go over midnight. */
type QuietHours = { quietFrom: number | null; quietTo: number | null; quietZone: string | null };

/** When the quiet hours end that an instant lies in (epoch ms); null: in none. */
export function quietUntil({ quietFrom: from, quietTo: to, quietZone }: QuietHours): (at: number) => number | null {
  if (from === null || to === null || from === to) return () => null;
  const zone = zoneOrUtc(quietZone ?? "UTC");
  return (at) => {
    const { hour, minute, ...day } = wallClock(at, zone);
    const minutes = hour * 60 + minute;
    const isQuiet = from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
    if (!isQuiet) return null;
    const days = minutes < to ? 0 : 1;
    const end = instantOf({ ...day, day: day.day + days, hour: Math.floor(to / 60), minute: to % 60, second: 0 }, zone);
    // An hour that is repeated when clocks are put back may have been over once.
    return end > at ? end : at + MINUTE;
  };
}

import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { instantsOf, wallClock, zoneOffset, zoneOrUtc } from "@/lib/format/time-zone";

/** Minutes since midnight in the zone; null: there are no quiet hours. From 22:00 to 07:00 they go over midnight. */
type QuietHours = { quietFrom: number | null; quietTo: number | null; quietZone: string | null };

/**
 * When the quiet hours end that an instant lies in (epoch ms); null: in none. They are what the clock on the wall says: one that is
 * set forward over their end ends them, and one that is set back into them begins them once more.
 */
export function quietUntil({ quietFrom: from, quietTo: to, quietZone }: QuietHours): (at: number) => number | null {
  if (from === null || to === null || from === to) return () => null;
  const zone = zoneOrUtc(quietZone ?? "UTC");
  const isQuiet = (at: number) => {
    const { hour, minute } = wallClock(at, zone);
    const minutes = hour * 60 + minute;
    return from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
  };
  return (at) => {
    if (!isQuiet(at)) return null;
    const { year, month, day } = wallClock(at, zone);
    const ends = [0, 1, 2].flatMap((days) =>
      instantsOf({ year, month, day: day + days, hour: Math.floor(to / 60), minute: to % 60, second: 0 }, zone),
    );
    const change = changeOf(zone, at, at + DAY + 2 * HOUR);
    const all = change === null ? ends : [...ends, change];
    return all.toSorted((a, b) => a - b).find((end) => end > at && !isQuiet(end)) ?? at + MINUTE;
  };
}

/** When the clocks of a zone are changed in a time of a day or so (epoch ms, to the minute). Null: they are not. */
function changeOf(zone: string, from: number, to: number): number | null {
  let [before, after] = [Math.floor(from / MINUTE), Math.ceil(to / MINUTE)];
  const offset = zoneOffset(before * MINUTE, zone);
  if (zoneOffset(after * MINUTE, zone) === offset) return null;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (zoneOffset(middle * MINUTE, zone) === offset) before = middle;
    else after = middle;
  }
  return after * MINUTE;
}

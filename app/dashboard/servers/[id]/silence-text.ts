import { clockText, dayText, momentText } from "@/lib/format/relative-time";
import { DAY, MINUTE, SECOND } from "@/lib/format/time";
import { zoneText } from "@/lib/format/time-zone";

/** "07:23 UTC" today, "22 Nov, 07:23 UTC" on any other day. */
export function zonedText(at: Date, now: Date, zone: string): string {
  const isToday = dayText(at, zone) === dayText(now, zone);
  return `${isToday ? clockText(at, zone) : momentText(at, zone)} ${zoneText(zone)}`;
}

/** "22 Nov, 02:10 to 04:31 UTC (2 h 21 min)", "since 22 Nov, 05:12 UTC (3 days)". */
export function spanText({ from, to }: { from: number; to: number | null }, now: number, zone: string): string {
  const begin = momentText(new Date(from), zone);
  if (to === from) return `${begin} ${zoneText(zone)}`;
  if (to === null || to >= now) return `since ${begin} ${zoneText(zone)} (${lengthText(now - from)})`;
  const isSameDay = dayText(new Date(from), zone) === dayText(new Date(to), zone);
  const end = isSameDay ? clockText(new Date(to), zone) : momentText(new Date(to), zone);
  return `${begin} to ${end} ${zoneText(zone)} (${lengthText(to - from)})`;
}

/** "24 Nov, 02:00 to 04:00 UTC (2 h)": of times that may come yet. */
export function maintenanceText(times: { from: number; to: number }, zone: string): string {
  return spanText(times, Number.POSITIVE_INFINITY, zone);
}

/** "40 s", "19 min", "2 h 21 min", "3 days". */
export function lengthText(ms: number): string {
  if (ms < MINUTE) return `${Math.ceil(ms / SECOND)} s`;
  const minutes = Math.round(ms / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  if (ms >= 2 * DAY) return `${Math.round(ms / DAY)} days`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

import { counted } from "@/lib/quantities";
import type { Uptime } from "@/lib/servers/events/uptime";
import { lengthText } from "./silence-text";

/** "99.93 %: 31 min offline in 2 outages; 4 min not known": never a percentage without what it comes from. */
export function uptimeText({ percent, offline, outages, unreachable, unknown }: Uptime): string {
  if (percent === null) return unknown > 0 ? "Not known." : "Nothing is recorded yet.";
  const parts = [
    offline > 0 ? `${lengthText(offline)} offline in ${counted(outages, "outage")}` : "never offline",
    unreachable > 0 && `${lengthText(unreachable)} unreachable`,
    unknown > 0 && `${lengthText(unknown)} not known`,
  ];
  return `${percent} %: ${parts.filter(Boolean).join("; ")}`;
}

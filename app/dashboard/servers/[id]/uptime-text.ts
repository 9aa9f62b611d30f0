import { counted } from "@/lib/format/quantities";
import type { Uptime } from "@/lib/servers/events/uptime";
import { lengthText } from "./silence-text";

/** "99.93 %: 31 min offline in 2 outages; 4 min not known; 2 h of maintenance left out": never a percentage without what it comes from. */
export function uptimeText({ percent, offline, outages, unreachable, unknown, maintenance }: Uptime): string {
  const left = maintenance > 0 && `${lengthText(maintenance)} of maintenance left out`;
  if (percent === null) {
    const why = unknown > 0 ? "Not known" : maintenance === 0 && "Nothing is recorded yet";
    return `${[why, left].filter(Boolean).join("; ")}.`;
  }
  const parts = [
    offline > 0 ? `${lengthText(offline)} offline in ${counted(outages, "outage")}` : "never offline",
    unreachable > 0 && `${lengthText(unreachable)} unreachable`,
    unknown > 0 && `${lengthText(unknown)} not known`,
    left,
  ];
  return `${percent} %: ${parts.filter(Boolean).join("; ")}`;
}

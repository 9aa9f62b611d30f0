import { counted } from "@/lib/format/quantities";
import type { Uptime } from "@/lib/servers/events/uptime";
import { lengthText } from "./silence-text";

/** "99.93 %: 31 min offline in 2 outages; 2 h of maintenance left out": never a percentage without what it comes from. */
export function uptimeText({ percent, offline, outages, maintenance }: Uptime): string {
  const left = maintenance > 0 && `${lengthText(maintenance)} of maintenance left out`;
  if (percent === null) {
    return `${left || "Nothing is recorded yet"}.`;
  }
  const parts = [
    offline > 0 ? `${lengthText(offline)} offline in ${counted(outages, "outage")}` : "never offline",
    left,
  ];
  return `${percent} %: ${parts.filter(Boolean).join("; ")}`;
}

import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { parseReport, type Report } from "@/lib/servers/telemetry/report";

/** Checks and stores a check-in whose sample was taken at `now`, which is also when it arrives. */
export async function recordCheckIn(serverId: number, report: Report, now: Date = new Date()): Promise<void> {
  await storeCheckIn(serverId, parseReport(report), { sampledAt: now, arrivedAt: now });
}

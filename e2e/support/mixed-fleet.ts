import { DAY, HOUR } from "@/lib/format/time";
import { newAccount, newBenchmarkRun, newServer } from "./factories";
import { recordCheckIn } from "./record-check-in";

export const sample = {
  cpuPct: 72.5,
  memUsedMb: 1536.25,
  memTotalMb: 2048,
  diskUsedPct: 88,
  netLossPct: 0.4,
  uptimeS: 9000,
};
const facts = {
  os: "Debian <b>13</b>",
  kernel: "6.12",
  cores: 4,
  nested: { deep: [1, null, "x"] },
  "\u202Eodd": true,
};

/** An online server, one that fell silent, one that never checked in, and one of somebody else's. */
export async function fillMixedFleet(accountId: number): Promise<[online: number, silent: number, never: number]> {
  const createdAt = new Date(Date.now() - 2 * DAY);
  const online = await newServer(accountId, {
    label: "Online <i>one</i>",
    createdAt,
    firstSeenAt: createdAt,
    lastSeenAt: createdAt,
  });
  const silent = await newServer(accountId, { label: "\u202EGone quiet", createdAt, lastSeenAt: createdAt });
  const never = await newServer(accountId, { label: "Never seen" });
  await recordCheckIn(online.id, { sample, facts, publicIp: "2001:db8::7" });
  await recordCheckIn(silent.id, { sample: { cpuPct: 3, memUsedMb: 10 } }, new Date(Date.now() - HOUR));
  await newBenchmarkRun(online.id, { cpu: 71, disk: 0, network: null, total: 55, verified: true });
  await newBenchmarkRun(online.id, { status: "pending", finishedAt: null });
  const other = await newAccount();
  await newServer(other.id);
  return [online.id, silent.id, never.id];
}

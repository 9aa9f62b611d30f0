import { randomAt } from "@/e2e/support/random";
import { HOUR, MINUTE } from "@/lib/format/time";

/** What a score is made of, anything measured or not, at any age. `now`: epoch ms. */
export function randomFacts(seed: number, now: number) {
  let drawn = 0;
  const upTo = (most: number) => randomAt(seed, drawn++) * most;
  const perhaps = (value: number) => (upTo(1) < 0.2 ? null : value);
  const measured = (most: number) => perhaps(upTo(most));
  const ts = now - upTo(20 * MINUTE);
  const sample = {
    ...{ ts, cpuPct: measured(100), cpuStealPct: measured(30), cpuIowaitPct: measured(70), load5: measured(20) },
    ...{ memUsedMb: measured(1000), memTotalMb: perhaps(1000), swapUsedPct: measured(100), diskUsedPct: measured(100) },
    ...{ netLossPct: measured(12), netRetransmitPct: measured(25), oomKills: perhaps(Math.floor(upTo(1.1))) },
  };
  const counts = { reboots: Math.floor(upTo(3)), oomKills: Math.floor(upTo(3)), failedUnits: Math.floor(upTo(3)) };
  const stability = { coveragePct: upTo(100), ...counts, lastOomAt: perhaps(ts - upTo(HOUR)) };
  return { lastSeenAt: now - upTo(10 * MINUTE), cores: perhaps(4), sample, stability };
}

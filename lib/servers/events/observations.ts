import { SECOND } from "@/lib/format/time";
import type { Observation } from "@/lib/servers/events/conditions";
import { isRatedWell, levelOf } from "@/lib/servers/health-level";
import { COMPONENTS, FULL, type Measurements, scoreHealth, WEIGHTS } from "@/lib/servers/health-score";

/** A disk is full above so many percent. */
const FULL_DISK = 90;

/** What the score of a sample needs besides it. */
type Rated = { cores: number | null; lastOomAt: number | null };

/**
 * What a sample that came in time says about its server. It is rated as if the server had never been silent: what freshness and
 * stability cost follows from an outage, which is told already.
 */
export function observationsOf(sample: Measurements, { cores, lastOomAt }: Rated): Observation[] {
  const at = sample.ts;
  const calm = { coveragePct: 100, reboots: 0, oomKills: 0, failedUnits: 0, lastOomAt };
  const { score, components } = scoreHealth({ lastSeenAt: at, cores, sample, stability: calm }, at);
  const level = levelOf(score);
  const facts = { score, ...(level !== "healthy" && { cause: worstOf(components) }) };
  const disk = sample.diskUsedPct;
  return [
    { kind: "critical", at, is: level === "critical", facts },
    { kind: "strained", at, is: level !== "healthy", facts },
    { kind: "unwell", at, is: !isRatedWell({ score, components }), facts: {} },
    ...(disk === null
      ? []
      : [{ kind: "disk_full" as const, at, is: disk > FULL_DISK, facts: { percent: Math.floor(disk) } }]),
  ];
}

/** What the time of a newest sample says about the machine's clock (epoch ms); `tolerance` in milliseconds. */
export function clockObservation(sampledAt: number, arrivedAt: number, tolerance: number): Observation {
  const ahead = sampledAt - arrivedAt;
  const facts = { seconds: Math.round(ahead / SECOND) };
  return { kind: "clock_wrong", at: arrivedAt, is: Math.abs(ahead) > tolerance, facts };
}

/** The component that costs most. */
function worstOf(components: ReturnType<typeof scoreHealth>["components"]): string {
  const lost = (name: (typeof COMPONENTS)[number]) => WEIGHTS[name] * (FULL - components[name]);
  return COMPONENTS.reduce((worst, name) => (lost(name) > lost(worst) ? name : worst));
}

import {
  COMPONENT_CURVES,
  type Component,
  DEDUCTION_CURVES,
  FULL,
  OOM_CAP,
  STABILITY_DEDUCTIONS,
  WEIGHTS,
} from "@/lib/servers/health-score";
import type { CurrentValues } from "@/lib/servers/servers";

/** Something that the score counts where it is measured, and does without elsewhere. */
type Unmeasured = {
  what: string;
  /** The most points of the score that it could take: they are never lost while it is not measured. */
  points: number;
};

type Row = Unmeasured & { isMissing(current: CurrentValues): boolean };

/** The last point of a curve that falls or rises from end to end is its most. */
const most = (curve: readonly (readonly [number, number])[]) => curve.at(-1)?.[1] ?? 0;
const pointsOf = (component: Component, lost: number) => (WEIGHTS[component] * lost) / 100;

/**
 * Every measurement without which its component is rated all the same. The other ones count as 500 when they are missing,
 * which the page says as "not reported".
 */
const ROWS: readonly Row[] = [
  {
    what: "load per core",
    points: pointsOf("cpu", most(DEDUCTION_CURVES.loadPerCore)),
    isMissing: ({ cpuPct, load5, cores }) => cpuPct !== null && (load5 === null || cores === null),
  },
  {
    what: "time stolen by other guests",
    points: pointsOf("cpu", most(DEDUCTION_CURVES.stealPct)),
    isMissing: ({ cpuPct, cpuStealPct }) => cpuPct !== null && cpuStealPct === null,
  },
  {
    what: "waiting for disks",
    points: pointsOf("cpu", most(DEDUCTION_CURVES.iowaitPct)),
    isMissing: ({ cpuPct, cpuIowaitPct }) => cpuPct !== null && cpuIowaitPct === null,
  },
  {
    what: "swap",
    points: pointsOf("memory", most(DEDUCTION_CURVES.swapPct)),
    isMissing: ({ memUsedMb, swapUsedPct }) => memUsedMb !== null && swapUsedPct === null,
  },
  {
    what: "lost packets",
    points: pointsOf("network", FULL - most(COMPONENT_CURVES.lossPct)),
    isMissing: ({ netLossPct, netRetransmitPct }) => netLossPct === null && netRetransmitPct !== null,
  },
  {
    what: "retransmissions",
    points: pointsOf("network", FULL - most(COMPONENT_CURVES.retransmitPct)),
    isMissing: ({ netLossPct, netRetransmitPct }) => netLossPct !== null && netRetransmitPct === null,
  },
  {
    what: "processes killed for lack of memory",
    points: pointsOf("memory", FULL - OOM_CAP) + pointsOf("stability", STABILITY_DEDUCTIONS.oomKills.most),
    isMissing: ({ memUsedMb, oomKills }) => memUsedMb !== null && oomKills === null,
  },
  {
    what: "failed services",
    points: pointsOf("stability", STABILITY_DEDUCTIONS.failedUnits.most),
    isMissing: ({ memUsedMb, failedUnits }) => memUsedMb !== null && failedUnits === null,
  },
];

/** What the latest sample of a server lacks, with the points that it can never lose for it. */
export function listUnmeasured(current: CurrentValues): Unmeasured[] {
  return ROWS.filter((row) => row.isMissing(current)).map(({ what, points }) => ({ what, points }));
}

/** "load per core (up to 100 points), failed services (45)"; empty when nothing lacks. */
export function unmeasuredText(unmeasured: readonly Unmeasured[]): string {
  return unmeasured
    .map(({ what, points }, index) => `${what} (${index === 0 ? `up to ${points} points` : points})`)
    .join(", ");
}

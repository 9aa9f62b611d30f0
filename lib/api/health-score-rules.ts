import type { Curve } from "@/lib/servers/curve";
import {
  COMPONENT_CURVES,
  COMPONENTS,
  type Component,
  DEDUCTION_CURVES,
  FULL,
  NOT_REPORTED,
  OOM_CAP,
  OOM_CAP_LASTS,
  STABILITY_DEDUCTIONS,
  STALENESS,
  WEIGHTS,
} from "@/lib/servers/health-score";

/** How the points of a component come about: the least of its curves, less the greatest of its deductions. */
type Rule = {
  /** Percent of the score. */
  weight: number;
  /** Whether it counts less as the sample grows old, by `sample_age_seconds`. */
  fades: boolean;
  /** By what was measured: points `[measured, value]`, linear between them and constant beyond. */
  curves: Record<string, Curve>;
  deductions: Record<string, Curve>;
  /** Points off for each event, and at most in all. */
  events: Record<string, { each: number; most: number }>;
  /** The most points for so long after a process was killed for lack of memory. */
  after_kill: { most: number; lasts_ms: number } | null;
};

const NONE = { deductions: {}, events: {}, after_kill: null };

const RULES: Record<Component, Pick<Rule, "fades" | "curves"> & Partial<Rule>> = {
  cpu: {
    fades: true,
    curves: { cpu_pct: COMPONENT_CURVES.cpuPct },
    deductions: {
      cpu_steal_pct: DEDUCTION_CURVES.stealPct,
      cpu_iowait_pct: DEDUCTION_CURVES.iowaitPct,
      load_per_core: DEDUCTION_CURVES.loadPerCore,
    },
  },
  memory: {
    fades: true,
    curves: { mem_used_pct: COMPONENT_CURVES.memoryPct },
    deductions: { swap_used_pct: DEDUCTION_CURVES.swapPct },
    after_kill: { most: OOM_CAP, lasts_ms: OOM_CAP_LASTS },
  },
  disk: { fades: true, curves: { disk_used_pct: COMPONENT_CURVES.diskPct } },
  network: {
    fades: true,
    curves: { net_loss_pct: COMPONENT_CURVES.lossPct, net_retransmit_pct: COMPONENT_CURVES.retransmitPct },
  },
  stability: {
    fades: false,
    curves: { coverage_pct: COMPONENT_CURVES.coveragePct },
    events: {
      reboots: STABILITY_DEDUCTIONS.reboots,
      oom_kills: STABILITY_DEDUCTIONS.oomKills,
      failed_units: STABILITY_DEDUCTIONS.failedUnits,
    },
  },
  freshness: { fades: false, curves: { last_seen_seconds: COMPONENT_CURVES.lastSeenSeconds } },
};

/**
 * The numbers of the health score, from the tables that the console uses. With its weights and the components of a server
 * anybody recomputes its score (contract 2.3).
 */
export const HEALTH_SCORE_RULES = {
  full: FULL,
  not_reported: NOT_REPORTED,
  sample_age_seconds: STALENESS,
  components: Object.fromEntries(
    COMPONENTS.map((name): [Component, Rule] => [name, { weight: WEIGHTS[name], ...NONE, ...RULES[name] }]),
  ) as Record<Component, Rule>,
};

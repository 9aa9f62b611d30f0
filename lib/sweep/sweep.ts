import type { GoesOn } from "@/lib/database/deletion";
import { isDatabaseUnavailable } from "@/lib/database/health";
import { keepDays } from "@/lib/database/partitions";
import { query } from "@/lib/database/run-statement";
import { select, statement } from "@/lib/database/statement";
import { Expression } from "@/lib/database/tables";
import { SECOND } from "@/lib/format/time";
import { settleDeletions } from "@/lib/game-services/settlement";
import { deleteBeyond } from "@/lib/notices/unsent";
import { pause } from "@/lib/process/background";
import { env } from "@/lib/process/env";
import { logFault } from "@/lib/process/faults.mjs";
import { KEPT } from "@/lib/process/kept";
import { log } from "@/lib/process/log.mjs";
import { measureDatabase } from "./database-state";
import { type Lease, type SweepReport, takeLease } from "./lease";
import { deleteLeftSamples, deleteOld, ROW_NAMES } from "./retention";

type Counts = Record<string, number>;

/** By PostgreSQL's clock, in epoch milliseconds. */
const NOW = statement({}, () => select({ now: new Expression<Date>("now()", "instant") }));

/** The steps of a sweep, in order. Each deletes in small statements. The next sweep continues an unfinished step. */
const STEPS: Readonly<Record<string, (goesOn: GoesOn) => Promise<Counts>>> = {
  async partitions() {
    const [row] = await query(NOW, {});
    if (!row) throw new Error("A select without a table has one row.");
    const { now } = row;
    const samples = await keepDays("telemetry_samples", env.telemetryDays, now);
    const intervals = await keepDays("metric_samples", KEPT.metricsDays, now);
    return {
      days_made: samples.made + intervals.made,
      days_missing: samples.busy + intervals.busy,
      sample_days: samples.dropped,
      interval_days: intervals.dropped,
    };
  },
  samples: async (goesOn) => ({ servers_gone: await deleteLeftSamples(goesOn) }),
  unsent: async (goesOn) => ({ notices_beyond: await deleteBeyond(goesOn) }),
  ...Object.fromEntries(ROW_NAMES.map((name) => [name, async (goesOn) => ({ [name]: await deleteOld(name, goesOn) })])),
  services: async () => ({ services: await settleDeletions() }),
  // The last one, so that it measures what the others left.
  size: measureDatabase,
};

/** The pause between two statements in milliseconds. A sweep is never urgent. */
const REST = 10;
/** The time limit of a sweep. The next sweep does the rest. */
const MOST_TIME = 20 * 60 * SECOND;
const RENEW_EVERY = 20 * SECOND;

/**
 * Deletes expired rows and makes the partitions of the next days. Returns the report, and also logs it and stores it in
 * `sweeps`. Null: no sweep is due, or another instance is sweeping. If a step fails, the other steps still run, and the
 * next sweep tries it again.
 */
export async function sweep(when: "if-due" | "now"): Promise<SweepReport | null> {
  const lease = await takeLease(when);
  if (!lease) return null;
  const report: SweepReport = { counts: {}, seconds: 0, failed: [] };
  const began = performance.now();
  const goesOn = workingTime(lease);
  for (const [name, step] of Object.entries(STEPS)) {
    try {
      if (await goesOn()) Object.assign(report.counts, await step(goesOn));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      report.failed.push(name);
      logFault("sweep failed", error, { step: name });
    }
  }
  report.seconds = Math.round((performance.now() - began) / 100) / 10;
  await lease.finish(report);
  log("info", "swept", { ...report.counts, seconds: report.seconds, failed: report.failed.join(" ") || undefined });
  return report;
}

/** Goes on until the process ends, the lease is lost, or the time is up. */
function workingTime(lease: Lease): GoesOn {
  const began = performance.now();
  let renewed = began;
  let isOver = false;
  return async () => {
    if (!isOver && performance.now() - renewed > RENEW_EVERY) {
      isOver = !(await lease.renew());
      renewed = performance.now();
    }
    isOver ||= performance.now() - began > MOST_TIME || !(await pause(REST));
    return !isOver;
  };
}

import { KEPT } from "./kept";

/** Variables that nothing reads any more, and what stands in their place. */
const WITHDRAWN: Readonly<Record<string, string>> = {
  DATABASE_READ_URL: "history and metrics are read where everything is",
  KEEP_METRICS_DAYS: `intervals of game services are kept for ${KEPT.metricsDays} days`,
  KEEP_HOURS_DAYS: `hourly sums and events are kept for ${KEPT.hoursDays} days`,
  KEEP_BENCHMARK_RUNS: `of each server the latest ${KEPT.benchmarkRuns} finished runs are kept`,
  KEEP_SESSIONS_DAYS: `ended sessions are kept for ${KEPT.sessionsDays} days`,
  KEEP_TOKENS_DAYS: `ended tokens are kept for ${KEPT.tokensDays} days`,
  WORKERS: "an instance is one process, so start several instances instead (docs/install.md)",
};

/** One sentence for each withdrawn variable that is still set. */
export function listWithdrawn(source: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(WITHDRAWN)
    .filter(([name]) => source[name]?.trim())
    .map(([name, instead]) => `${name} is set, and nothing reads it any more: ${instead}.`);
}

import { areConnectionsTaken, PURPOSES } from "@/lib/admission/shares";
import { pool } from "@/lib/database/client";
import { DAILY_TABLES, type DailyTable } from "@/lib/database/partitions";
import { DAY, SECOND } from "@/lib/format/time";
import { listRefused } from "@/lib/game-services/edges/nodes";
import { measureOutbox } from "@/lib/notices/outbox";
import { noticeCounts } from "@/lib/notices/sending";
import { readiness } from "@/lib/operations/readiness";
import { env } from "@/lib/process/env";
import { limitCounts, limitStoreIsUp } from "@/lib/rate-limit";
import { rollUpLag } from "@/lib/servers/telemetry/retention";
import { DATABASE_BYTES, oldestDayOf } from "@/lib/sweep/database-state";
import { findLastSweep } from "@/lib/sweep/last-sweep";
import { addMetricSource, counter, type Family, gauge } from "./metrics.mjs";

/** A process whose database takes longer to answer is not ready. It is less than a source may take. */
const READY_WITHIN = 2 * SECOND;

/** Adds the app's counters to /ops/metrics. */
export function tellOfApp(): void {
  addMetricSource("admission", admission);
  addMetricSource("limit", limit);
  addMetricSource("pool", database);
  addMetricSource("readiness", ready);
  addMetricSource("sweep", sweep);
  addMetricSource("edge nodes", edgeNodes);
  addMetricSource("notices", notices);
}

function admission(): Family[] {
  const samples = Object.values(PURPOSES).map(({ name, counts }) => ({ kind: name, counts }));
  return [
    gauge(
      "console_admission_waiting",
      "Requests that wait for their share of what is scarce, by kind.",
      samples.map(({ kind, counts }) => [{ kind }, counts.waiting]),
    ),
    counter(
      "console_admission_total",
      "Requests by kind and outcome: let in at once, let in after a wait, refused with 503.",
      samples.flatMap(({ kind, counts }): Family["samples"] => [
        [{ kind, outcome: "at_once" }, counts.atOnce],
        [{ kind, outcome: "waited" }, counts.waited],
        [{ kind, outcome: "refused" }, counts.refused],
      ]),
    ),
  ];
}

function limit(): Family[] {
  const isUp = limitStoreIsUp();
  return [
    counter(
      "console_limit_decisions_total",
      "Decisions of the rate limit, by policy.",
      [...limitCounts()].flatMap(([policy, { accepted, refused }]): Family["samples"] => [
        [{ policy, decision: "accepted" }, accepted],
        [{ policy, decision: "refused" }, refused],
      ]),
    ),
    gauge(
      "console_limit_store_down",
      "Processes that decide alone because the shared store of the limit does not answer.",
      isUp === null ? [] : [[{}, isUp ? 0 : 1]],
    ),
  ];
}

async function edgeNodes(): Promise<Family[]> {
  const nodes = await listRefused();
  return [
    gauge(
      "console_edge_node_refused",
      "Connections that an edge node refused before they belonged to a service, in the newest minute that it reported.",
      nodes.map(({ node, refused }) => [{ node }, refused]),
    ),
  ];
}

async function notices(): Promise<Family[]> {
  const { due, oldest } = await measureOutbox();
  return [
    gauge("console_notices_due", "Messages to channels that are due and not sent.", due),
    gauge(
      "console_notices_oldest_due_seconds",
      "How long the oldest of what is to be told has been due.",
      oldest / SECOND,
    ),
    counter("console_notices_total", "Messages to channels, by how they ended: delivered, or given up.", [
      [{ outcome: "delivered" }, noticeCounts.delivered],
      [{ outcome: "undelivered" }, noticeCounts.undelivered],
    ]),
  ];
}

function database(): Family[] {
  return [
    gauge("console_database_connections", "Connections to PostgreSQL, by what they do.", [
      [{ state: "idle" }, pool.idleCount],
      [{ state: "busy" }, pool.totalCount - pool.idleCount],
    ]),
    gauge(
      "console_database_exhausted",
      "Processes in which no connection is left that a request could take.",
      areConnectionsTaken() ? 1 : 0,
    ),
  ];
}

async function ready(): Promise<Family[]> {
  const late = new Promise<null>((resolve) => setTimeout(resolve, READY_WITHIN, null).unref());
  const isReady = (await Promise.race([readiness(), late])) === "ok";
  return [
    gauge(
      "console_not_ready",
      "Processes that say 503 at /readyz: they end, or the database is away or takes no writes.",
      isReady ? 0 : 1,
    ),
  ];
}

const KEPT: Readonly<Record<DailyTable, number>> = {
  telemetry_samples: env.kept.telemetryDays,
  metric_samples: env.kept.metricsDays,
};

/** What the last sweep found. Only its row is read. */
async function sweep(): Promise<Family[]> {
  const last = await findLastSweep();
  const one = (value: number | undefined): Family["samples"] => (value === undefined ? [] : [[{}, value]]);
  const oldest = DAILY_TABLES.flatMap((table) => {
    const day = last?.counts.get(oldestDayOf(table));
    return day === undefined ? [] : [{ table, day }];
  });
  const lag = rollUpLag(
    oldest.filter(({ table }) => table === "telemetry_samples").map(({ day }) => day * SECOND),
    Date.now(),
    env.kept.telemetryDays,
  );
  return [
    gauge(
      "console_sweep_finished_timestamp_seconds",
      "When the hourly sweep of all instances came to its end last.",
      one(last === null ? undefined : last.finishedAt.getTime() / SECOND),
    ),
    gauge(
      "console_sweep_failed_steps",
      "Steps of the last sweep that failed. The next one tries them again.",
      one(last?.failedSteps),
    ),
    gauge(
      "console_database_size_bytes",
      "Size of the database, at the last sweep.",
      one(last?.counts.get(DATABASE_BYTES)),
    ),
    gauge(
      "console_oldest_partition_timestamp_seconds",
      "The oldest day that has a partition, by table, at the last sweep.",
      oldest.map(({ table, day }) => [{ table }, day]),
    ),
    gauge(
      "console_partition_kept_seconds",
      "For how long the days of a table are kept, as the KEEP_ variables say.",
      DAILY_TABLES.map((table) => [{ table }, (KEPT[table] * DAY) / SECOND]),
    ),
    gauge(
      "console_roll_up_lag_seconds",
      "By how much the oldest day of samples has outlived KEEP_TELEMETRY_DAYS, because its hours are not summed up.",
      one(last ? lag / SECOND : undefined),
    ),
  ];
}

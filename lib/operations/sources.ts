import { areConnectionsTaken, PURPOSES } from "@/lib/admission/shares";
import { pool } from "@/lib/database/client";
import { DAILY_TABLES, type DailyTable } from "@/lib/database/partitions";
import { DAY, SECOND } from "@/lib/format/time";
import { listRefused } from "@/lib/game-services/edges/nodes";
import { measureOutbox } from "@/lib/notices/outbox";
import { noticeCounts } from "@/lib/notices/sending";
import { env } from "@/lib/process/env";
import { limitCounts, limitStoreIsUp } from "@/lib/rate-limit";
import { readiness } from "@/lib/readiness";
import { rollUpLag } from "@/lib/servers/telemetry/retention";
import { DATABASE_BYTES, oldestDayOf } from "@/lib/sweep/database-state";
import { findLastSweep } from "@/lib/sweep/last-sweep";
import { addMetricSource, type Family } from "./metrics.mjs";

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
    {
      name: "console_admission_waiting",
      help: "Requests that wait for their share of what is scarce, by kind.",
      type: "gauge",
      merge: "sum",
      samples: samples.map(({ kind, counts }) => [{ kind }, counts.waiting]),
    },
    {
      name: "console_admission_total",
      help: "Requests by kind and outcome: let in at once, let in after a wait, refused with 503.",
      type: "counter",
      merge: "sum",
      samples: samples.flatMap(({ kind, counts }): Family["samples"] => [
        [{ kind, outcome: "at_once" }, counts.atOnce],
        [{ kind, outcome: "waited" }, counts.waited],
        [{ kind, outcome: "refused" }, counts.refused],
      ]),
    },
  ];
}

function limit(): Family[] {
  const isUp = limitStoreIsUp();
  return [
    {
      name: "console_limit_decisions_total",
      help: "Decisions of the rate limit, by policy.",
      type: "counter",
      merge: "sum",
      samples: [...limitCounts()].flatMap(([policy, { accepted, refused }]): Family["samples"] => [
        [{ policy, decision: "accepted" }, accepted],
        [{ policy, decision: "refused" }, refused],
      ]),
    },
    {
      name: "console_limit_store_down",
      help: "Processes that decide alone because the shared store of the limit does not answer.",
      type: "gauge",
      merge: "sum",
      samples: isUp === null ? [] : [[{}, isUp ? 0 : 1]],
    },
  ];
}

async function edgeNodes(): Promise<Family[]> {
  const nodes = await listRefused();
  return [
    {
      name: "console_edge_node_refused",
      help: "Connections that an edge node refused before they belonged to a service, in the newest minute that it reported.",
      type: "gauge",
      merge: "max",
      samples: nodes.map(({ node, refused }) => [{ node }, refused]),
    },
  ];
}

async function notices(): Promise<Family[]> {
  const { due, oldest } = await measureOutbox();
  return [
    {
      name: "console_notices_due",
      help: "Messages to channels that are due and not sent.",
      type: "gauge",
      merge: "max",
      samples: [[{}, due]],
    },
    {
      name: "console_notices_oldest_due_seconds",
      help: "How long the oldest of what is to be told has been due.",
      type: "gauge",
      merge: "max",
      samples: [[{}, oldest / SECOND]],
    },
    {
      name: "console_notices_total",
      help: "Messages to channels, by how they ended: delivered, or given up.",
      type: "counter",
      merge: "sum",
      samples: [
        [{ outcome: "delivered" }, noticeCounts.delivered],
        [{ outcome: "undelivered" }, noticeCounts.undelivered],
      ],
    },
  ];
}

function database(): Family[] {
  return [
    {
      name: "console_database_connections",
      help: "Connections to PostgreSQL, by what they do.",
      type: "gauge",
      merge: "sum",
      samples: [
        [{ state: "idle" }, pool.idleCount],
        [{ state: "busy" }, pool.totalCount - pool.idleCount],
      ],
    },
    {
      name: "console_database_exhausted",
      help: "Processes in which no connection is left that a request could take.",
      type: "gauge",
      merge: "sum",
      samples: [[{}, areConnectionsTaken() ? 1 : 0]],
    },
  ];
}

async function ready(): Promise<Family[]> {
  const late = new Promise<null>((resolve) => setTimeout(resolve, READY_WITHIN, null).unref());
  const isReady = (await Promise.race([readiness(), late])) === "ok";
  return [
    {
      name: "console_not_ready",
      help: "Processes that say 503 at /readyz: they end, or the database is away or takes no writes.",
      type: "gauge",
      merge: "sum",
      samples: [[{}, isReady ? 0 : 1]],
    },
  ];
}

const KEPT: Readonly<Record<DailyTable, number>> = {
  telemetry_samples: env.kept.telemetryDays,
  metric_samples: env.kept.metricsDays,
};

/** What the last sweep found. Only its row is read. */
async function sweep(): Promise<Family[]> {
  const last = await findLastSweep();
  const gauge = (name: string, help: string, samples: Family["samples"]): Family => {
    return { name: `console_${name}`, help, type: "gauge", merge: "max", samples };
  };
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
      "sweep_finished_timestamp_seconds",
      "When the hourly sweep of all instances came to its end last.",
      one(last === null ? undefined : last.finishedAt.getTime() / SECOND),
    ),
    gauge(
      "sweep_failed_steps",
      "Steps of the last sweep that failed. The next one tries them again.",
      one(last?.failedSteps),
    ),
    gauge("database_size_bytes", "Size of the database, at the last sweep.", one(last?.counts.get(DATABASE_BYTES))),
    gauge(
      "oldest_partition_timestamp_seconds",
      "The oldest day that has a partition, by table, at the last sweep.",
      oldest.map(({ table, day }) => [{ table }, day]),
    ),
    gauge(
      "partition_kept_seconds",
      "For how long the days of a table are kept, as the KEEP_ variables say.",
      DAILY_TABLES.map((table) => [{ table }, (KEPT[table] * DAY) / SECOND]),
    ),
    gauge(
      "roll_up_lag_seconds",
      "By how much the oldest day of samples has outlived KEEP_TELEMETRY_DAYS, because its hours are not summed up.",
      one(last ? lag / SECOND : undefined),
    ),
  ];
}

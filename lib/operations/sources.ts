import { PURPOSES } from "@/lib/admission/shares";
import { pool } from "@/lib/database/client";
import { listDays } from "@/lib/database/partitions";
import { env } from "@/lib/process/env";
import { limitCounts, limitStoreIsUp } from "@/lib/rate-limit";
import { rollUpLag } from "@/lib/servers/telemetry/retention";
import { findLastSweep } from "@/lib/sweep/last-sweep";
import { SECOND } from "@/lib/time";
import { addMetricSource, type Family } from "./metrics.mjs";

/** Adds the app's counters to /ops/metrics. */
export function tellOfApp(): void {
  addMetricSource("admission", admission);
  addMetricSource("limit", limit);
  addMetricSource("pool", database);
  addMetricSource("sweep", sweep);
  addMetricSource("roll-ups", rollUps);
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
      name: "console_database_waiting",
      help: "Statements that wait for a connection.",
      type: "gauge",
      merge: "sum",
      samples: [[{}, pool.waitingCount]],
    },
  ];
}

async function sweep(): Promise<Family[]> {
  const last = await findLastSweep();
  return [
    {
      name: "console_sweep_finished_timestamp_seconds",
      help: "When the hourly sweep of all instances came to its end last.",
      type: "gauge",
      merge: "max",
      samples: last ? [[{}, last.finishedAt.getTime() / SECOND]] : [],
    },
  ];
}

async function rollUps(): Promise<Family[]> {
  const lag = rollUpLag(await listDays("telemetry_samples"), Date.now(), env.kept.telemetryDays);
  return [
    {
      name: "console_roll_up_lag_seconds",
      help: "By how much the oldest day of samples has outlived KEEP_TELEMETRY_DAYS, because its hours are not summed up.",
      type: "gauge",
      merge: "max",
      samples: [[{}, lag / SECOND]],
    },
  ];
}

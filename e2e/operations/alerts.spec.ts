import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, ownFolder, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";

// The shipped alerts over series that are written here, as Prometheus judges them. ops-metrics.spec.ts sees to it that a
// console has all of these series.

const RULES = resolve("public/recipes/prometheus/operations-rules.yml");
/** For how long there are series, in milliseconds: longer than any alert but one waits. */
const LONG = 4 * HOUR;
/** One of them compares with a week ago. It needs fewer samples. */
const LONGER = { end: 8 * DAY + 5 * HOUR, step: 10 * MINUTE };

/** The value of a series at a time in milliseconds; null where it has none. */
type Series = Record<string, (time: number) => number | null>;

const durations = (route: string, slow: boolean): Series => ({
  [`console_http_request_duration_seconds_bucket{instance="a",route="${route}",status="200",le="1"}`]: (time) =>
    slow ? 0 : time / SECOND,
  [`console_http_request_duration_seconds_bucket{instance="a",route="${route}",status="200",le="10"}`]: (time) =>
    slow ? 0 : time / SECOND,
  [`console_http_request_duration_seconds_bucket{instance="a",route="${route}",status="200",le="+Inf"}`]: (time) =>
    time / SECOND,
});

const requests = (status: string, each: number): Series => ({
  [`console_http_requests_total{instance="a",route="/api/v1/me",status="${status}"}`]: (time) => (time / SECOND) * each,
});

/** One instance that is well, as its edge nodes are: their requests are held until there is something new. */
const WELL: Series = {
  'up{instance="a",job="console-ops"}': () => 1,
  'console_not_ready{instance="a"}': () => 0,
  ...requests("200", 10),
  ...requests("429", 5),
  ...requests("503", 0.1),
  ...durations("/api/v1/me", false),
  ...durations("/ingest/v1/edge/configuration", true),
  'console_admission_total{instance="a",kind="request",outcome="refused"}': () => 7,
  'console_database_exhausted{instance="a"}': (time) => (time % (3 * MINUTE) === 0 ? 1 : 0),
  'console_limit_store_down{instance="a"}': () => 0,
  'console_event_loop_delay_seconds{instance="a",percentile="99"}': () => 0.05,
  'console_resident_memory_bytes{instance="a"}': () => 500e6,
  'console_memory_limit_bytes{instance="a"}': () => 768e6,
  'console_heap_full_ratio{instance="a"}': () => 0.5,
  'console_log_lines_lost_total{instance="a"}': () => 3,
  'console_sweep_finished_timestamp_seconds{instance="a"}': (time) => Math.floor(time / HOUR) * (HOUR / SECOND),
  'console_sweep_failed_steps{instance="a"}': () => 0,
  'console_oldest_partition_timestamp_seconds{instance="a",table="metric_samples"}': (time) =>
    (time - 9 * DAY) / SECOND,
  'console_partition_kept_seconds{instance="a",table="metric_samples"}': () => (8 * DAY) / SECOND,
  'console_database_size_bytes{instance="a"}': () => 30e9,
  'console_notices_oldest_due_seconds{instance="a"}': () => 0,
};

/** The series of one name, with other values. */
function but(name: string, value: (time: number) => number | null): Series {
  const found = Object.keys(WELL).filter((series) => series.startsWith(`${name}{`));
  expect(found, name).not.toEqual([]);
  return Object.fromEntries(found.map((series) => [series, value]));
}

/** What has happened for as long as there are series, and the alert that fires. */
const HAPPENS: Readonly<Record<string, Series>> = {
  ConsoleInstanceDown: { 'up{instance="b",job="console-ops"}': () => 0 },
  ConsoleNotReady: but("console_not_ready", () => 1),
  ConsoleFaults: requests("500", 0.01),
  ConsoleUnavailable: requests("503", 2),
  ConsoleRequestsWait: but("console_admission_total", (time) => time / MINUTE),
  ConsolePoolExhausted: but("console_database_exhausted", () => 1),
  ConsoleSlow: durations("/api/v1/servers", true),
  ConsoleLimitStoreDown: but("console_limit_store_down", () => 1),
  ConsoleEventLoopLate: but("console_event_loop_delay_seconds", () => 0.5),
  ConsoleMemoryNearLimit: but("console_resident_memory_bytes", () => 700e6),
  ConsoleLogLost: but("console_log_lines_lost_total", (time) => time / MINUTE),
  ConsoleSweepLate: but("console_sweep_finished_timestamp_seconds", () => 0),
  ConsoleSweepNeverRan: but("console_sweep_finished_timestamp_seconds", () => null),
  ConsoleSweepFails: but("console_sweep_failed_steps", () => 1),
  ConsoleOldDaysStay: but("console_oldest_partition_timestamp_seconds", (time) => (time - 13 * DAY) / SECOND),
  ConsoleDatabaseDoubled: but("console_database_size_bytes", (time) => (time < 7.5 * DAY ? 15e9 : 31e9)),
  ConsoleNoticesLate: but("console_notices_oldest_due_seconds", () => 90),
};

/** One line a sample. `firing`: the alerts that fire at the end, and no others. */
const asTest = (name: string, series: Series, firing: string[], { end, step } = { end: LONG, step: MINUTE }) => ({
  name,
  interval: `${step / MINUTE}m`,
  input_series: Object.entries({ ...WELL, ...series }).map(([series, value]) => ({
    series,
    values: Array.from({ length: end / step + 1 }, (_, sample) => value(sample * step) ?? "_").join(" "),
  })),
  promql_expr_test: [
    {
      expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: `${end / MINUTE}m`,
      exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    },
  ],
});

/** The queries of docs/alerts.md, as a file of rules: one of each service level. */
function writeLevels(dir: string): string {
  const text = readFileSync("docs/alerts.md", "utf8");
  const queries = (/```promql\n(.*?)```/s.exec(text)?.[1] ?? "").split("\n").filter(Boolean);
  expect(queries).toHaveLength(text.match(/ \| [\d.]+ % \|$/gm)?.length ?? 0);
  const file = join(dir, "levels.yml");
  const rules = queries.map((expr, level) => ({ record: `level${level}`, expr }));
  writeFileSync(file, JSON.stringify({ groups: [{ name: "levels", rules }] }));
  return file;
}

test("each shipped alert fires alone for its cause, and none for a healthy console", () => {
  needs("promtool");
  const shipped = [...readFileSync(RULES, "utf8").matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  expect(Object.keys(HAPPENS)).toEqual(shipped);
  const back = LONG - 5 * MINUTE;
  const isAway = (time: number) => time > MINUTE && time < back;
  const tests = [
    asTest("a console that is well", {}, []),
    asTest(
      "a database that was away for hours is back for five minutes",
      {
        ...but("console_not_ready", (time) => (isAway(time) ? 1 : 0)),
        ...but("console_sweep_finished_timestamp_seconds", (time) => (isAway(time) ? null : 0)),
      },
      [],
    ),
    ...Object.entries(HAPPENS).map(([name, series]) =>
      asTest(name, series, [name], name === "ConsoleDatabaseDoubled" ? LONGER : undefined),
    ),
  ];
  const dir = ownFolder();
  const files = ["1m", "10m"].map((interval) => {
    const file = join(dir, `${interval}.yml`);
    const those = tests.filter((one) => one.interval === interval);
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: interval, tests: those }));
    return file;
  });
  for (const args of [
    ["check", "rules", writeLevels(dir)],
    ["test", "rules", ...files],
  ]) {
    const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
    expect(status, stdout + stderr).toBe(0);
  }
});

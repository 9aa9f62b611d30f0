import type { Curve } from "./curve";
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
} from "./health-score";
import type { ScoredMeasurement } from "./telemetry/measurements";

// The score in SQL, so that PostgreSQL rates each minute of the past without sending its samples to this process. It is
// built from the same curves as `scoreHealth`, with the same operations in the same order: the results are equal.

/** What the score at a moment depends on, as SQL: the last sample until then, and what was known of the day before. */
type SampleSql = Record<ScoredMeasurement, string> & {
  cores: string;
  /** The age of the sample in seconds, as `float8`. */
  age: string;
  /** Milliseconds since a process was last killed for lack of memory; null: never. */
  sinceOom: string;
  /** Of the last 24 hours, as `Stability`. */
  coveragePct: string;
  reboots: string;
  oomKillsOfDay: string;
  failedUnits: string;
};

/** The components (0 to 1000) of a server whose daemon was last heard with the sample. */
export function componentsSql(sample: SampleSql): Record<Component, string> {
  const fading = curve(STALENESS, sample.age);
  return {
    cpu: component(`${sample.cpuPct} is not null`, cpuSql(sample), fading),
    memory: component(`${sample.memUsedMb} is not null and ${sample.memTotalMb} <> 0`, memorySql(sample), fading),
    disk: component(`${sample.diskUsedPct} is not null`, curve(COMPONENT_CURVES.diskPct, sample.diskUsedPct), fading),
    network: component(
      `coalesce(${sample.netLossPct}, ${sample.netRetransmitPct}) is not null`,
      `least(${measured(COMPONENT_CURVES.lossPct, sample.netLossPct)}, ${measured(COMPONENT_CURVES.retransmitPct, sample.netRetransmitPct)})`,
      fading,
    ),
    stability: component("true", stabilitySql(sample)),
    freshness: component("true", curve(COMPONENT_CURVES.lastSeenSeconds, sample.age)),
  };
}

/** The score (0 to 1000) of these components. */
export function scoreSql(components: Readonly<Record<Component, string>>): string {
  const sum = COMPONENTS.map((name) => `${WEIGHTS[name]} * ${components[name]}`);
  return rounded(`(${sum.join(" + ")}) / 100`);
}

function cpuSql({ cpuPct, cpuStealPct, cpuIowaitPct, load5, cores }: SampleSql): string {
  const deductions = [
    deduction(DEDUCTION_CURVES.stealPct, cpuStealPct),
    deduction(DEDUCTION_CURVES.iowaitPct, cpuIowaitPct),
    deduction(DEDUCTION_CURVES.loadPerCore, `(${load5} / ${cores})`),
  ];
  return `${curve(COMPONENT_CURVES.cpuPct, cpuPct)} - greatest(${deductions.join(", ")})`;
}

function memorySql({ memUsedMb, memTotalMb, swapUsedPct, oomKills, sinceOom }: SampleSql): string {
  const usedPct = `(${memUsedMb} / nullif(${memTotalMb}, 0) * 100)`;
  const points = `${curve(COMPONENT_CURVES.memoryPct, usedPct)} - ${deduction(DEDUCTION_CURVES.swapPct, swapUsedPct)}`;
  return `least(${points}, case when ${oomKills} > 0 or ${sinceOom} < ${OOM_CAP_LASTS} then ${OOM_CAP} end)`;
}

function stabilitySql({ coveragePct, reboots, oomKillsOfDay, failedUnits }: SampleSql): string {
  const counts = { reboots, oomKills: oomKillsOfDay, failedUnits } satisfies Record<
    keyof typeof STABILITY_DEDUCTIONS,
    string
  >;
  const events = Object.entries(STABILITY_DEDUCTIONS).map(
    ([name, { each, most }]) => `least(${most}, ${each} * ${counts[name as keyof typeof counts]})`,
  );
  return `${curve(COMPONENT_CURVES.coveragePct, coveragePct)} - ${events.join(" - ")}`;
}

function component(isMeasured: string, points: string, factor = "1"): string {
  const kept = `least(${FULL}, greatest(0, ${points}))`;
  return `(case when ${isMeasured} then ${rounded(`${kept} * ${factor}`)} else ${NOT_REPORTED} end)`;
}

/** As `Math.round`: PostgreSQL's own would round half of the halves down. */
function rounded(value: string): string {
  return `floor((${value})::float8 + 0.5)`;
}

/** `valueAt` of a value that is not null. */
function curve(points: Curve, value: string): string {
  const [[firstX, firstY] = [0, 0], ...others] = points;
  let [x0, y0] = [firstX, firstY];
  const parts = [`when ${value} <= ${x0} then ${y0}`];
  for (const [x1, y1] of others) {
    parts.push(`when ${value} <= ${x1} then ${y0} + (${y1 - y0}) * (${value} - ${x0}) / ${x1 - x0}`);
    [x0, y0] = [x1, y1];
  }
  return `(case ${parts.join(" ")} else ${y0} end)`;
}

/** Null where the value is. */
function measured(points: Curve, value: string): string {
  return `case when ${value} is not null then ${curve(points, value)} end`;
}

/** 0 where the value is null. */
function deduction(points: Curve, value: string): string {
  return `coalesce(${measured(points, value)}, 0)`;
}

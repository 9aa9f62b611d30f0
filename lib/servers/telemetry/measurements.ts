import { z } from "zod";
import type { Unit as ShownUnit } from "@/lib/format/quantities";

// The one table of what a daemon measures. The check-in's body, the columns that statements read and write, the score's
// facts, the hourly sums, the charts, the API's latest sample, /metrics and the demo are all derived from it. To add a
// measurement: a row here, a field of `TelemetrySample` in schema.prisma, a migration.

type Unit = {
  /** What a daemon may report. */
  range: z.ZodType<number | null>;
  shownAs: ShownUnit;
  /** As the API words it after a description; empty for a plain number. */
  worded: string;
  /** Converts to the base unit that Prometheus wants. */
  toBase(value: number): number;
  baseWorded: string;
};

/** The limit is far above any machine, and small enough that sums stay exact. */
const amount = z.number().min(0).max(1e12).nullable().default(null);
/** The most that a sample may count. */
export const MOST_IN_SAMPLE = 1_000_000;
const asItIs = (value: number) => value;

export const UNITS = {
  percent: {
    range: z.number().min(0).max(100).nullable().default(null),
    shownAs: "percent",
    worded: ", in percent",
    toBase: (percent) => percent / 100,
    baseWorded: ", 0 to 1",
  },
  megabytes: {
    range: amount,
    shownAs: "megabytes",
    worded: ", in megabytes",
    toBase: (megabytes) => megabytes * 2 ** 20,
    baseWorded: ", in bytes",
  },
  seconds: {
    range: amount,
    shownAs: "number",
    worded: ", in seconds",
    toBase: asItIs,
    baseWorded: ", in seconds",
  },
  processes: { range: amount, shownAs: "number", worded: "", toBase: asItIs, baseWorded: "" },
  events: {
    range: z.int().min(0).max(MOST_IN_SAMPLE).nullable().default(null),
    shownAs: "number",
    worded: "",
    toBase: asItIs,
    baseWorded: "",
  },
} as const satisfies Record<string, Unit>;

/** A chart of the history. Its scale reaches at least up to `top`, in the unit of its measurements. */
export type Chart = { readonly title: string; readonly top: number };

const CPU: Chart = { title: "CPU", top: 100 };
const MEMORY: Chart = { title: "Memory", top: 100 };
const DISK: Chart = { title: "Fullest disk", top: 100 };
const NETWORK: Chart = { title: "Network", top: 1 };

/** How the hourly sums store a measurement. Charts show it in the same way. */
type RollUp = {
  chart: Chart;
  /** The name of its line. */
  label: string;
  /** Stores its percentage of the measurement `of` instead, under the name `as`. */
  share?: { as: string; of: string };
};

type Row = {
  /** In reports, answers and as the column of telemetry_samples. */
  name: string;
  unit: keyof typeof UNITS;
  rollUp: RollUp | null;
  /** In the API and in /metrics, without its unit. */
  description: string;
  /** Its name in /metrics, with its base unit. */
  metric: string;
};

export const MEASUREMENTS = {
  /** Of all cores together, as every percentage of the CPU. */
  cpuPct: {
    name: "cpu_pct",
    unit: "percent",
    rollUp: { chart: CPU, label: "Busy" },
    description: "CPU use of all cores together",
    metric: "cpu_usage_ratio",
  },
  cpuStealPct: {
    name: "cpu_steal_pct",
    unit: "percent",
    rollUp: { chart: CPU, label: "Stolen by other guests" },
    description: "CPU time that other guests of the host took",
    metric: "cpu_steal_ratio",
  },
  cpuIowaitPct: {
    name: "cpu_iowait_pct",
    unit: "percent",
    rollUp: { chart: CPU, label: "Waiting for disks" },
    description: "CPU time spent waiting for disks",
    metric: "cpu_iowait_ratio",
  },
  load5: {
    name: "load5",
    unit: "processes",
    rollUp: null,
    description: "Load average of five minutes",
    metric: "load5",
  },
  memUsedMb: {
    name: "mem_used_mb",
    unit: "megabytes",
    rollUp: { chart: MEMORY, label: "Used", share: { as: "memUsedPct", of: "memTotalMb" } },
    description: "Memory in use",
    metric: "memory_used_bytes",
  },
  memTotalMb: {
    name: "mem_total_mb",
    unit: "megabytes",
    rollUp: null,
    description: "Memory in all",
    metric: "memory_size_bytes",
  },
  swapUsedPct: {
    name: "swap_used_pct",
    unit: "percent",
    rollUp: { chart: MEMORY, label: "Swap used" },
    description: "Swap in use",
    metric: "swap_used_ratio",
  },
  diskUsedPct: {
    name: "disk_used_pct",
    unit: "percent",
    rollUp: { chart: DISK, label: "Used" },
    description: "Use of the fullest file system",
    metric: "disk_used_ratio",
  },
  netLossPct: {
    name: "net_loss_pct",
    unit: "percent",
    rollUp: { chart: NETWORK, label: "Packets lost" },
    description: "Packets lost",
    metric: "network_loss_ratio",
  },
  netRetransmitPct: {
    name: "net_retransmit_pct",
    unit: "percent",
    rollUp: { chart: NETWORK, label: "Retransmitted" },
    description: "TCP segments sent again",
    metric: "network_retransmit_ratio",
  },
  uptimeS: {
    name: "uptime_s",
    unit: "seconds",
    rollUp: null,
    description: "Time since the machine started",
    metric: "uptime_seconds",
  },
  oomKills: {
    name: "oom_kills",
    unit: "events",
    rollUp: null,
    description: "Processes killed for lack of memory since the check-in before",
    metric: "oom_kills",
  },
  failedUnits: {
    name: "failed_units",
    unit: "events",
    rollUp: null,
    description: "System services in a failed state",
    metric: "failed_units",
  },
} as const satisfies Record<string, Row>;

type Rows = typeof MEASUREMENTS;
export type Measurement = keyof Rows;

/** One value of each measurement; null where the daemon did not measure. */
export type Sample = Record<Measurement, number | null>;

/** What the hourly sums keep of the measurements. */
type RolledUpMeasure = {
  [Name in Measurement]: Rows[Name]["rollUp"] extends null ? never : MeasureOf<Name, Rows[Name]["rollUp"]>;
}[Measurement];
type MeasureOf<Name, Kept> = Kept extends { share: { as: infer As } } ? As : Name;

/** Every measurement in the order of the table. */
export const measurementNames = Object.keys(MEASUREMENTS) as Measurement[];

/** An object with a value for each measurement, by the names in code. */
export function eachMeasurement<Value>(value: (name: Measurement, row: Row) => Value): Record<Measurement, Value> {
  const values = measurementNames.map((name) => [name, value(name, MEASUREMENTS[name])]);
  return Object.fromEntries(values) as Record<Measurement, Value>;
}

type Ranges = { [Name in Measurement as Rows[Name]["name"]]: (typeof UNITS)[Rows[Name]["unit"]]["range"] };

/** The fields of a report, by their names on the wire. A measurement that is absent was not made. */
export const reportedFields = Object.fromEntries(
  measurementNames.map((name) => [MEASUREMENTS[name].name, UNITS[MEASUREMENTS[name].unit].range]),
) as Ranges;
type ReportedFields = { [Field in keyof Ranges]: z.output<Ranges[Field]> };

/** Less is 0: PostgreSQL fails where a quotient is too small or too large for it. */
const LEAST = 1e-6;

/** The sample of a report. */
export function sampleOf(reported: ReportedFields): Sample {
  return eachMeasurement((_, { name }) => {
    const value = reported[name as keyof ReportedFields];
    return value !== null && value < LEAST ? 0 : value;
  });
}

/** The measurements that `servers.sample` holds. */
export type StoredSample = Partial<Record<Rows[Measurement]["name"], number | null>>;

const columns = measurementNames.map((name) => [name, MEASUREMENTS[name].name] as const);

/** Builds a sample from a stored one and its time (epoch ms). A sample from before a measurement existed lacks it. */
export function storedSampleOf(stored: StoredSample, ts: number): Sample & { ts: number } {
  const sample: Partial<Sample> & { ts: number } = { ts };
  for (const [name, column] of columns) sample[name] = stored[column] ?? null;
  return sample as Sample & { ts: number };
}

/** A measurement, as the API and /metrics publish it. */
type PublishedRow = { measurement: Measurement; name: PublishedName; unit: Unit; description: string; metric: string };
export type PublishedName = Rows[Measurement]["name"];

/** The measurements that the API and /metrics publish, in the order of the table. */
export const publishedRows: readonly PublishedRow[] = measurementNames.map((measurement) => {
  const { name, unit, description, metric } = MEASUREMENTS[measurement];
  return { measurement, name, unit: UNITS[unit], description, metric };
});

/** A measurement as hours keep it. */
type RolledUpRow = { measurement: Measurement; measure: RolledUpMeasure; of: Measurement | null; unit: Unit } & Omit<
  RollUp,
  "share"
>;

/** What the hourly sums keep of a sample, in the order of the table. */
export const rolledUpRows: readonly RolledUpRow[] = measurementNames.flatMap((measurement) => {
  const { unit, rollUp }: Row = MEASUREMENTS[measurement];
  if (!rollUp) return [];
  const { chart, label, share } = rollUp;
  const kept = share
    ? { measure: share.as, of: share.of, unit: UNITS.percent }
    : { measure: measurement, of: null, unit: UNITS[unit] };
  return [{ measurement, chart, label, ...kept } as RolledUpRow];
});

/** What has a history: the score (0 to 1000) and what hours keep of the measurements. */
export type HistoryMeasure = "score" | RolledUpMeasure;
export const HISTORY_MEASURES: readonly HistoryMeasure[] = ["score", ...rolledUpRows.map(({ measure }) => measure)];

/** A sample by the names of its measurements on the wire, as `servers.sample` holds it. */
export function storedOf(sample: Sample): StoredSample {
  return Object.fromEntries(measurementNames.map((name) => [MEASUREMENTS[name].name, sample[name]]));
}

/** What the hourly sums keep of one sample; null where it was not measured. */
export function rolledUpValues(sample: Sample): Record<RolledUpMeasure, number | null> {
  const values: Partial<Record<RolledUpMeasure, number | null>> = {};
  for (const { measurement, measure, of } of rolledUpRows) {
    values[measure] = of ? percentOf(sample[measurement], sample[of]) : sample[measurement];
  }
  return values as Record<RolledUpMeasure, number | null>;
}

function percentOf(part: number | null, whole: number | null): number | null {
  return part !== null && whole ? Math.min(100, (part / whole) * 100) : null;
}

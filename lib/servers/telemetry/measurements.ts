import { z } from "zod";
import type { Unit as ShownUnit } from "@/lib/quantities";

// The one table of what a daemon measures. The check-in's body, the columns that statements read and write, the score's
// facts, the hourly sums, the charts, the API's latest sample, /metrics and the demo are all derived from it. To add a
// measurement: a row here, a field of `TelemetrySample` in schema.prisma, a migration.

type Unit = {
  /** What a daemon may report. */
  range: z.ZodType<number | null>;
  shownAs: ShownUnit;
  /** Converts to the base unit that Prometheus wants. */
  toBase(value: number): number;
};

/** The limit is far above any machine, and small enough that sums stay exact. */
const amount = z.number().min(0).max(1e12).nullable().default(null);
/** The most events that one sample tells of. */
export const MOST_EVENTS = 1_000_000;
const asItIs = (value: number) => value;

export const UNITS = {
  percent: {
    range: z.number().min(0).max(100).nullable().default(null),
    shownAs: "percent",
    toBase: (percent) => percent / 100,
  },
  megabytes: { range: amount, shownAs: "megabytes", toBase: (megabytes) => megabytes * 2 ** 20 },
  seconds: { range: amount, shownAs: "number", toBase: asItIs },
  processes: { range: amount, shownAs: "number", toBase: asItIs },
  events: {
    range: z.int().min(0).max(MOST_EVENTS).nullable().default(null),
    shownAs: "number",
    toBase: asItIs,
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

/** What the API and /metrics tell of a measurement. */
type Published = {
  label: string;
  description: string;
  metric: { name: string; help: string };
};

type Row = {
  /** In reports, answers and as the column of telemetry_samples. */
  name: string;
  unit: keyof typeof UNITS;
  /** Whether the health score depends on it. */
  isScored: boolean;
  rollUp: RollUp | null;
  published: Published | null;
};

export const MEASUREMENTS = {
  /** Of all cores together, as every percentage of the CPU. */
  cpuPct: {
    name: "cpu_pct",
    unit: "percent",
    isScored: true,
    rollUp: { chart: CPU, label: "Busy" },
    published: {
      label: "CPU",
      description: "CPU use of all cores together, in percent",
      metric: { name: "cpu_usage_ratio", help: "CPU use of all cores together in the latest sample, 0 to 1." },
    },
  },
  cpuStealPct: {
    name: "cpu_steal_pct",
    unit: "percent",
    isScored: true,
    rollUp: { chart: CPU, label: "Stolen by other guests" },
    published: null,
  },
  cpuIowaitPct: {
    name: "cpu_iowait_pct",
    unit: "percent",
    isScored: true,
    rollUp: { chart: CPU, label: "Waiting for disks" },
    published: null,
  },
  load5: { name: "load5", unit: "processes", isScored: true, rollUp: null, published: null },
  memUsedMb: {
    name: "mem_used_mb",
    unit: "megabytes",
    isScored: true,
    rollUp: { chart: MEMORY, label: "Used", share: { as: "memUsedPct", of: "memTotalMb" } },
    published: {
      label: "Memory used",
      description: "Memory in use, in megabytes",
      metric: { name: "memory_used_bytes", help: "Memory in use in the latest sample." },
    },
  },
  memTotalMb: { name: "mem_total_mb", unit: "megabytes", isScored: true, rollUp: null, published: null },
  swapUsedPct: {
    name: "swap_used_pct",
    unit: "percent",
    isScored: true,
    rollUp: { chart: MEMORY, label: "Swap used" },
    published: null,
  },
  /** Of the fullest file system. */
  diskUsedPct: {
    name: "disk_used_pct",
    unit: "percent",
    isScored: true,
    rollUp: { chart: DISK, label: "Used" },
    published: null,
  },
  netLossPct: {
    name: "net_loss_pct",
    unit: "percent",
    isScored: true,
    rollUp: { chart: NETWORK, label: "Packets lost" },
    published: null,
  },
  netRetransmitPct: {
    name: "net_retransmit_pct",
    unit: "percent",
    isScored: true,
    rollUp: { chart: NETWORK, label: "Retransmitted" },
    published: null,
  },
  uptimeS: { name: "uptime_s", unit: "seconds", isScored: false, rollUp: null, published: null },
  /** Processes killed for lack of memory since the previous check-in. */
  oomKills: { name: "oom_kills", unit: "events", isScored: true, rollUp: null, published: null },
  failedUnits: { name: "failed_units", unit: "events", isScored: false, rollUp: null, published: null },
} as const satisfies Record<string, Row>;

type Rows = typeof MEASUREMENTS;
export type Measurement = keyof Rows;

/** One value of each measurement; null where the daemon did not measure. */
export type Sample = Record<Measurement, number | null>;

/** The measurements that the health score depends on. */
export type ScoredMeasurement = {
  [Name in Measurement]: Rows[Name]["isScored"] extends true ? Name : never;
}[Measurement];
/** The measurements that the API tells of. */
export type PublishedMeasurement = {
  [Name in Measurement]: Rows[Name]["published"] extends null ? never : Name;
}[Measurement];
/** What the hourly sums keep of the measurements. */
export type RolledUpMeasure = {
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
export type ReportedFields = { [Field in keyof Ranges]: z.output<Ranges[Field]> };

/** The sample of a report. */
export function sampleOf(reported: ReportedFields): Sample {
  return eachMeasurement((_, { name }) => reported[name as keyof ReportedFields]);
}

/** The measurements that `servers.latest_sample` holds. */
export type StoredSample = Partial<Record<Rows[Measurement]["name"], number | null>>;

const columns = measurementNames.map((name) => [name, MEASUREMENTS[name].name] as const);

/** Builds a sample from a stored one and its time (epoch ms). A sample from before a measurement existed lacks it. */
export function storedSampleOf(stored: StoredSample, ts: number): Sample & { ts: number } {
  const sample: Partial<Sample> & { ts: number } = { ts };
  for (const [name, column] of columns) sample[name] = stored[column] ?? null;
  return sample as Sample & { ts: number };
}

/** A measurement that the API and /metrics tell of. */
export type PublishedRow = { measurement: PublishedMeasurement; name: PublishedName; unit: Unit; published: Published };
export type PublishedName = Rows[PublishedMeasurement]["name"];

/** What the API and /metrics tell of a sample, in the order of the table. */
export const publishedRows: readonly PublishedRow[] = measurementNames.flatMap((measurement) => {
  const { name, unit, published }: Row = MEASUREMENTS[measurement];
  if (!published) return [];
  return [{ measurement, name, unit: UNITS[unit], published } as PublishedRow];
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

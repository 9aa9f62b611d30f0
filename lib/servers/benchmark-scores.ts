import type { BenchmarkScores } from "@/lib/servers/benchmarks";
import { type Curve, valueAt } from "@/lib/servers/curve";

/** What a benchmark measured; null where it did not. */
export type MeasuredBenchmark = {
  geekbench: { version: number; single: number; multi: number } | null;
  /** Cores times clock in GHz. Stands in for the CPU when it was not measured. */
  coreGhz: number | null;
  /** Operations of 4 KB per second, reading and writing mixed. */
  smallIops: number | null;
  /** Blocks of 1 MB, reading and writing mixed, in MB per second. */
  largeMbPerS: number | null;
  /** Medians over all places. */
  sentMbitPerS: number | null;
  receivedMbitPerS: number | null;
};

/** Points 0 to 100 by measurement, linear between the points. Geekbench is version 6. */
// biome-ignore format: a table reads by its rows
const BENCHMARK_CURVES = {
  geekbenchSingle: [[200, 0], [600, 25], [1000, 45], [1500, 65], [2000, 80], [3000, 100]],
  geekbenchMulti: [[300, 0], [1500, 25], [4000, 50], [8000, 75], [20_000, 100]],
  // At most 60, because the clock says little about the speed of a core.
  coreGhz: [[1, 5], [4, 20], [16, 40], [64, 60]],
  smallIops: [[500, 0], [5000, 20], [25_000, 45], [75_000, 70], [150_000, 85], [400_000, 100]],
  largeMbPerS: [[20, 0], [100, 20], [400, 45], [1000, 70], [2500, 90], [5000, 100]],
  mbitPerS: [[5, 0], [100, 30], [500, 60], [1000, 75], [5000, 92], [10_000, 100]],
} as const satisfies Record<string, Curve>;

/** An older Geekbench, in points of version 6, roughly. */
const GEEKBENCH_FACTORS: Readonly<Record<number, number>> = { 4: 0.32, 5: 1.35, 6: 1 };

/** Weights of the sections in the total. Stability is not measured by a benchmark. */
const BENCHMARK_WEIGHTS = { cpu: 40, disk: 35, network: 25 } as const;

/** The scores of a run: null for what was not measured, never zero; the total is the weighted mean of the rest. */
export function scoreBenchmark(measured: MeasuredBenchmark): BenchmarkScores {
  const { geekbench, coreGhz, smallIops, largeMbPerS, sentMbitPerS, receivedMbitPerS } = measured;
  const factor = geekbench === null ? undefined : GEEKBENCH_FACTORS[geekbench.version];
  const cpu =
    geekbench !== null && factor !== undefined
      ? mean([
          valueAt(BENCHMARK_CURVES.geekbenchSingle, geekbench.single * factor),
          valueAt(BENCHMARK_CURVES.geekbenchMulti, geekbench.multi * factor),
        ])
      : points(BENCHMARK_CURVES.coreGhz, coreGhz);
  const disk = mean([points(BENCHMARK_CURVES.smallIops, smallIops), points(BENCHMARK_CURVES.largeMbPerS, largeMbPerS)]);
  const network = mean([
    points(BENCHMARK_CURVES.mbitPerS, sentMbitPerS),
    points(BENCHMARK_CURVES.mbitPerS, receivedMbitPerS),
  ]);
  const sections = { cpu: rounded(cpu), disk: rounded(disk), network: rounded(network) };
  return { ...sections, stability: null, total: rounded(weightedMean(sections)) };
}

function weightedMean(sections: Record<keyof typeof BENCHMARK_WEIGHTS, number | null>): number | null {
  let [sum, weights] = [0, 0];
  for (const name of ["cpu", "disk", "network"] as const) {
    const score = sections[name];
    if (score === null) continue;
    sum += BENCHMARK_WEIGHTS[name] * score;
    weights += BENCHMARK_WEIGHTS[name];
  }
  return weights === 0 ? null : sum / weights;
}

function points(curve: Curve, value: number | null): number | null {
  return value === null ? null : valueAt(curve, value);
}

/** The mean of the values that are not null. */
function mean(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

import { decimal } from "@/lib/quantities";
import { durationText } from "@/lib/relative-time";
import { type Curve, valueAt } from "@/lib/servers/curve";
import type { Stability } from "@/lib/servers/stability";
import type { Sample, ScoredMeasurement } from "@/lib/servers/telemetry/measurements";
import { MINUTE, SECOND } from "@/lib/time";

export const COMPONENTS = ["cpu", "memory", "disk", "network", "stability", "freshness"] as const;
export type Component = (typeof COMPONENTS)[number];

/** Percent of the score. `score = round(Σ weight × component / 100)`, so anyone can recompute it. */
export const WEIGHTS: Readonly<Record<Component, number>> = {
  cpu: 20,
  memory: 20,
  disk: 20,
  network: 15,
  stability: 15,
  freshness: 10,
};

const FULL = 1000;
/** A component that nothing was reported for: proof neither of health nor of illness. */
const NOT_REPORTED = 500;
const OOM_CAP = 300;
const OOM_CAP_LASTS = 30 * MINUTE;
const MAX_NOTES = 8;

/** Component points by measurement. */
// biome-ignore format: a table reads by its rows
export const COMPONENT_CURVES = {
  cpuPct: [[60, 1000], [75, 850], [85, 600], [95, 250], [100, 0]],
  memoryPct: [[70, 1000], [80, 850], [90, 500], [95, 250], [98, 50], [100, 0]],
  diskPct: [[70, 1000], [80, 800], [90, 400], [95, 150], [98, 0]],
  lossPct: [[0.1, 1000], [0.5, 850], [1, 700], [2, 500], [5, 200], [10, 0]],
  retransmitPct: [[1, 1000], [2, 850], [5, 500], [10, 200], [20, 0]],
  coveragePct: [[80, 0], [90, 250], [95, 500], [99, 850], [99.5, 950], [100, 1000]],
  lastSeenSeconds: [[30, 1000], [60, 900], [120, 600], [300, 200], [900, 0]],
} as const satisfies Record<string, Curve>;

/** Points taken off a component; of the three for the CPU only the largest. */
// biome-ignore format: a table reads by its rows
export const DEDUCTION_CURVES = {
  stealPct: [[2, 0], [5, 200], [10, 450], [20, 800]],
  iowaitPct: [[10, 0], [20, 100], [40, 300], [60, 500]],
  loadPerCore: [[1, 0], [1.5, 100], [3, 300], [5, 500]],
  swapPct: [[20, 0], [50, 100], [80, 250]],
} as const satisfies Record<string, Curve>;

/** Points taken off stability for each event of the last 24 hours, and at most in all. */
export const STABILITY_DEDUCTIONS = {
  reboots: { each: 100, most: 400 },
  oomKills: { each: 150, most: 300 },
  failedUnits: { each: 100, most: 300 },
} as const;

/** What is left of the four measured components as their sample grows old, by its age in seconds. */
export const STALENESS: Curve = [
  [120, 1],
  [900, 0],
];

/** What a score depends on of a telemetry sample; null where the daemon did not measure. `ts` is in epoch milliseconds. */
export type Measurements = { ts: number } & Pick<Sample, ScoredMeasurement>;

export type HealthFacts = {
  /** Epoch milliseconds; null when the daemon never checked in. */
  lastSeenAt: number | null;
  cores: number | null;
  sample: Measurements | null;
  stability: Stability | null;
};

export type Score = {
  /** 0 to 1000, higher is healthier (contract 2.2). */
  score: number;
  /** Each 0 to 1000 (contract 2.3). */
  components: Record<Component, number>;
};

export type Health = Score & {
  /** Worst first, at most eight; each with what was measured, where full score ends, and the points it costs. */
  notes: string[];
  /** Why each component is below full score, in words without a full stop; empty at full score. */
  causes: Record<Component, string[]>;
};

/** Why a component is below full score; put into words only where the words are wanted. */
type Reason = () => string;
/** One component before rounding. */
type Rating = { points: number; reasons: readonly Reason[] };
type Ratings = Record<Component, Rating>;

const NO_REASONS: readonly Reason[] = [];
const NO_DEDUCTION: Rating = { points: 0, reasons: NO_REASONS };
const NOTHING_REPORTED: Rating = { points: NOT_REPORTED, reasons: [() => "not reported, counted as 500"] };

/** The health of a server at `now` (epoch ms). Pure: the same facts and time give the same result everywhere. */
export function rateHealth(facts: HealthFacts, now: number): Health {
  const ratings = rate(facts, now);
  const score = scoreRatings(ratings);
  return { ...score, notes: writeNotes(ratings, score.components, facts), causes: writeCauses(ratings) };
}

/** As `rateHealth`, without the notes: for lists, which show none. */
export function scoreHealth(facts: HealthFacts, now: number): Score {
  return scoreRatings(rate(facts, now));
}

function rate(facts: HealthFacts, now: number): Ratings {
  const { sample } = facts;
  return {
    cpu: measured(sample, now, (s) => rateCpu(s, facts.cores)),
    memory: measured(sample, now, (s) => rateMemory(s, facts.stability?.lastOomAt ?? null, now)),
    disk: measured(sample, now, rateDisk),
    network: measured(sample, now, rateNetwork),
    stability: rateStability(facts.stability),
    freshness: rateFreshness(facts.lastSeenAt, now),
  };
}

function scoreRatings({ cpu, memory, disk, network, stability, freshness }: Ratings): Score {
  const components = {
    cpu: component(cpu),
    memory: component(memory),
    disk: component(disk),
    network: component(network),
    stability: component(stability),
    freshness: component(freshness),
  };
  return { score: scoreOf(components), components };
}

function component({ points }: Rating): number {
  return Math.round(clamp(points));
}

/** The published formula (contract 2.3: six weighted components). */
export function scoreOf(components: Readonly<Record<Component, number>>): number {
  let sum = 0;
  for (const name of COMPONENTS) sum += WEIGHTS[name] * components[name];
  return Math.round(sum / 100);
}

/** A component that rests on the sample: rated, then faded with the sample's age. */
function measured(sample: Measurements | null, now: number, rate: (sample: Measurements) => Rating | null): Rating {
  const rating = sample && rate(sample);
  if (!sample || !rating) return NOTHING_REPORTED;
  const age = Math.max(0, now - sample.ts);
  const factor = valueAt(STALENESS, age / SECOND);
  if (factor === 1) return rating;
  return {
    points: clamp(rating.points) * factor,
    reasons: [
      ...rating.reasons,
      () => `measured ${durationText(age)} ago (counts fully for ${durationText(2 * MINUTE)})`,
    ],
  };
}

function rateCpu(sample: Measurements, cores: number | null): Rating | null {
  if (sample.cpuPct === null) return null;
  const base = term(
    COMPONENT_CURVES.cpuPct,
    sample.cpuPct,
    (value, limit) => `${value} % busy (full score up to ${limit} %)`,
  );
  const loadPerCore = sample.load5 !== null && cores ? sample.load5 / cores : null;
  const deductions = [
    deduction(
      DEDUCTION_CURVES.stealPct,
      sample.cpuStealPct,
      (v, limit) => `${v} % stolen by other guests of the host (free up to ${limit} %)`,
    ),
    deduction(
      DEDUCTION_CURVES.iowaitPct,
      sample.cpuIowaitPct,
      (v, limit) => `${v} % waiting for disks (free up to ${limit} %)`,
    ),
    deduction(DEDUCTION_CURVES.loadPerCore, loadPerCore, (v, limit) => `load ${v} per core (free up to ${limit})`),
  ];
  const largest = deductions.reduce((a, b) => (b.points > a.points ? b : a));
  return { points: base.points - largest.points, reasons: [...base.reasons, ...largest.reasons] };
}

function rateMemory(sample: Measurements, lastOomAt: number | null, now: number): Rating | null {
  if (sample.memUsedMb === null || !sample.memTotalMb) return null;
  const usedPct = (sample.memUsedMb / sample.memTotalMb) * 100;
  const base = term(COMPONENT_CURVES.memoryPct, usedPct, (v, limit) => `${v} % used (full score up to ${limit} %)`);
  const swap = deduction(
    DEDUCTION_CURVES.swapPct,
    sample.swapUsedPct,
    (v, limit) => `${v} % of swap used (free up to ${limit} %)`,
  );
  const points = base.points - swap.points;
  const reasons = [...base.reasons, ...swap.reasons];
  const isOutOfMemory = (sample.oomKills ?? 0) > 0 || (lastOomAt !== null && now - lastOomAt < OOM_CAP_LASTS);
  if (!isOutOfMemory) return { points, reasons };
  return {
    points: Math.min(points, OOM_CAP),
    reasons: [
      ...reasons,
      () => `a process was killed for lack of memory within ${durationText(OOM_CAP_LASTS)} (at most ${OOM_CAP} then)`,
    ],
  };
}

function rateDisk(sample: Measurements): Rating | null {
  if (sample.diskUsedPct === null) return null;
  return term(COMPONENT_CURVES.diskPct, sample.diskUsedPct, (v, limit) => `${v} % full (full score up to ${limit} %)`);
}

function rateNetwork(sample: Measurements): Rating | null {
  const ratings: Rating[] = [];
  if (sample.netLossPct !== null) {
    ratings.push(
      term(
        COMPONENT_CURVES.lossPct,
        sample.netLossPct,
        (v, limit) => `${v} % of packets lost (full score up to ${limit} %)`,
      ),
    );
  }
  if (sample.netRetransmitPct !== null) {
    ratings.push(
      term(
        COMPONENT_CURVES.retransmitPct,
        sample.netRetransmitPct,
        (v, limit) => `${v} % retransmitted (full score up to ${limit} %)`,
      ),
    );
  }
  return ratings.reduce<Rating | null>(
    (worst, rating) => (worst && worst.points <= rating.points ? worst : rating),
    null,
  );
}

function rateStability(stability: Stability | null): Rating {
  if (!stability) return NOTHING_REPORTED;
  const coverage = term(
    COMPONENT_CURVES.coveragePct,
    stability.coveragePct,
    (v) => `${v} % of check-ins received in 24 hours (full score at 100 %)`,
  );
  const events = [
    perEvent(STABILITY_DEDUCTIONS.reboots, stability.reboots, "restart in 24 hours", "restarts in 24 hours"),
    perEvent(
      STABILITY_DEDUCTIONS.oomKills,
      stability.oomKills,
      "process killed for lack of memory in 24 hours",
      "processes killed for lack of memory in 24 hours",
    ),
    perEvent(
      STABILITY_DEDUCTIONS.failedUnits,
      stability.failedUnits,
      "failed system service",
      "failed system services",
    ),
  ];
  return events.reduce(
    (sum, event) => ({ points: sum.points - event.points, reasons: [...sum.reasons, ...event.reasons] }),
    coverage,
  );
}

function rateFreshness(lastSeenAt: number | null, now: number): Rating {
  if (lastSeenAt === null) return NOTHING_REPORTED;
  const age = Math.max(0, now - lastSeenAt);
  return term(
    COMPONENT_CURVES.lastSeenSeconds,
    age / SECOND,
    (_, limit) => `last check-in ${durationText(age)} ago (full score up to ${limit} seconds)`,
  );
}

/** Points on a curve, and a reason unless they are full. The limit in the reason is where full score ends. */
function term(curve: Curve, value: number, describe: (value: string, limit: string) => string): Rating {
  const points = valueAt(curve, value);
  if (points >= FULL) return { points, reasons: NO_REASONS };
  return { points, reasons: [() => describe(decimal(value), decimal(curve[0]?.[0] ?? 0))] };
}

/** As `term`, for points to be taken off; nothing measured takes nothing. */
function deduction(curve: Curve, value: number | null, describe: (value: string, limit: string) => string): Rating {
  const points = value === null ? 0 : valueAt(curve, value);
  if (value === null || points === 0) return NO_DEDUCTION;
  return { points, reasons: [() => describe(decimal(value), decimal(curve[0]?.[0] ?? 0))] };
}

function perEvent({ each, most }: { each: number; most: number }, count: number, one: string, many: string): Rating {
  if (count === 0) return NO_DEDUCTION;
  return { points: Math.min(most, each * count), reasons: [() => `${count} ${count === 1 ? one : many}`] };
}

/** The names of the components in sentences. */
export const LABELS: Readonly<Record<Component, string>> = {
  cpu: "CPU",
  memory: "Memory",
  disk: "Disk",
  network: "Network",
  stability: "Stability",
  freshness: "Freshness",
};

function writeNotes(ratings: Ratings, components: Record<Component, number>, facts: HealthFacts): string[] {
  const lostBy = (name: Component) => (WEIGHTS[name] * (FULL - components[name])) / 100;
  const notes: { lost: number; text: string }[] = [];
  const add = (names: readonly Component[], text: string) => {
    const lost = names.reduce((sum, name) => sum + lostBy(name), 0);
    if (lost > 0) notes.push({ lost, text: `${text}; costs ${pointsText(lost)}.` });
  };
  const unknown: Component[] = facts.sample ? [] : ["cpu", "memory", "disk", "network"];
  if (!facts.sample) add(unknown, "No telemetry sample has arrived yet: CPU, memory, disk and network count 500 each");
  for (const name of COMPONENTS) {
    if (!unknown.includes(name))
      add([name], `${LABELS[name]}: ${ratings[name].reasons.map((reason) => reason()).join(", ")}`);
  }
  if (notes.length === 0) return ["All six components are at full score."];
  return notes
    .sort((a, b) => b.lost - a.lost)
    .slice(0, MAX_NOTES)
    .map((note) => note.text);
}

function writeCauses(ratings: Ratings): Record<Component, string[]> {
  const causes = {} as Record<Component, string[]>;
  for (const name of COMPONENTS) causes[name] = ratings[name].reasons.map((reason) => reason());
  return causes;
}

function pointsText(points: number): string {
  const rounded = Math.round(points);
  if (rounded === 0) return "less than a point";
  return rounded === 1 ? "1 point" : `${rounded} points`;
}

function clamp(points: number): number {
  return Math.min(FULL, Math.max(0, points));
}

import { decimal } from "@/lib/format/quantities";
import { durationText } from "@/lib/format/relative-time";
import { MINUTE, SECOND } from "@/lib/format/time";
import { type Curve, valueAt } from "@/lib/servers/curve";
import type { Stability } from "@/lib/servers/stability";
import type { Sample, ScoredMeasurement } from "@/lib/servers/telemetry/measurements";

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

export const FULL = 1000;
/** Points of a component without any measurement. The middle, because its state is unknown. */
export const NOT_REPORTED = 500;
/** The most points of memory for so long after a process was killed for lack of it. */
export const OOM_CAP = 300;
export const OOM_CAP_LASTS = 30 * MINUTE;
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

/** Points taken off a component. Only the largest of the three CPU deductions applies. */
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

/** The factor on the four measured components, by the age of their sample in seconds. */
export const STALENESS: Curve = [
  [120, 1],
  [900, 0],
];

/** The measurements of a sample that the score depends on. Null: not measured. `ts` is in epoch milliseconds. */
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
  /** Why each component is below full score; empty at full score. */
  causes: Record<Component, Cause[]>;
};

/** What can take points off a component. */
export type CauseKind =
  | "notReported"
  | "old"
  | "busy"
  | "stolen"
  | "waiting"
  | "loaded"
  | "used"
  | "swapped"
  | "outOfMemory"
  | "full"
  | "lost"
  | "retransmitted"
  | "silent"
  | "restarts"
  | "oomKills"
  | "failedUnits"
  | "lateCheckIn";

/** Why a component is below full score: in words without a full stop, and the points of the component that it takes. */
export type Cause = { kind: CauseKind; text: string; lost: number };

/** Says why points are missing: what was measured, and where full score ends. */
type Describe = (value: string, limit: string) => string;
/** Collects the reasons why a component is below full score. Null for lists, which show no reasons. */
type Reasons = Cause[] | null;
/** The reasons of each component. */
type ReasonsOf = Record<Component, Cause[]>;

/** The health of a server at `now` (epoch ms). Pure: the same facts and time give the same result everywhere. */
export function rateHealth(facts: HealthFacts, now: number): Health {
  const reasons: ReasonsOf = { cpu: [], memory: [], disk: [], network: [], stability: [], freshness: [] };
  const score = rate(facts, now, reasons);
  return { ...score, notes: writeNotes(reasons, score.components, facts), causes: reasons };
}

/** As `rateHealth`, without the notes: for lists, which show none. */
export function scoreHealth(facts: HealthFacts, now: number): Score {
  return rate(facts, now, null);
}

function rate(facts: HealthFacts, now: number, reasons: ReasonsOf | null): Score {
  const { sample, stability, lastSeenAt, cores } = facts;
  const age = sample ? Math.max(0, now - sample.ts) : 0;
  const freshness = valueAt(STALENESS, age / SECOND);
  const components = {
    cpu: faded(sample && rateCpu(sample, cores, reasons?.cpu ?? null), freshness, age, reasons?.cpu ?? null),
    memory: faded(
      sample && rateMemory(sample, stability?.lastOomAt ?? null, now, reasons?.memory ?? null),
      freshness,
      age,
      reasons?.memory ?? null,
    ),
    disk: faded(sample && rateDisk(sample, reasons?.disk ?? null), freshness, age, reasons?.disk ?? null),
    network: faded(sample && rateNetwork(sample, reasons?.network ?? null), freshness, age, reasons?.network ?? null),
    stability: component(rateStability(stability, reasons?.stability ?? null)),
    freshness: component(rateFreshness(lastSeenAt, now, reasons?.freshness ?? null)),
  };
  return { score: scoreOf(components), components };
}

function component(points: number): number {
  return Math.round(clamp(points));
}

/** The published formula (contract 2.3: six weighted components). */
export function scoreOf(components: Readonly<Record<Component, number>>): number {
  let sum = 0;
  for (const name of COMPONENTS) sum += WEIGHTS[name] * components[name];
  return Math.round(sum / 100);
}

/** Reduces the points of a component by the age of its sample. Null points: not measured. */
function faded(points: number | null, factor: number, age: number, reasons: Reasons): number {
  if (points === null) return notReported(reasons);
  if (factor === 1) return component(points);
  reasons?.push({
    kind: "old",
    text: `measured ${durationText(age)} ago (counts fully for ${durationText(2 * MINUTE)})`,
    lost: clamp(points) * (1 - factor),
  });
  return component(clamp(points) * factor);
}

function notReported(reasons: Reasons): number {
  reasons?.push({ kind: "notReported", text: `not reported, counted as ${NOT_REPORTED}`, lost: FULL - NOT_REPORTED });
  return NOT_REPORTED;
}

const busy: Describe = (value, limit) => `${value} % busy (full score up to ${limit} %)`;
const stolen: Describe = (value, limit) => `${value} % stolen by other guests of the host (free up to ${limit} %)`;
const waiting: Describe = (value, limit) => `${value} % waiting for disks (free up to ${limit} %)`;
const loaded: Describe = (value, limit) => `load ${value} per core (free up to ${limit})`;

function rateCpu(sample: Measurements, cores: number | null, reasons: Reasons): number | null {
  if (sample.cpuPct === null) return null;
  const points = term("busy", COMPONENT_CURVES.cpuPct, sample.cpuPct, busy, reasons);
  const loadPerCore = sample.load5 !== null && cores ? sample.load5 / cores : null;
  const steal = deduction(DEDUCTION_CURVES.stealPct, sample.cpuStealPct);
  const iowait = deduction(DEDUCTION_CURVES.iowaitPct, sample.cpuIowaitPct);
  const load = deduction(DEDUCTION_CURVES.loadPerCore, loadPerCore);
  const largest = Math.max(steal, iowait, load);
  if (reasons && largest > 0) {
    const explainLoss = explain.bind(null, reasons, largest);
    if (largest === steal) explainLoss("stolen", DEDUCTION_CURVES.stealPct, sample.cpuStealPct, stolen);
    else if (largest === iowait) explainLoss("waiting", DEDUCTION_CURVES.iowaitPct, sample.cpuIowaitPct, waiting);
    else explainLoss("loaded", DEDUCTION_CURVES.loadPerCore, loadPerCore, loaded);
  }
  return points - largest;
}

const used: Describe = (value, limit) => `${value} % used (full score up to ${limit} %)`;
const swapped: Describe = (value, limit) => `${value} % of swap used (free up to ${limit} %)`;

function rateMemory(sample: Measurements, lastOomAt: number | null, now: number, reasons: Reasons): number | null {
  if (sample.memUsedMb === null || !sample.memTotalMb) return null;
  const usedPct = (sample.memUsedMb / sample.memTotalMb) * 100;
  const base = term("used", COMPONENT_CURVES.memoryPct, usedPct, used, reasons);
  const swap = deduction(DEDUCTION_CURVES.swapPct, sample.swapUsedPct);
  if (swap > 0) explain(reasons, swap, "swapped", DEDUCTION_CURVES.swapPct, sample.swapUsedPct, swapped);
  const isOutOfMemory = (sample.oomKills ?? 0) > 0 || (lastOomAt !== null && now - lastOomAt < OOM_CAP_LASTS);
  if (!isOutOfMemory) return base - swap;
  reasons?.push({
    kind: "outOfMemory",
    text: `a process was killed for lack of memory within ${durationText(OOM_CAP_LASTS)} (at most ${OOM_CAP} then)`,
    lost: Math.max(0, clamp(base - swap) - OOM_CAP),
  });
  return Math.min(base - swap, OOM_CAP);
}

const full: Describe = (value, limit) => `${value} % full (full score up to ${limit} %)`;

function rateDisk(sample: Measurements, reasons: Reasons): number | null {
  if (sample.diskUsedPct === null) return null;
  return term("full", COMPONENT_CURVES.diskPct, sample.diskUsedPct, full, reasons);
}

const lost: Describe = (value, limit) => `${value} % of packets lost (full score up to ${limit} %)`;
const retransmitted: Describe = (value, limit) => `${value} % retransmitted (full score up to ${limit} %)`;

/** The worse of the two measurements decides. */
function rateNetwork({ netLossPct, netRetransmitPct }: Measurements, reasons: Reasons): number | null {
  if (netLossPct === null && netRetransmitPct === null) return null;
  const loss = netLossPct === null ? Infinity : valueAt(COMPONENT_CURVES.lossPct, netLossPct);
  const retransmit = netRetransmitPct === null ? Infinity : valueAt(COMPONENT_CURVES.retransmitPct, netRetransmitPct);
  const points = Math.min(loss, retransmit);
  if (points < FULL) {
    const explainLoss = explain.bind(null, reasons, FULL - points);
    if (loss <= retransmit) explainLoss("lost", COMPONENT_CURVES.lossPct, netLossPct, lost);
    else explainLoss("retransmitted", COMPONENT_CURVES.retransmitPct, netRetransmitPct, retransmitted);
  }
  return points;
}

const received: Describe = (value) => `${value} % of check-ins received in 24 hours (full score at 100 %)`;

type ScoredEvent = {
  count: "reboots" | "oomKills" | "failedUnits";
  kind: CauseKind;
  one: string;
  many: string;
  each: number;
  most: number;
};

const EVENTS: readonly ScoredEvent[] = [
  {
    count: "reboots",
    kind: "restarts",
    one: "restart in 24 hours",
    many: "restarts in 24 hours",
    ...STABILITY_DEDUCTIONS.reboots,
  },
  {
    count: "oomKills",
    kind: "oomKills",
    one: "process killed for lack of memory in 24 hours",
    many: "processes killed for lack of memory in 24 hours",
    ...STABILITY_DEDUCTIONS.oomKills,
  },
  {
    count: "failedUnits",
    kind: "failedUnits",
    one: "failed system service",
    many: "failed system services",
    ...STABILITY_DEDUCTIONS.failedUnits,
  },
];

function rateStability(stability: Stability | null, reasons: Reasons): number {
  if (!stability) return notReported(reasons);
  const { coveragePct } = stability;
  const points = term("silent", COMPONENT_CURVES.coveragePct, coveragePct, received, reasons);
  return EVENTS.reduce((left, event) => left - perEvent(event, stability[event.count], reasons), points);
}

function rateFreshness(lastSeenAt: number | null, now: number, reasons: Reasons): number {
  if (lastSeenAt === null) return notReported(reasons);
  const age = Math.max(0, now - lastSeenAt);
  const points = valueAt(COMPONENT_CURVES.lastSeenSeconds, age / SECOND);
  if (points < FULL) {
    reasons?.push({
      kind: "lateCheckIn",
      text: `last check-in ${durationText(age)} ago (full score up to ${decimal(fullUpTo(COMPONENT_CURVES.lastSeenSeconds))} seconds)`,
      lost: FULL - points,
    });
  }
  return points;
}

/** Points on a curve, and a reason unless they are full. */
function term(kind: CauseKind, curve: Curve, value: number, describe: Describe, reasons: Reasons): number {
  const points = valueAt(curve, value);
  if (points < FULL) explain(reasons, FULL - points, kind, curve, value, describe);
  return points;
}

/** The points to take off. 0 when there is no measurement. */
function deduction(curve: Curve, value: number | null): number {
  return value === null ? 0 : valueAt(curve, value);
}

function explain(
  reasons: Reasons,
  lost: number,
  kind: CauseKind,
  curve: Curve,
  value: number | null,
  describe: Describe,
): void {
  if (value !== null) reasons?.push({ kind, text: describe(decimal(value), decimal(fullUpTo(curve))), lost });
}

/** Where full score ends. */
function fullUpTo(curve: Curve): number {
  return curve[0]?.[0] ?? 0;
}

function perEvent({ kind, one, many, each, most }: ScoredEvent, count: number, reasons: Reasons): number {
  if (count === 0) return 0;
  const lost = Math.min(most, each * count);
  reasons?.push({ kind, text: `${count} ${count === 1 ? one : many}`, lost });
  return lost;
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

function writeNotes(reasons: ReasonsOf, components: Record<Component, number>, facts: HealthFacts): string[] {
  const lostBy = (name: Component) => (WEIGHTS[name] * (FULL - components[name])) / 100;
  const notes: { lost: number; text: string }[] = [];
  const add = (names: readonly Component[], text: string) => {
    const lost = names.reduce((sum, name) => sum + lostBy(name), 0);
    if (lost > 0) notes.push({ lost, text: `${text}; costs ${pointsText(lost)}.` });
  };
  const unknown: Component[] = facts.sample ? [] : ["cpu", "memory", "disk", "network"];
  if (!facts.sample) add(unknown, "No telemetry sample has arrived yet: CPU, memory, disk and network count 500 each");
  for (const name of COMPONENTS) {
    if (!unknown.includes(name)) add([name], `${LABELS[name]}: ${reasons[name].map(({ text }) => text).join(", ")}`);
  }
  if (notes.length === 0) return ["All six components are at full score."];
  return notes
    .sort((a, b) => b.lost - a.lost)
    .slice(0, MAX_NOTES)
    .map((note) => note.text);
}

function pointsText(points: number): string {
  const rounded = Math.round(points);
  if (rounded === 0) return "less than a point";
  return rounded === 1 ? "1 point" : `${rounded} points`;
}

function clamp(points: number): number {
  return Math.min(FULL, Math.max(0, points));
}

import { randomOf } from "@/e2e/support/random-histories";
import { MINUTE, SECOND } from "@/lib/format/time";
import type { ConditionEvent } from "@/lib/servers/events/conditions";

// Random histories of what one server measured, and a model that says what has to be told of them.

export type Measured = { at: number; score: number; isFull: boolean };

/** Three hours of samples: scores and a disk that stay what they are for a while, and silences. */
export function measuredOf(seed: number): Measured[] {
  const random = randomOf(seed);
  const samples: Measured[] = [];
  let [score, isFull, scoreUntil, diskUntil] = [900, false, 0, 0];
  for (let at = 0; at < 180 * MINUTE; at += 30 * SECOND) {
    if (at >= scoreUntil) {
      score = [900, 700, 400][Math.floor(random() * 3)] ?? 900;
      scoreUntil = at + random() ** 2 * 25 * MINUTE;
    }
    if (at >= diskUntil) {
      isFull = random() < 0.5;
      diskUntil = at + random() ** 2 * 40 * MINUTE;
    }
    if (random() < 0.01) at += Math.floor(random() * 20) * 30 * SECOND;
    samples.push({ at, score, isFull });
  }
  return samples;
}

const LOST = 2.5 * MINUTE;
const HEARD = 2 * MINUTE;

type Held = { kind: string; from: number; to: number | null };

/** What has to be told, each from what was measured until then. */
function modelOf(samples: readonly Measured[]): Held[] {
  const all: Held[] = [];
  const first = samples.map((_, index) => {
    let begin = index;
    while (begin > 0 && (samples[begin]?.at ?? 0) - (samples[begin - 1]?.at ?? 0) <= LOST) begin--;
    return begin;
  });
  /** Since when it has been so, up to a sample; null: it is not so there. Back to the first sample that counts. */
  const heldSince = (index: number, from: number, is: (sample: Measured) => boolean): number | null => {
    let since: number | null = null;
    for (let back = index; back >= from; back--) {
      const sample = samples[back];
      if (!sample || !is(sample)) break;
      since = sample.at;
    }
    return since;
  };
  let level = null as Held | null;
  let disk: Held | null = null;
  let floor = 0;
  for (const [index, { at }] of samples.entries()) {
    const begin = first[index] ?? 0;
    const holds = (minutes: number, from: number, is: (sample: Measured) => boolean) => {
      const since = heldSince(index, from, is);
      return since !== null && at - since >= minutes * MINUTE ? since : null;
    };
    if (begin === index && index > 0) {
      if (level) level.to = (samples[index - 1]?.at ?? 0) + HEARD;
      level = null;
    }
    const calm: number | null =
      level && holds(10, begin, ({ score }) => score >= (level?.kind === "critical" ? 500 : 800));
    if (level && calm !== null) {
      level.to = calm;
      level = null;
      floor = calm;
    }
    const critical: number | null = level?.kind === "critical" ? null : holds(10, begin, ({ score }) => score < 500);
    const strained = holds(10, begin, (sample) => sample.score < 800 && sample.at >= floor);
    if (critical !== null) {
      if (level) level.to = critical;
      level = { kind: "critical", from: critical, to: null };
      all.push(level);
    } else if (level === null && strained !== null) {
      level = { kind: "strained", from: strained, to: null };
      all.push(level);
    }
    const full = holds(15, begin, ({ isFull }) => isFull);
    const free = holds(15, begin, ({ isFull }) => !isFull);
    if (disk && free !== null) {
      disk.to = free;
      disk = null;
    } else if (disk === null && full !== null) {
      disk = { kind: "disk_full", from: full, to: null };
      all.push(disk);
    }
  }
  return all;
}

/** The first thing in which events are not what the model says of these samples. Null: there is none. */
export function differenceOfConditions(samples: readonly Measured[], events: readonly ConditionEvent[]): string | null {
  const text = (all: readonly Held[]) => all.map(({ kind, from, to }) => `${kind} ${from} to ${to}`).sort();
  const [wanted, found] = [text(modelOf(samples)), text(events)];
  const index = wanted.findIndex((event, place) => event !== found[place]);
  if (index < 0 && wanted.length === found.length) return null;
  return `${found[Math.max(index, 0)]}, not ${wanted[Math.max(index, 0)]}`;
}

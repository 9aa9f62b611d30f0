import { MINUTE, SECOND } from "@/lib/format/time";
import { blindTimes } from "@/lib/servers/events/presence";
import {
  type EndedSilence,
  endedSilence,
  openSilence,
  SILENCE_KINDS,
  type SilenceEvent,
  type SilenceKind,
  type Span,
  silenceAfter,
  silencesAt,
  withBlindTimes,
  withProof,
} from "@/lib/servers/events/silence";
import { uptimeOf, withoutMaintenance } from "@/lib/servers/events/uptime";

// Random histories of one server in simulated time, a model that says what they were, and a store in memory that plays them
// through the product's functions.

/** `now` is what the console's clock shows. Two instances take steps in turn, a second apart. */
type Step = { what: "present" | "watch"; now: number } | { what: "check-in"; now: number; sampledAt: number };

const BEGIN = Date.parse("2026-01-01T00:00:00Z");
const LENGTH = 24 * MINUTE;
const TICK = 5 * SECOND;

/** Machines that are off, networks that are cut, consoles that are away, and clocks that step, from one number. */
export function historyOf(seed: number, begin = BEGIN): Step[] {
  const random = randomOf(seed);
  const times = (most: number, longest: number) =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, () => {
      const from = Math.floor(random() * (LENGTH / SECOND)) * SECOND;
      return { from, to: from + Math.ceil((random() * longest) / SECOND) * SECOND };
    });
  const [isOff, isCut, isAway, isAlone] = [
    times(2, 8 * MINUTE),
    times(2, 8 * MINUTE),
    times(2, 4 * MINUTE),
    times(1, LENGTH),
  ];
  const stepsOfClock = times(1, 1).map(({ from }) => ({ from, by: Math.round((random() - 0.4) * 20) * MINUTE }));
  const within = (spans: readonly { from: number; to: number }[], time: number) =>
    spans.some(({ from, to }) => time >= from && time < to);
  const phase = Math.floor(random() * 6) * TICK;
  const steps: Step[] = [];
  let spool: number[] = [];
  for (let time = 0; time < LENGTH; time += TICK) {
    const clock = begin + time + stepsOfClock.reduce((sum, { from, by }) => sum + (time >= from ? by : 0), 0);
    const isThere = !within(isAway, time);
    const measures = !within(isOff, time) && time % (30 * SECOND) === phase;
    if (measures) spool.push(clock);
    if (measures && isThere && !within(isCut, time)) {
      // What waited comes along, the newest first, a few at a time; some of it twice.
      const sent = spool.splice(-4);
      if (random() < 0.1) sent.push(...sent);
      for (const sampledAt of sent.reverse()) steps.push({ what: "check-in", sampledAt, now: clock + 100 });
    }
    spool = spool.slice(-40);
    if (!isThere) continue;
    if (time % (2 * TICK) === 0) steps.push({ what: "present", now: clock });
    else if (!within(isAlone, time)) steps.push({ what: "present", now: clock + SECOND });
    if (random() < 0.3) steps.push({ what: "watch", now: clock + 200 });
    if (random() < 0.1) steps.push({ what: "watch", now: clock + SECOND });
  }
  // The last looks of the watch, so that nothing is left to correct.
  const end = Math.max(...steps.map(({ now }) => now), begin);
  return [...steps, { what: "present", now: end + SECOND }, { what: "watch", now: end + SECOND }];
}

// The model: what each moment was, from the history alone.

const ONLINE = 2 * MINUTE;
const LATE = MINUTE;

/** What a moment was: up, or the kind of silence. Null: before the first check-in. */
function modelOf(steps: readonly Step[], end: number): (time: number) => SilenceKind | "up" | null {
  const blind: { from: number; to: number }[] = [];
  const heard: number[] = [];
  const proven: number[] = [];
  const stored = new Set<number>();
  let last: number | null = null;
  for (const step of steps) {
    if (step.what === "present") {
      if (last !== null && step.now - last > 30 * SECOND) blind.push({ from: last, to: step.now });
      if (last !== null && last - step.now > MINUTE) blind.push({ from: step.now, to: last });
      last = last === null || last - step.now > MINUTE ? step.now : Math.max(last, step.now);
    }
    if (step.what !== "check-in" || stored.has(step.sampledAt)) continue;
    stored.add(step.sampledAt);
    if (step.now > Math.max(...heard, Number.NEGATIVE_INFINITY)) heard.push(step.now);
    if (step.now - step.sampledAt > LATE) proven.push(step.sampledAt);
  }
  return (time) => {
    const seen = heard.findLast((at) => at <= time);
    if (seen === undefined || time >= end) return null;
    if (time < seen + ONLINE) return "up";
    if (blind.some(({ from, to }) => time >= from && time < to + ONLINE)) return "unknown";
    if (proven.some((at) => time >= at && time < at + ONLINE && time < (heard.at(-1) ?? 0))) return "unreachable";
    return "offline";
  };
}

/**
 * The first moment at which events are not what the model says, or at which two of them overlap; or what their uptime has of
 * another length than the model. Null: nothing.
 */
export function findDifference(steps: readonly Step[], events: readonly SilenceEvent[], end: number): string | null {
  const model = modelOf(steps, end);
  const edges = steps.flatMap((step) => [
    step.now,
    step.now + ONLINE,
    ...("sampledAt" in step ? [step.sampledAt, step.sampledAt + ONLINE] : []),
  ]);
  const kinds = new Map<number, SilenceKind | "up" | null>();
  for (const edge of [...edges, ...events.flatMap(({ from, to }) => [from, to ?? end])]) {
    for (const time of [edge - 1, edge]) {
      const wanted = model(time);
      kinds.set(time, wanted);
      if (wanted === null) continue;
      const found = events.filter(({ from, to }) => time >= from && time < (to ?? end)).map(({ kind }) => kind);
      if (found.join() !== (wanted === "up" ? "" : wanted)) return `at ${time}: ${found.join() || "up"}, not ${wanted}`;
    }
  }
  const spent = { offline: 0, unknown: 0, unreachable: 0 };
  const times = [...kinds.keys()].sort((a, b) => a - b);
  for (const [index, time] of times.entries()) {
    const kind = kinds.get(time);
    if (kind && kind !== "up") spent[kind] += (times[index + 1] ?? time) - time;
  }
  const uptime = uptimeOf(withoutMaintenance(events, []), times[0] ?? end, end);
  const wrong = SILENCE_KINDS.find((kind) => uptime[kind] !== spent[kind]);
  return wrong === undefined ? null : `${uptime[wrong]} ms ${wrong}, not ${spent[wrong]}`;
}

/** What the tables hold, in memory; for one server. */
export class SimulatedStore {
  lastSeenAt: number | null = null;
  #until: number | null = null;
  #blind: { from: number; to: number; isSettled: boolean }[] = [];
  #events: SilenceEvent[] = [];
  #samples = new Set<number>();

  take(step: Step): void {
    if (step.what === "check-in") this.#checkIn(step.sampledAt, step.now);
    else if (step.what === "present") this.#present(step.now);
    else this.#watch(step.now);
  }

  eventsAt(now: number): SilenceEvent[] {
    return this.lastSeenAt === null ? [] : silencesAt(this.#events, this.lastSeenAt, this.#blindAt(now), now);
  }

  #blindAt(now: number): Span[] {
    return blindTimes(
      this.#blind.map(({ from, to }) => [from, to] as const),
      this.#until,
      now,
    );
  }

  #present(now: number): void {
    const until = this.#until;
    if (until !== null && (now - until > 30 * SECOND || until - now > MINUTE)) {
      this.#blind.push({ from: Math.min(until, now), to: Math.max(until, now), isSettled: false });
    }
    this.#until = until === null || until - now > MINUTE ? now : Math.max(until, now);
  }

  #checkIn(sampledAt: number, now: number): void {
    if (this.#samples.has(sampledAt)) return;
    this.#samples.add(sampledAt);
    const silence = this.lastSeenAt === null ? null : silenceAfter(this.lastSeenAt, now);
    const ended = silence ? endedSilence(silence, this.#blindAt(now)) : [];
    const kept = this.#events.filter(({ from, to }) => to !== null && from <= (this.lastSeenAt ?? 0)) as EndedSilence[];
    const all = silence ? [...kept, ...ended] : (this.#events as EndedSilence[]);
    this.#events = now - sampledAt > LATE ? withProof(all, sampledAt) : all;
    this.lastSeenAt = Math.max(now, this.lastSeenAt ?? 0);
  }

  #watch(now: number): void {
    const at = now - 5 * SECOND;
    for (const blind of this.#blind.filter(({ isSettled }) => !isSettled)) {
      this.#events = this.#events.flatMap((event) =>
        event.to !== null ? withBlindTimes([event as EndedSilence], [blind]) : [event],
      );
      blind.isSettled = true;
    }
    if (this.lastSeenAt === null) return;
    const seen = this.lastSeenAt;
    this.#events = this.#events.filter(({ from }) => from <= seen);
    this.#events.push(...openSilence(seen, this.#blindAt(now), at));
  }
}

/** Numbers from 0 to 1, the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

import { MINUTE } from "@/lib/format/time";

// What a silence of a server was, as pure functions. Check-ins, the watch and the pages all ask them, so they agree.

/** A daemon that checked in within this time is online (contract 8). After it the server is silent. */
export const ONLINE_WINDOW = 2 * MINUTE;

/** A time in epoch milliseconds, without its end. Null: it goes on. */
export type Span = { from: number; to: number | null };

/**
 * `offline`: the console was there and heard nothing. `unknown`: the console was away, or the way to it was cut.
 * `unreachable`: samples that arrived later prove that the machine was running.
 */
export const SILENCE_KINDS = ["offline", "unknown", "unreachable"] as const;
export type SilenceKind = (typeof SILENCE_KINDS)[number];
export type SilenceEvent = Span & { kind: SilenceKind };
export type EndedSilence = SilenceEvent & { to: number };

/** The silence after a last check-in, which ended with the next one. Null: the server was online in all this time. */
export function silenceAfter(lastSeenAt: number, nextSeenAt: number): { from: number; to: number } | null {
  const from = lastSeenAt + ONLINE_WINDOW;
  return nextSeenAt > from ? { from, to: nextSeenAt } : null;
}

/** The events of a silence that ended. Daemons get two minutes to be heard again after each of the blind times. */
export function endedSilence(silence: { from: number; to: number }, blind: readonly Span[]): EndedSilence[] {
  return pieces(silence, withGrace(blind), []);
}

/** The events of a server that is silent at `now`; the last of them goes on. None: it is online. */
export function openSilence(lastSeenAt: number, blind: readonly Span[], now: number): SilenceEvent[] {
  const silence = silenceAfter(lastSeenAt, now);
  if (silence === null) return [];
  const events = endedSilence(silence, blind);
  return events.map((event, index) => (index === events.length - 1 ? { ...event, to: null } : event));
}

/**
 * The events of a server at `now`. Those of a silence that goes on follow from the last check-in: the watch writes them
 * a moment later.
 */
export function silencesAt(
  stored: readonly SilenceEvent[],
  lastSeenAt: number,
  blind: readonly Span[],
  now: number,
): SilenceEvent[] {
  const ended = stored
    .filter(({ from, to }) => to !== null && from <= lastSeenAt)
    .map(({ kind, from, to }) => ({ kind, from, to }));
  return [...ended, ...openSilence(lastSeenAt, blind, now)];
}

/** The times in `[from, until)` (epoch ms) in which a server was silent, whatever is known of their parts, in order. */
export function silentTimes(
  silences: readonly SilenceEvent[],
  { from, until }: { from: number; until: number },
): { from: number; to: number }[] {
  return runsOf(
    silences.map((event) => ({
      ...event,
      from: Math.max(from, event.from),
      to: Math.min(until, event.to ?? until),
    })),
  ).filter((time) => time.from < time.to);
}

/** Events after a sample, measured at `sampledAt`, that arrived late: the machine was running then and for two minutes. */
export function withProof(events: readonly EndedSilence[], sampledAt: number): EndedSilence[] {
  return rewritten(events, [], [{ from: sampledAt, to: sampledAt + ONLINE_WINDOW }]);
}

/** Events that have ended, after it is known that the console was blind. */
export function withBlindTimes(events: readonly EndedSilence[], blind: readonly Span[]): EndedSilence[] {
  return rewritten(events, withGrace(blind), []);
}

/** The blind times with the two minutes after each of them. */
export const withGrace = (blind: readonly Span[]): Span[] =>
  blind.map(({ from, to }) => ({ from, to: to === null ? null : to + ONLINE_WINDOW }));

function rewritten(events: readonly EndedSilence[], unknown: readonly Span[], proven: readonly Span[]): EndedSilence[] {
  const ofKind = (wanted: SilenceKind) => events.filter(({ kind }) => kind === wanted);
  const allUnknown = [...ofKind("unknown"), ...unknown];
  const allProven = [...ofKind("unreachable"), ...proven];
  return runsOf(events).flatMap((run) => pieces(run, allUnknown, allProven));
}

/** Events that follow each other without a gap are one silence. */
function runsOf(events: readonly EndedSilence[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const { from, to } of events.toSorted((a, b) => a.from - b.from)) {
    const run = runs.at(-1);
    if (run?.to === from) run.to = to;
    else runs.push({ from, to });
  }
  return runs;
}

/** Cuts a silence where what is known of it changes. What is not known counts before what is proven. */
function pieces(
  silence: { from: number; to: number },
  unknown: readonly Span[],
  proven: readonly Span[],
): EndedSilence[] {
  const [isUnknown, isProven] = [covers(unknown), covers(proven)];
  const edges = [...unknown, ...proven]
    .flatMap(({ from, to }) => [from, to ?? Number.POSITIVE_INFINITY])
    .filter((edge) => edge > silence.from && edge < silence.to)
    .sort((a, b) => a - b);
  const events: EndedSilence[] = [];
  for (const from of [silence.from, ...edges]) {
    const kind = isUnknown(from) ? "unknown" : isProven(from) ? "unreachable" : "offline";
    const last = events.at(-1);
    if (last?.kind === kind) continue;
    if (last) last.to = from;
    events.push({ kind, from, to: silence.to });
  }
  return events;
}

/** Whether a time lies in one of the spans. It has to be asked of times in order. */
export function covers(spans: readonly Span[]): (time: number) => boolean {
  const sorted = spans.toSorted((a, b) => a.from - b.from);
  let next = 0;
  let until = Number.NEGATIVE_INFINITY;
  return (time) => {
    for (; next < sorted.length && (sorted[next]?.from ?? 0) <= time; next++) {
      until = Math.max(until, sorted[next]?.to ?? Number.POSITIVE_INFINITY);
    }
    return time < until;
  };
}

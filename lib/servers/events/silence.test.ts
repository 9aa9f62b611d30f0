import { expect, test } from "vitest";
import { findDifference, historyOf, SimulatedStore } from "@/e2e/support/random-histories";
import { MINUTE, SECOND } from "@/lib/format/time";
import {
  endedSilence,
  ONLINE_WINDOW,
  openSilence,
  SILENCE_KINDS,
  type SilenceEvent,
  type Span,
  silenceAfter,
  silentTimes,
} from "./silence";

const at = (minutes: number) => minutes * MINUTE;

test("a silence begins two minutes after the last check-in and ends with the next; a shorter pause is none", () => {
  expect(silenceAfter(at(0), at(2))).toBeNull();
  expect(endedSilence({ from: at(2), to: at(5) }, [])).toEqual([{ kind: "offline", from: at(2), to: at(5) }]);
  expect(openSilence(at(0), [], at(2))).toEqual([]);
  expect(openSilence(at(0), [], at(2) + 1)).toEqual([{ kind: "offline", from: at(2), to: null }]);
});

test("what lies in a blind time and the two minutes after it is unknown, also while it goes on", () => {
  const blind: Span[] = [{ from: at(5), to: at(10) }];
  expect(endedSilence({ from: at(2), to: at(20) }, blind)).toEqual([
    { kind: "offline", from: at(2), to: at(5) },
    { kind: "unknown", from: at(5), to: at(12) },
    { kind: "offline", from: at(12), to: at(20) },
  ]);
  expect(endedSilence({ from: at(6), to: at(11) }, blind)).toEqual([{ kind: "unknown", from: at(6), to: at(11) }]);
  expect(openSilence(at(0), [{ from: at(5), to: null }], at(30))).toEqual([
    { kind: "offline", from: at(2), to: at(5) },
    { kind: "unknown", from: at(5), to: null },
  ]);
});

/** CI plays ten thousand. */
const HISTORIES = process.env.CI ? 10_000 : 200;

test(`${HISTORIES} random histories of silence, late samples, absence, clock steps and two instances: every moment and the uptime are what the model says, and whoever is offline has exactly one open event`, () => {
  const met = new Map<string, number>();
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const history = historyOf(seed);
    const store = new SimulatedStore();
    for (const step of history) {
      store.take(step);
      const { lastSeenAt } = store;
      if (lastSeenAt === null) continue;
      const open = store.eventsAt(step.now).filter(({ to }) => to === null);
      const wanted = step.now - lastSeenAt > ONLINE_WINDOW ? 1 : 0;
      if (open.length !== wanted) expect(open, `seed ${seed} at ${step.now}`).toHaveLength(wanted);
    }
    const end = history.at(-1)?.now ?? 0;
    const wrong = findDifference(history, store.eventsAt(end), end);
    if (wrong !== null) expect(wrong, `seed ${seed}`).toBeNull();
    for (const { kind } of store.eventsAt(end)) met.set(kind, (met.get(kind) ?? 0) + 1);
  }
  // Histories without one of the kinds would prove nothing of it.
  for (const kind of SILENCE_KINDS) expect(met.get(kind), kind).toBeGreaterThan(HISTORIES / 10);
});

test("the times in which a server was silent are one for all parts of a silence, cut where what is shown begins and ends", () => {
  const events: SilenceEvent[] = [
    { kind: "offline", from: at(2), to: at(5) },
    { kind: "unknown", from: at(5), to: at(7) },
    { kind: "unreachable", from: at(10), to: at(12) },
    { kind: "offline", from: at(20), to: at(25) },
    { kind: "offline", from: at(30), to: null },
  ];
  expect(silentTimes(events, { from: at(3), until: at(40) })).toEqual([
    { from: at(3), to: at(7) },
    { from: at(10), to: at(12) },
    { from: at(20), to: at(25) },
    { from: at(30), to: at(40) },
  ]);
  expect(silentTimes(events, { from: at(12), until: at(22) })).toEqual([{ from: at(20), to: at(22) }]);
});

test("the events of a silence follow each other without a gap and never overlap", () => {
  const blind = [
    { from: 30 * SECOND, to: at(4) },
    { from: at(3), to: at(7) },
    { from: at(15), to: at(16) },
  ];
  const events: SilenceEvent[] = endedSilence({ from: at(2), to: at(30) }, blind);
  for (const [index, { from }] of events.entries()) expect(from).toBe(events[index - 1]?.to ?? at(2));
  expect(events.at(-1)?.to).toBe(at(30));
  expect(events.map(({ kind }) => kind)).toEqual(["unknown", "offline", "unknown", "offline"]);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SECOND } from "@/lib/format/time";
import {
  Admission,
  type Amounts,
  type Capacity,
  noCounts,
  type Payer,
  type Place,
  type Purpose,
  type Refusal,
} from "./admission";

const WAIT = 4 * SECOND;
/** Two resources: places, and room for what is kept of an answer. */
const PLACES = { all: 4, each: 2, networks: 2 };
const ROOM = { all: 96, each: 24, networks: 24 };

function newAdmission(capacities: readonly Capacity[] = [PLACES, ROOM]) {
  const admission = new Admission(capacities);
  const purpose = (takes: Amounts, waitingEach = 50, waitingAll = 100): Purpose => ({
    name: String(takes),
    takes,
    longestWait: WAIT,
    waitingEach,
    waitingAll,
    counts: noCounts(),
  });
  return { admission, place: purpose([1, 0]), room: (bytes: number) => purpose([0, bytes]), purpose };
}

const isPlace = (outcome: Place | Refusal | null): outcome is Place => outcome !== null && "release" in outcome;

/** Takes a place now, or fails. */
function taken(admission: Admission, purpose: Purpose, payer: Payer): Place {
  const place = admission.enter(purpose, payer);
  if (!place) throw new Error(`No place for ${payer}.`);
  return place;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a payer alone may hold more than its share, until another one is there or was a moment ago", async () => {
  const { admission, purpose } = newAdmission([
    { all: 3, each: 1, alone: 2, networks: 1 },
    { all: 2, each: 2, networks: 2 },
  ]);
  const [long, short] = [purpose([1, 0]), purpose([0, 1])];
  const held = [taken(admission, long, 1), taken(admission, long, 1)];
  expect(admission.enter(long, 1)).toBeNull();
  const other = taken(admission, short, 2);
  held.pop()?.release();
  expect(admission.enter(long, 1)).toBeNull();
  other.release();
  const own = [taken(admission, short, 1), taken(admission, short, 1)];
  await vi.advanceTimersByTimeAsync(99);
  expect(admission.enter(long, 1)).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  taken(admission, long, 1).release();
  const waiting = admission.wait(short, 2, "");
  expect(admission.enter(long, 1)).toBeNull();
  for (const each of own) each.release();
  expect(isPlace(await waiting)).toBe(true);
});

test("a payer rests for as long as it was served, and is then let in; others are served meanwhile", async () => {
  const { admission, purpose, room } = newAdmission([{ all: 1, each: 1, networks: 1, restsOver: 0 }, ROOM]);
  const long = purpose([1, 1]);
  const first = taken(admission, long, 1);
  await vi.advanceTimersByTimeAsync(300);
  first.keep([0, 1]);
  const second = vi.fn();
  void admission.wait(long, 1, "").then(second);
  taken(admission, long, 2).release();
  taken(admission, room(1), 1).release();
  await vi.advanceTimersByTimeAsync(299);
  expect(second).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(isPlace(second.mock.lastCall?.[0])).toBe(true);
});

test("a payer that may hold more while it is alone need not rest then", async () => {
  const { admission, purpose } = newAdmission([{ all: 2, each: 1, alone: 2, networks: 1, restsOver: 0 }, ROOM]);
  const serve = async () => {
    const place = taken(admission, purpose([1, 0]), 1);
    await vi.advanceTimersByTimeAsync(300);
    place.release();
  };
  await serve();
  await serve();
  taken(admission, purpose([0, 1]), 2).release();
  expect(admission.enter(purpose([1, 0]), 1)).toBeNull();
});

test("a payer holds its share and no more, and the next request waits until one of them is done", async () => {
  const { admission, place } = newAdmission();
  const first = taken(admission, place, 1);
  taken(admission, place, 1);
  expect(admission.enter(place, 1)).toBeNull();
  const third = vi.fn();
  void admission.wait(place, 1, "").then(third);
  await vi.advanceTimersByTimeAsync(WAIT - 1);
  expect(third).not.toHaveBeenCalled();
  // Meanwhile others have theirs.
  taken(admission, place, 2);
  first.release();
  first.release();
  await vi.advanceTimersByTimeAsync(0);
  expect(isPlace(third.mock.lastCall?.[0])).toBe(true);
  expect(admission.enter(place, 1)).toBeNull();
});

test("who finds no place within the longest wait is refused, holds nothing, and is told how long to stay away", async () => {
  const { admission, room } = newAdmission();
  const held = taken(admission, room(24), 1);
  const refused = admission.wait(room(1), 1, "");
  await vi.advanceTimersByTimeAsync(WAIT);
  expect(await refused).toEqual({ retryMs: WAIT });
  held.release();
  taken(admission, room(24), 1);
});

test("of everything there is so much in all, whatever each payer has left, and what takes none of it never waits", async () => {
  const { admission, room, place } = newAdmission();
  for (const payer of [1, 2, 3, 4]) taken(admission, room(24), payer);
  const fifth = admission.wait(room(1), 5, "");
  taken(admission, place, 5);
  taken(admission, place, 1);
  await vi.advanceTimersByTimeAsync(WAIT);
  expect(await fifth).toEqual({ retryMs: WAIT });
});

test("what turns out smaller makes room; who keeps more than its share waits with everything; one always fits", async () => {
  const { admission, room, place } = newAdmission();
  const large = taken(admission, place, 1);
  large.keep([0, 200]);
  expect(admission.enter(place, 1)).toBeNull();
  const other = admission.wait(room(1), 2, "");
  const own = admission.wait(place, 1, "");
  large.keep([0, 1]);
  expect(isPlace(await other)).toBe(true);
  expect(isPlace(await own)).toBe(true);
  taken(newAdmission().admission, room(200), 1);
});

test("a queue that is full takes nobody in until all who were in it are out; by then it has room, as was announced", async () => {
  const { admission, purpose } = newAdmission();
  const place = purpose([1, 0], 3);
  const held = [taken(admission, place, 1), taken(admission, place, 1)];
  const waiting = [1, 2, 3].map(() => admission.wait(place, 1, ""));
  expect(await admission.wait(place, 1, "")).toEqual({ retryMs: WAIT });
  await vi.advanceTimersByTimeAsync(WAIT / 4);
  // Even with room by now: asking again at once gains nothing.
  held[0]?.release();
  expect(isPlace((await waiting[0]) ?? null)).toBe(true);
  expect(await admission.wait(place, 1, "")).toEqual({ retryMs: (WAIT * 3) / 4 });
  expect(admission.refusedFor(place, 1)).toBe((WAIT * 3) / 4);
  await vi.advanceTimersByTimeAsync((WAIT * 3) / 4);
  const retried = admission.wait(place, 1, "");
  held[1]?.release();
  expect(isPlace(await retried)).toBe(true);
});

test("where all places to wait are taken, the longest queue gives one to a payer that has fewer", async () => {
  const { admission, purpose } = newAdmission();
  const place = purpose([1, 0], 50, 60);
  for (const payer of [1, 1, 2, 2]) taken(admission, place, payer);
  const outcomes: string[] = [];
  const wait = (payer: Payer, times: number) => {
    for (let n = 1; n <= times; n++) {
      void admission.wait(place, payer, "").then((outcome) => isPlace(outcome) || outcomes.push(`${payer} ${n}`));
    }
  };
  wait(1, 50);
  wait(2, 10);
  wait(3, 1);
  await vi.advanceTimersByTimeAsync(0);
  expect(outcomes).toEqual(["1 50"]);
  expect(place.counts).toMatchObject({ waiting: 60, refused: 1 });
  // A payer whose own queue is the longest makes no room for itself.
  wait(1, 1);
  await vi.advanceTimersByTimeAsync(0);
  expect(outcomes).toEqual(["1 50", "1 1"]);
});

test("queues take turns: a payer with many requests that wait lets one of another go before its second", async () => {
  const { admission, room } = newAdmission([PLACES, { all: 8, each: 8, networks: 8 }]);
  const order: string[] = [];
  const take = async (name: string, payer: Payer) => {
    const place = await admission.wait(room(8), payer, "");
    order.push(name);
    if (isPlace(place)) place.release();
  };
  const making = taken(admission, room(8), 1);
  const all = [take("1a", 1), take("1b", 1), take("1c", 1), take("2a", 2), take("2b", 2)];
  making.release();
  await Promise.all(all);
  expect(order).toEqual(["1a", "2a", "1b", "2b", "1c"]);
});

test("within a payer's turn its tokens take turns, and the requests of each keep their order", async () => {
  const { admission, room } = newAdmission([PLACES, { all: 8, each: 8, networks: 8 }]);
  const order: string[] = [];
  const take = async (name: string, own: string) => {
    const place = await admission.wait(room(8), 1, own);
    order.push(name);
    if (isPlace(place)) place.release();
  };
  const making = taken(admission, room(8), 1);
  const all = [take("a1", "a"), take("a2", "a"), take("a3", "a"), take("b1", "b"), take("b2", "b")];
  making.release();
  await Promise.all(all);
  expect(order).toEqual(["a1", "b1", "a2", "b2", "a3"]);
});

test("accounts and networks take turns, however many networks there are, and networks together leave a part free", async () => {
  const { admission, place } = newAdmission([{ all: 4, each: 2, networks: 2 }, ROOM]);
  taken(admission, place, "192.0.2.1");
  taken(admission, place, "192.0.2.2");
  expect(admission.enter(place, "192.0.2.3")).toBeNull();
  const crowd = Array.from({ length: 40 }, (_, n) => admission.wait(place, `198.51.100.${n}`, ""));
  const held = [taken(admission, place, 1), taken(admission, place, 1)];
  const account = admission.wait(place, 2, "");
  held[0]?.release();
  expect(isPlace(await account)).toBe(true);
  await vi.advanceTimersByTimeAsync(WAIT);
  expect((await Promise.all(crowd)).filter(isPlace)).toEqual([]);

  const one = newAdmission([{ all: 1, each: 1, networks: 1 }, ROOM]);
  const order: string[] = [];
  const take = async (payer: Payer) => {
    const outcome = await one.admission.wait(one.place, payer, "");
    order.push(typeof payer);
    if (isPlace(outcome)) outcome.release();
  };
  const first = taken(one.admission, one.place, "192.0.2.1");
  const all = [...["a", "b", "c"].map(take), ...[1, 2].map(take)];
  first.release();
  await Promise.all(all);
  expect(order.slice(0, 4).toSorted()).toEqual(["number", "number", "string", "string"]);
});

test("nobody overtakes who waits for more of the same, but for something else", async () => {
  const { admission, purpose } = newAdmission([{ all: 4, each: 4, networks: 2 }, ROOM]);
  const [one, all] = [purpose([1, 0]), purpose([4, 0])];
  const held = taken(admission, one, 1);
  const large = admission.wait(all, 2, "");
  expect(admission.enter(one, 3)).toBeNull();
  taken(admission, purpose([0, 1]), 3);
  held.release();
  expect(isPlace(await large)).toBe(true);
});

test("who goes away while waiting gives the place up at once", async () => {
  const { admission, room } = newAdmission();
  const making = taken(admission, room(24), 1);
  const client = new AbortController();
  const left = admission.wait(room(24), 1, "", undefined, { signal: client.signal });
  client.abort();
  expect(isPlace(await left)).toBe(false);
  const next = admission.wait(room(24), 1, "");
  making.release();
  expect(isPlace(await next)).toBe(true);
});

test("what was given back keeps nothing, and a resource is wanted while a payer within its share waits for it", async () => {
  const { admission, room } = newAdmission();
  const held = [1, 2, 3, 4].map((payer) => taken(admission, room(24), payer));
  expect(admission.isWanted(1)).toBe(false);
  // More of its own is not what others have to give.
  const own = admission.wait(room(1), 1, "");
  expect(admission.isWanted(1)).toBe(false);
  const fifth = admission.wait(room(24), 5, "");
  expect([admission.isWanted(0), admission.isWanted(1)]).toEqual([false, true]);
  held[1]?.release();
  held[1]?.keep([0, 24]);
  expect(isPlace(await fifth)).toBe(true);
  expect(admission.isWanted(1)).toBe(false);
  expect(admission.held()).toEqual([0, 96]);
  held[0]?.release();
  expect(isPlace(await own)).toBe(true);
});

test("payers that hold nothing and wait for nothing are forgotten, over 20,000 random steps that never exceed a share", async () => {
  const { admission, purpose } = newAdmission();
  const held: { payer: Payer; amounts: Amounts; place: Place }[] = [];
  const sum = (index: number, of: (payer: Payer) => boolean) =>
    held.filter(({ payer }) => of(payer)).reduce((all, { amounts }) => all + (amounts[index] ?? 0), 0);
  for (let step = 0; step < 20_000; step++) {
    const payer: Payer = Math.random() < 0.5 ? Math.ceil(Math.random() * 5) : `192.0.2.${Math.ceil(Math.random() * 5)}`;
    const amounts = Math.random() < 0.5 ? [1, 0] : [1, Math.ceil(Math.random() * 12)];
    if (Math.random() < 0.5) held.splice(Math.floor(Math.random() * held.length), 1)[0]?.place.release();
    else if (Math.random() < 0.7) {
      void admission.wait(purpose(amounts), payer, String(step % 3)).then((place) => {
        if (isPlace(place)) held.push({ payer, amounts, place });
      });
    } else {
      const place = admission.enter(purpose(amounts), payer);
      if (place) held.push({ payer, amounts, place });
    }
    if (step % 10 === 0) await vi.advanceTimersByTimeAsync(Math.random() * SECOND);
    for (const [index, { all, each, networks }] of [PLACES, ROOM].entries()) {
      expect(sum(index, () => true)).toBeLessThanOrEqual(all);
      expect(sum(index, (other) => other === payer)).toBeLessThanOrEqual(each);
      expect(sum(index, (other) => typeof other === "string")).toBeLessThanOrEqual(networks);
    }
  }
  await vi.advanceTimersByTimeAsync(2 * WAIT);
  for (const { place } of held.splice(0)) place.release();
  expect([admission.payers, admission.held()]).toEqual([0, [0, 0]]);
});

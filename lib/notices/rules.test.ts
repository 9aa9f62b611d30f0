import { expect, test } from "vitest";
import { eventsAt, type Message, play, TICK, type World, within, worldOf } from "@/e2e/support/random-accounts";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { readRules } from "./kinds";
import { FLAPS_WITHIN, type Incident, MOST_AN_HOUR, plan, STABLE_AFTER } from "./rules";
import { overdueFrom, runsOf } from "./runs";

/** What may pass between what is due and what is told: a tick, and what is noticed late. */
const SLACK = 2 * TICK + 15 * SECOND;

/** What is wrong with what an account was told, in one sentence; null: nothing. */
function findFault(world: World, told: readonly Message[]): string | null {
  return faultOfMessages(world, told) ?? faultOfServers(world, told);
}

function faultOfMessages({ quiet }: World, told: readonly Message[]): string | null {
  for (const [index, { at, items, heldBackUntil }] of told.entries()) {
    if (quiet && within([quiet], at)) return `${at}: told in the quiet hours`;
    const hour = told.slice(0, index + 1).filter((one) => one.at > at - HOUR);
    if (hour.length > MOST_AN_HOUR) return `${at}: more than twenty in an hour`;
    if ((hour.length === MOST_AN_HOUR) !== (heldBackUntil !== null)) return `${at}: says wrongly what is held back`;
    if (new Set(items.map(({ topic, from }) => `${topic} ${from}`)).size < items.length)
      return `${at}: told twice at once`;
  }
  return null;
}

function faultOfServers(world: World, told: readonly Message[]): string | null {
  for (const server of world.silences.keys()) {
    const fault =
      faultOfOutages(world, server, "offline", told) ??
      faultOfOutages(world, server, "unserved", told) ??
      faultOfMoments(world, server, told);
    if (fault) return `${server}: ${fault}`;
  }
  return null;
}

function ofTopic(told: readonly Message[], topic: string) {
  return told.flatMap(({ kind, at, items }) =>
    items.filter((item) => item.topic === topic).map((item) => ({ kind, at, ...item })),
  );
}

/** What one is told of a server makes sense, is true at that moment, and lacks nothing. */
function faultOfOutages(
  world: World,
  server: string,
  kind: "offline" | "unserved",
  told: readonly Message[],
): string | null {
  const said = ofTopic(told, `${server}:${kind}`);
  const delay = kind === "offline" ? world.delay : 0;
  const runsAt = (now: number) => runsOf(kind, eventsAt(world, server, now));
  const quietTimes: { from: number; to: number }[] = [];
  let open: (typeof said)[number] | null = null;
  for (const [index, one] of said.entries()) {
    const before = said.slice(0, index).filter(({ kind, from }) => kind === "begun" && from > one.from - FLAPS_WITHIN);
    if (one.kind === "begun") {
      if (open) return `${one.at}: told to be ${kind} twice`;
      const known = runsAt(one.at).find(({ from, to }) => one.from >= from && (to === null || one.from <= to));
      const overdue = known ? overdueFrom(known, Math.max(0, delay - MINUTE)) : null;
      if (!known || overdue === null || overdue > one.at) return `${one.at}: told what is not`;
      if (!one.isFlapping && (known.to === null) !== (one.to === null)) return `${one.at}: the end is wrong`;
      const isLast = !said.slice(index + 1).some(({ kind, at }) => kind === "begun" && at === one.at);
      const isStable = known.to !== null && known.to <= one.at - STABLE_AFTER;
      if (one.isFlapping !== (isLast && !isStable && before.length >= 2)) return `${one.at}: flapping is wrong`;
      if (one.isFlapping || one.to === null) open = one;
      if (one.isFlapping) quietTimes.push({ from: one.at, to: said[index + 1]?.at ?? world.end });
    } else if (one.kind === "ended") {
      if (!open) return `${one.at}: told to be back, without an outage`;
      const known = runsAt(one.at).findLast(({ from }) => from <= (one.to ?? one.at));
      if (known && (known.to === null || known.to !== one.to)) return `${one.at}: told an end that is not`;
      // It may have gone on for so long as well.
      const lasted = (one.to ?? 0) - (known?.from ?? one.from);
      if (open.isFlapping && Math.max(lasted, one.at - (one.to ?? 0)) < STABLE_AFTER)
        return `${one.at}: told again too soon`;
      open = null;
    }
  }
  const isExcused = (from: number, to: number) =>
    world.snoozes.some((snooze) => snooze.server === server) ||
    quietTimes.some((quiet) => quiet.from < to && quiet.to > from);
  for (const run of runsAt(world.end)) {
    const due = overdueFrom(run, delay + MINUTE);
    if (due === null || run.to === null || isExcused(run.from, run.to + STABLE_AFTER)) continue;
    const begun = said.find(({ kind, from }) => kind === "begun" && from >= run.from && from <= (run.to ?? 0));
    if (!begun) return `an outage from ${run.from} to ${run.to} was not told`;
    const ends = said.filter(({ kind, from, to }) => kind === "ended" && from === begun.from && to !== null);
    if (ends.length !== (begun.to === null ? 1 : 0)) return `its end was told ${ends.length} times: ${run.from}`;
    const isFree = !world.quiet && told.length < MOST_AN_HOUR && world.away.length + world.asleep.length === 0;
    if (isFree && begun.at > due + SLACK) return `an outage from ${run.from} was told ${begun.at - due} ms late`;
    const isLate = isFree && ends[0] && ends[0].at > run.to + MINUTE + SLACK;
    if (isLate) return `the end at ${run.to} was told late`;
  }
  return null;
}

/** Each is told once, unless it came too often. */
function faultOfMoments(world: World, server: string, told: readonly Message[]): string | null {
  const said = ofTopic(told, `${server}:new_network`);
  const isExcused = world.snoozes.some((snooze) => snooze.server === server);
  for (const at of new Set(world.moments.get(server))) {
    const times = said.filter(({ from }) => from === at).length;
    const isQuiet = said.some((one) => one.isFlapping && one.from <= at);
    if (times > 1 || (times === 0 && !isExcused && !isQuiet)) return `the moment ${at} was told ${times} times`;
  }
  return null;
}

test("maintenance is silent: what begins and ends in it is not told, and what goes on is told when it is over, with its true beginning", () => {
  const maintenance = [{ from: 0, to: 60 * MINUTE }];
  const look = (now: number, to: number | null, incidents: Incident[]) => {
    const runs = runsOf("offline", [{ kind: "offline", from: 5 * MINUTE, to, isNew: incidents.length === 0 }]);
    const topics = [{ key: "server:1:offline", kind: "offline", runs, snooze: null, maintenance }];
    return plan({ now, rules: readRules({}), quietUntil: () => null, sent: [], incidents, topics });
  };
  expect(look(20 * MINUTE, 15 * MINUTE, [])).toMatchObject({ added: [], messages: [] });
  const [noted] = look(20 * MINUTE, null, []).added;
  const incident = { ...noted, id: 1 } as Incident;
  expect(look(59 * MINUTE, null, [{ ...incident }]).messages).toEqual([]);
  expect(look(59 * MINUTE, 58 * MINUTE, [{ ...incident }])).toMatchObject({ forgotten: [{ id: 1 }], messages: [] });
  const [told] = look(71 * MINUTE, null, [{ ...incident }]).messages;
  expect(told).toMatchObject({ kind: "begun", incidents: [{ from: 5 * MINUTE }] });
});

/** CI plays ten thousand. */
const HISTORIES = process.env.CI ? 10_000 : 200;

test(`${HISTORIES} random histories of an account, with the console away, events that are withdrawn, quiet hours and snoozes: what is told is true, whole, once, in time, and at most twenty messages an hour`, () => {
  const met: Record<string, number> = {};
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const world = worldOf(seed);
    const told = play(world);
    const fault = findFault(world, told);
    if (fault !== null) expect(fault, `seed ${seed}`).toBeNull();
    const words = told.flatMap(({ kind, items, heldBackUntil }) => [
      kind,
      ...(items.length > 1 ? ["several"] : []),
      ...(items.some(({ isFlapping }) => isFlapping) ? ["flapping"] : []),
      ...(items.some(({ topic }) => topic.endsWith("unserved")) ? ["unserved"] : []),
      ...(kind === "begun" && items.some(({ topic, to }) => topic.endsWith("offline") && to !== null) ? ["over"] : []),
      ...(heldBackUntil === null ? [] : ["held back"]),
    ]);
    for (const word of words) met[word] = (met[word] ?? 0) + 1;
  }
  // Histories without one of these would prove nothing of it.
  for (const word of ["begun", "ended", "several", "flapping", "over", "unserved"])
    expect(met[word], word).toBeGreaterThan(HISTORIES / 10);
  expect(met["held back"]).toBeGreaterThan(HISTORIES / 100);
});

import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { type Rules, readRules } from "@/lib/notices/kinds";
import { type Incident, type MessageKind, plan, type Topic } from "@/lib/notices/rules";
import { type Happening, runsOf } from "@/lib/notices/runs";
import { ONLINE_WINDOW } from "@/lib/servers/events/events";

// Random hours of an account in simulated time: servers that fall silent and come back, a console that is away, quiet hours,
// snoozes, a planner that looks too late, and what is told without a delay and may be withdrawn. A store in memory plays them
// through the product's rule.

type Ended = { from: number; to: number };

export type World = {
  seed: number;
  end: number;
  rules: Rules;
  delay: number;
  /** True silences of each server, by its key. */
  silences: ReadonlyMap<string, readonly Ended[]>;
  moments: ReadonlyMap<string, readonly number[]>;
  /** Times of the kind that is told without a delay, by the same keys. */
  unserved: ReadonlyMap<string, readonly Ended[]>;
  /** Events of that kind which begin at `from`, are written before, at `at`, and are gone before it, at `to`. */
  withdrawn: readonly (Ended & { server: string; at: number })[];
  /** The console was away, and so was the planner. */
  away: readonly Ended[];
  quiet: Ended | null;
  snoozes: readonly { server: string; at: number; until: number | null }[];
  /** The planner did not look. */
  asleep: readonly Ended[];
};

export type Message = {
  kind: MessageKind;
  at: number;
  heldBackUntil: number | null;
  items: { topic: string; from: number; to: number | null; isFlapping: boolean }[];
};

const BEGIN = Date.parse("2026-01-01T00:00:00Z");
const LENGTH = 2.5 * HOUR;
/** One of silences, one that lasts, and one of moments. */
const KINDS = ["offline", "unserved", "new_network"];
/** The planner looks so often. */
export const TICK = 10 * SECOND;

/** The world of one number. */
export function worldOf(seed: number): World {
  const random = randomOf(seed);
  const upTo = (longest: number) => Math.ceil((random() * longest) / SECOND) * SECOND;
  const spans = (most: number, longest: number) =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, () => {
      const from = BEGIN + upTo(LENGTH);
      return { from, to: from + upTo(longest) };
    });
  // Now and then so many that an hour has more to tell than may be told.
  const most = random() < 0.005 ? 40 : 4;
  const servers = Array.from({ length: 1 + Math.floor(random() * most) }, (_, index) => `server:${index}`);
  const [longestUp, longestDown] = [upTo(90 * MINUTE) + MINUTE, upTo(20 * MINUTE) + 30 * SECOND];
  const common = spans(2, 15 * MINUTE);
  const silences = servers.map((server) => {
    const own: Ended[] = common.map(({ from, to }) => ({
      from: from + upTo(30 * SECOND),
      to: to + 30 * SECOND + upTo(40 * SECOND),
    }));
    for (let at = BEGIN + upTo(longestUp); at < BEGIN + LENGTH; ) {
      const to = at + upTo(longestDown);
      own.push({ from: at, to });
      at = to + ONLINE_WINDOW + upTo(longestUp);
    }
    return [server, apart(own)] as const;
  });
  const away = spans(random() < 0.5 ? 2 : 0, 6 * MINUTE);
  const delay = [0, MINUTE, 5 * MINUTE][Math.floor(random() * 3)] ?? 0;
  const moments = servers.map(
    (server) =>
      [
        server,
        [...new Set(Array.from({ length: random() < 0.3 ? 8 : 0 }, () => BEGIN + upTo(LENGTH)))].sort((a, b) => a - b),
      ] as const,
  );
  const unserved = new Map(servers.map((server) => [server, random() < 0.15 ? apart(spans(3, 40 * MINUTE)) : []]));
  return {
    seed,
    end: BEGIN + LENGTH + 4 * HOUR,
    rules: readRules({ offline: { minutes: delay / MINUTE } }),
    delay,
    silences: new Map(silences),
    moments: new Map(moments),
    unserved,
    // Of one kind, one thing happens to a server at a time.
    withdrawn: servers.flatMap((server) =>
      spans(random() < 0.05 ? 1 : 0, 2 * MINUTE)
        .filter((own) => !unserved.get(server)?.some(({ from, to }) => from <= own.to && own.from <= to))
        .map(({ from, to }) => ({ server, at: from, from: to, to: to - SECOND })),
    ),
    away,
    quiet: random() < 0.3 ? (spans(1, 2 * HOUR)[0] ?? null) : null,
    snoozes:
      random() < 0.3
        ? servers.map((server) => ({
            server,
            at: BEGIN + upTo(LENGTH),
            until: random() < 0.5 ? BEGIN + upTo(LENGTH) : null,
          }))
        : [],
    asleep: spans(random() < 0.3 ? 1 : 0, 10 * MINUTE),
  };
}

/** Silences that do not touch each other. */
function apart(spans: readonly Ended[]): Ended[] {
  const kept: Ended[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    if (span.from > (kept.at(-1)?.to ?? 0) + ONLINE_WINDOW) kept.push(span);
  }
  return kept;
}

/** What the tables say of a server at an instant. */
export function eventsAt(world: World, server: string, now: number): Happening[] {
  const silences = (world.silences.get(server) ?? []).flatMap(({ from, to }): Happening[] => {
    const judged = judgedFrom(world, from);
    return judged >= Math.min(now, to) ? [] : [{ kind: "offline", from: judged, to: to > now ? null : to }];
  });
  const moments = (world.moments.get(server) ?? []).filter((at) => at <= now);
  const unserved = (world.unserved.get(server) ?? [])
    .filter(({ from }) => from <= now)
    .map(({ from, to }) => ({ kind: "unserved", from, to: to > now ? null : to }));
  const withdrawn = world.withdrawn
    .filter((one) => one.server === server && one.at <= now && now < one.to)
    .map(({ from }) => ({ kind: "unserved", from, to: null }));
  const instants = moments.map((at) => ({ kind: "new_network", from: at, to: at }));
  return [...silences, ...unserved, ...withdrawn, ...instants];
}

/** A silence that begins while the console is away, or in the two minutes after, is known from then on. */
function judgedFrom({ away }: World, at: number): number {
  return away
    .toSorted((a, b) => a.from - b.from)
    .reduce((from, { from: left, to }) => (left <= from && from < to + ONLINE_WINDOW ? to + ONLINE_WINDOW : from), at);
}

/** What the account was told in this world. */
export function play(world: World): Message[] {
  const told: Message[] = [];
  const tables: Tables = { seen: new Set(), events: new Map() };
  let incidents: Incident[] = [];
  let id = 0;
  const news = newsOf(world);
  let read = 0;
  let lookAt = Number.POSITIVE_INFINITY;
  for (let now = BEGIN; now < world.end; now += TICK) {
    if (within(world.away, now) || within(world.asleep, now)) continue;
    const changed = new Set<string>();
    for (; (news[read]?.at ?? world.end) <= now; read++) changed.add(news[read]?.server ?? "");
    if (lookAt > now && changed.size === 0) continue;
    for (const server of changed) tables.events.delete(server);
    const open = new Set(incidents.flatMap(({ topic, lookAt }) => (lookAt === null ? [] : [topic])));
    for (const topic of open) changed.add(serverOf(topic));
    const topics = [...changed].flatMap((server) => topicsOf(world, server, now, tables, open));
    const plans = plan({
      now,
      rules: world.rules,
      quietUntil: (at) => (world.quiet && at >= world.quiet.from && at < world.quiet.to ? world.quiet.to : null),
      sent: told.map(({ at }) => at).filter((at) => at > now - HOUR),
      incidents,
      topics,
    });
    incidents = incidents.filter((one) => !plans.forgotten.includes(one));
    incidents.push(...plans.added.map((one) => ({ ...one, id: id++ })));
    lookAt = Math.min(...incidents.map(({ lookAt }) => lookAt ?? world.end));
    for (const { kind, incidents: members, heldBackUntil } of plans.messages) {
      const items = members.map(({ topic, from, to, isFlapping }) => ({ topic, from, to, isFlapping }));
      told.push({ kind, at: now, heldBackUntil, items });
      if (kind === "begun") for (const one of members) one.toldIn = String(told.length);
    }
  }
  return told;
}

/** When something changes in what the tables say of a server. */
function newsOf({ silences, moments, unserved, withdrawn, away }: World): { at: number; server: string }[] {
  const known = away.flatMap(({ from, to }) => [from, to, to + ONLINE_WINDOW + 1]);
  const news = [...silences].flatMap(([server, own]) =>
    [
      ...own.flatMap(({ from, to }) => [from + 1, to]),
      ...(unserved.get(server) ?? []).flatMap(({ from, to }) => [from, to]),
      ...known,
      ...(moments.get(server) ?? []),
    ].map((at) => ({ at, server })),
  );
  return [...news, ...withdrawn].sort((one, other) => one.at - other.at);
}

function serverOf(topic: string): string {
  return topic.slice(0, topic.lastIndexOf(":"));
}

/** Events that somebody has considered; and those of each server since its last news, because nothing changes until the next. */
type Tables = { seen: Set<string>; events: Map<string, Happening[]> };

/** Those with a new event, and the open ones. */
function topicsOf(world: World, server: string, now: number, tables: Tables, open: Set<string>): Topic[] {
  const known = tables.events.get(server) ?? readEvents(world, server, now, tables);
  const hasNew = known.some(({ isNew }) => isNew);
  const snooze = world.snoozes.findLast((one) => one.server === server && one.at <= now);
  return KINDS.flatMap((kind) => {
    const key = `${server}:${kind}`;
    const isOpen = open.has(key);
    if (!isOpen && !hasNew) return [];
    const runs = runsOf(kind, known);
    if (!isOpen && runs.length === 0) return [];
    return [{ key, kind, runs, snooze: snooze ? { at: snooze.at, until: snooze.until } : null, maintenance: [] }];
  });
}

function readEvents(world: World, server: string, now: number, { seen, events }: Tables): Happening[] {
  const known = eventsAt(world, server, now).map((event) => {
    const name = `${server} ${event.kind} ${event.from}`;
    const isNew = !seen.has(name);
    seen.add(name);
    return { ...event, isNew };
  });
  // That an event was withdrawn is no news.
  const isKept = !world.withdrawn.some((one) => one.server === server);
  const considered = known.map((event) => ({ ...event, isNew: false }));
  if (isKept) events.set(server, considered);
  return known;
}

export function within(spans: readonly Ended[], at: number): boolean {
  return spans.some(({ from, to }) => at >= from && at < to);
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

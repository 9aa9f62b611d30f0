import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { NOTICE_KINDS, type Rules } from "@/lib/notices/kinds";
import { isKnown, overdueFrom, type Run } from "@/lib/notices/runs";

// Decides of one account which events become which messages, and when. Nothing here reads a clock or a table: what is stored
// comes in, and what is to be stored goes out. It is asked again and again, and answers what is still missing.

/** What begins within this time is one message. */
const TOGETHER = MINUTE;
/** In milliseconds: an event that is noticed late waits this long for others that are noticed with it. */
const NOTICED_TOGETHER = 5 * SECOND;
/** An event that goes on is reported again after this time. */
const REMIND_AFTER = DAY;
/** Reminders that are due within this time of each other are one message. */
export const REMIND_TOGETHER = HOUR;
/** The third time within this time says that it comes and goes. */
export const FLAPS_WITHIN = HOUR;
const FLAPS_AT = 3;
/** In milliseconds: after that it is reported again only once it has not changed for this long. */
export const STABLE_AFTER = 30 * MINUTE;
/** Messages of an account within an hour. */
export const MOST_AN_HOUR = 20;
/** How often a beginning is looked at that is snoozed until it is over. */
const SNOOZE_LOOKS = 10 * MINUTE;
/** What was over so long ago is history, which the pages show. */
const TOO_OLD = DAY;

/** One thing of which an account is told, from its beginning to its end. Times in epoch milliseconds. */
export type Incident = {
  id: number;
  /** Of what and of which kind. */
  topic: string;
  kind: string;
  from: number;
  /** Null: it goes on, as far as is known. */
  to: number | null;
  /** When it was decided to tell its beginning, and in which notice. */
  toldAt: number | null;
  toldIn: string | null;
  isFlapping: boolean;
  /** When it has to be looked at again. Null: no more is told of it. */
  lookAt: number | null;
};

/** What is known of one thing and kind. */
export type Topic = {
  key: string;
  kind: string;
  runs: readonly Run[];
  /** Set at `at`; `until` null: until what had begun by then is over. */
  snooze: { at: number; until: number | null } | null;
  /** Times in which nothing is told of it; what begins and ends in one of them is not told at all. */
  maintenance: readonly { from: number; to: number }[];
};

export type MessageKind = "begun" | "ended" | "still";
export type PlannedMessage = {
  kind: MessageKind;
  incidents: Incident[];
  /** The notice whose thread it belongs to; null: it begins one. */
  thread: string | null;
  /** It is the last one for now. Until then, what happens is held back. */
  heldBackUntil: number | null;
};

/** What is to be stored. `added` have no id yet; the incidents of messages are among `changed`. */
export type Plan = {
  added: Omit<Incident, "id">[];
  changed: Incident[];
  forgotten: Incident[];
  messages: PlannedMessage[];
};

type Input = {
  now: number;
  rules: Rules;
  /** The end of the quiet hours that an instant lies in; null: in none. */
  quietUntil: (at: number) => number | null;
  /** When the messages of the last hour were decided, in order. */
  sent: readonly number[];
  /** Those that are not settled, and of the topics given the ones that were told within a day. */
  incidents: readonly Incident[];
  /** Those with something new, and those of incidents that are to be looked at. */
  topics: readonly Topic[];
};

/** What has to be told and stored at `now` (epoch ms). */
export function plan(input: Input): Plan {
  return new Planning(input).decide();
}

class Planning {
  readonly #input: Input;
  readonly #byTopic = new Map<string, Incident[]>();
  /** When messages were decided in the last hour, with those that are decided now. */
  readonly #times: number[];
  readonly #waiting: Incident[] = [];
  readonly #changed = new Set<Incident>();
  readonly #plan = { added: [] as Plan["added"], forgotten: [] as Incident[], messages: [] as PlannedMessage[] };

  constructor(input: Input) {
    this.#input = input;
    this.#times = [...input.sent];
    for (const incident of input.incidents) {
      const known = this.#byTopic.get(incident.topic);
      if (known) known.push(incident);
      else this.#byTopic.set(incident.topic, [incident]);
    }
  }

  decide(): Plan {
    const { now, rules, topics, incidents } = this.#input;
    for (const topic of topics) {
      const { isOn, delay } = rules.of(topic.kind);
      const known = this.#byTopic.get(topic.key) ?? [];
      for (const incident of known) if (incident.lookAt !== null) this.#lookAgain(incident, topic, isOn, delay);
      if (isOn) for (const run of topic.runs) this.#notice(run, topic, known, dueAt(run, topic.kind, delay, now));
    }
    const told = incidents.filter(({ toldAt, isFlapping }) => toldAt !== null && !isFlapping);
    const [ended, goingOn] = [told.filter(({ to }) => to !== null), told.filter(({ to }) => to === null)];
    this.#tell("ended", ended, TOGETHER);
    this.#tell("begun", this.#waiting, TOGETHER);
    this.#tell("still", goingOn, REMIND_TOGETHER);
    return { ...this.#plan, changed: [...this.#changed] };
  }

  #change(incident: Incident, to: Partial<Incident>): void {
    this.#changed.add(Object.assign(incident, to));
  }

  #lookAgain(incident: Incident, topic: Topic, isOn: boolean, delay: number): void {
    const { now, rules } = this.#input;
    const run = topic.runs.find((run) => holds(run, incident.from));
    const until = snoozedUntil(topic, incident.from, now);
    if (incident.toldAt === null) {
      const due = isOn && run ? dueAt(run, topic.kind, delay, now) : null;
      const wasSnoozed = run?.to !== null && isSnoozedToEnd(topic, incident.from);
      if (!run || due === null || wasSnoozed || isOfMaintenance(run, topic)) this.#plan.forgotten.push(incident);
      else {
        const before = this.#endsBefore(incident);
        this.#change(incident, { to: run.to, lookAt: Math.max(incident.lookAt ?? due, due, until, before) });
        if (until <= now && before <= now && isKnown(run)) this.#waiting.push(incident);
      }
    } else if (!isOn) this.#change(incident, { isFlapping: false, lookAt: null });
    else if (incident.isFlapping) this.#settle(incident, topic);
    else if (incident.to === null && (run ? run.to !== null : topic.runs.every(({ to }) => to !== null))) {
      // Where no run holds it any more it was corrected, and is over.
      const to = Math.max(incident.from, run?.to ?? now);
      this.#change(incident, { to, lookAt: rules.tellsEnds ? Math.max(to + TOGETHER, now + NOTICED_TOGETHER) : null });
    } else if (incident.to === null && until > now && isDue(incident, now + REMIND_TOGETHER)) {
      this.#change(incident, { lookAt: now + REMIND_AFTER });
    }
  }

  /** When the end of an earlier one is told: a beginning is told after it. */
  #endsBefore({ topic, kind, from }: Incident): number {
    const earlier = (this.#byTopic.get(topic) ?? []).filter((one) => one.toldAt !== null && one.from < from);
    return lasts(kind) ? Math.max(...earlier.map(({ lookAt }) => lookAt ?? 0)) : 0;
  }

  /** What comes and goes is told again after enough time without a change. */
  #settle(incident: Incident, { runs, kind }: Topic): void {
    const { now, rules } = this.#input;
    const last = runs.at(-1);
    const changes = runs.flatMap(({ from, to }) => [from, to ?? from]).filter((at) => at >= incident.from);
    const stableAt = Math.max(incident.from, ...changes) + STABLE_AFTER;
    if (stableAt > now) this.#change(incident, { lookAt: stableAt });
    else if (!lasts(kind)) this.#change(incident, { isFlapping: false, lookAt: null });
    else if (last?.to === null) {
      this.#change(incident, { isFlapping: false, from: last.from, lookAt: now + REMIND_AFTER });
    } else {
      const to = Math.max(incident.from, last?.to ?? now);
      this.#change(incident, { isFlapping: false, to, lookAt: rules.tellsEnds ? now : null });
    }
  }

  /** Notes a run that nothing is known of yet. */
  #notice(run: Run, topic: Topic, known: readonly Incident[], due: number | null): void {
    const { now } = this.#input;
    if (!run.isNew || due === null || (run.to ?? now) < now - TOO_OLD || isOfMaintenance(run, topic)) return;
    const isNoted = known.some((one) => {
      if (one.isFlapping || holds(run, one.from)) return true;
      if (one.toldAt === null || !lasts(topic.kind)) return false;
      // Either a correction of what was there when the other one was told, or a part of what came and went.
      return (run.to ?? now) < Math.max(one.toldAt, one.from) || (run.from >= one.from && run.from <= (one.to ?? now));
    });
    if (isNoted) return;
    const from = run.bad[0]?.from ?? run.from;
    // An instance whose clock is ahead may have dated it to the future.
    const lookAt = Math.max(Math.min(due, now + DAY), now + NOTICED_TOGETHER, snoozedUntil(topic, from, now));
    const { key, kind } = topic;
    const incident = { topic: key, kind, from, to: run.to, toldAt: null, toldIn: null, isFlapping: false, lookAt };
    this.#plan.added.push(incident);
  }

  /** If one of them is due, tells it and what is due within so long after it. */
  #tell(kind: MessageKind, all: readonly Incident[], within: number): void {
    const { now } = this.#input;
    if (!all.some((one) => isDue(one, now))) return;
    const members = all.filter((one) => isDue(one, now + within));
    const slot = this.#freeSlot();
    if (slot > now) {
      for (const one of members) this.#change(one, { lookAt: slot });
      return;
    }
    this.#times.push(now);
    const threads = new Set(members.map(({ toldIn }) => toldIn));
    this.#plan.messages.push({
      kind,
      incidents: members,
      thread: threads.size === 1 ? (members[0]?.toldIn ?? null) : null,
      heldBackUntil: this.#times.length >= MOST_AN_HOUR ? this.#freeSlot() : null,
    });
    const last = new Map(members.map((one) => [one.topic, one]));
    for (const one of members) this.#change(one, this.#afterTelling(kind, one, last.get(one.topic) === one));
  }

  /** When the next message may be sent. */
  #freeSlot(): number {
    const { now, quietUntil } = this.#input;
    const oldest = this.#times.at(-MOST_AN_HOUR);
    const slot = oldest === undefined ? now : Math.max(now, oldest + HOUR);
    return quietUntil(slot) ?? slot;
  }

  #afterTelling(kind: MessageKind, incident: Incident, isLast: boolean): Partial<Incident> {
    const { now } = this.#input;
    if (kind === "ended") return { lookAt: null };
    if (kind === "still") return { lookAt: now + REMIND_AFTER };
    const known = this.#byTopic.get(incident.topic) ?? [];
    const lately = known.filter(({ toldAt, from }) => toldAt !== null && from > incident.from - FLAPS_WITHIN);
    const isStable = incident.to !== null && incident.to <= now - STABLE_AFTER;
    if (isLast && !isStable && lately.length >= FLAPS_AT - 1) {
      const to = lasts(incident.kind) ? null : incident.to;
      return { toldAt: now, isFlapping: true, to, lookAt: now + STABLE_AFTER };
    }
    const goesOn = lasts(incident.kind) && incident.to === null;
    return { toldAt: now, lookAt: goesOn ? now + REMIND_AFTER : null };
  }
}

function isDue({ lookAt }: Incident, at: number): boolean {
  return lookAt !== null && lookAt <= at;
}

function lasts(kind: string): boolean {
  return NOTICE_KINDS[kind]?.lasts ?? false;
}

function holds({ from, to }: Run, at: number): boolean {
  return at >= from && (to === null || at <= to);
}

/** When the beginning of a run is told, at the earliest. Null: there is nothing to tell, or it is over and was too short. */
function dueAt(run: Run, kind: string, delay: number, now: number): number | null {
  const first = run.bad[0];
  if (!first) return null;
  if (!lasts(kind)) return first.from + TOGETHER;
  // The console was away, so it reports nothing yet, and looks again until it has data.
  if (!isKnown(run)) return now + TOGETHER;
  const overdue = overdueFrom(run, delay);
  return overdue === null ? null : Math.max(overdue, first.from + TOGETHER);
}

/** Until when a beginning at `from` is not told. One without an end is looked at again. */
function snoozedUntil(topic: Topic, from: number, now: number): number {
  if (isSnoozedToEnd(topic, from)) return now + SNOOZE_LOOKS;
  // Its end may still be moved.
  const ends = topic.maintenance.filter((one) => now >= one.from && now < one.to);
  return Math.max(topic.snooze?.until ?? 0, ...ends.map(({ to }) => Math.min(to, now + SNOOZE_LOOKS)));
}

function isOfMaintenance({ bad, to }: Run, { maintenance }: Topic): boolean {
  const from = bad[0]?.from;
  return from !== undefined && to !== null && maintenance.some((one) => from >= one.from && to <= one.to);
}

/** What had begun when it was snoozed until it recovers is not told. */
function isSnoozedToEnd({ snooze }: Topic, from: number): boolean {
  return snooze !== null && snooze.until === null && from <= snooze.at;
}

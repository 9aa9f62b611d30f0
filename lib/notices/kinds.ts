import { MINUTE } from "@/lib/format/time";

// The channels and the kinds of notices, and which notices accounts get by default. What counts as full, critical or wrong is decided where events are
// recorded: a rule chooses whether and how late.

/** By what an account can be told, and what people call it. */
export const CHANNEL_NAMES = { mail: "Mail", webhook: "Webhook", discord: "Discord" } as const;
export type ChannelKind = keyof typeof CHANNEL_NAMES;
/** The longest name of a channel, in characters as people count them (code points). */
export const MAX_CHANNEL_NAME = 64;

/** What a notice is about. */
export type Subject = "server" | "service" | "token" | "channel";

export type Words = {
  /** Of one and of several: "web-1 is offline", "12 servers are offline". */
  is: string;
  are: string;
  /** Of one that is over: "web-1 was offline". */
  was: string;
  /** Of one that is over and was told before: "web-1 is online again". */
  again: string;
};

type NoticeKind = {
  subject: Subject;
  /** Has an end, which is told too. Otherwise it is a moment. */
  lasts: boolean;
  isOn: boolean;
  /** Told this long after its beginning, if it goes on. */
  minutes: number;
  words: Words;
  /** It tells of an end that is so many days ahead. */
  daysAhead?: number;
};

/** How one thing is told, and several; how one that is over is, and one whose beginning was told before. */
type Sentences = [is: string, are: string, was: string, again: string];

const lasting = (subject: Subject, minutes: number, [is, are, was, again]: Sentences): NoticeKind => {
  return { subject, lasts: true, isOn: true, minutes, words: { is, are, was, again } };
};
const moment = (subject: Subject, is: string, are: string): NoticeKind => {
  return { subject, lasts: false, isOn: true, minutes: 0, words: { is, are, was: "", again: "" } };
};

/** By the kind of the event. */
export const NOTICE_KINDS: Readonly<Record<string, NoticeKind>> = {
  offline: lasting("server", 5, ["is offline", "are offline", "was offline", "is online again"]),
  disk_full: lasting("server", 0, [
    "has a full disk",
    "have a full disk",
    "had a full disk",
    "has room on its disk again",
  ]),
  critical: lasting("server", 0, ["is critical", "are critical", "was critical", "is no longer critical"]),
  clock_wrong: lasting("server", 0, [
    "has a wrong clock",
    "have a wrong clock",
    "had a wrong clock",
    "has the right time again",
  ]),
  two_daemons: lasting("server", 0, ["has two daemons", "have two daemons", "had two daemons", "has one daemon again"]),
  failed: lasting("service", 0, ["has failed", "have failed", "had failed", "has recovered"]),
  unserved: lasting("service", 0, [
    "is served by no live edge node",
    "are served by no live edge node",
    "was served by no live edge node",
    "has a live edge node again",
  ]),
  ends_in_14_days: { ...moment("token", "ends in 14 days", "end in 14 days"), daysAhead: 14 },
  ends_in_3_days: { ...moment("token", "ends in 3 days", "end in 3 days"), daysAhead: 3 },
  refused_after_end: moment("token", "was used after its end, and refused", "were used after their end, and refused"),
  new_network: moment("token", "was used from a new network", "were used from new networks"),
};

/** A channel was turned off, because nothing arrives there. The others of its account tell so, whatever it chose. */
export const CHANNEL_OFF = "channel_off";
/** So many notices were too many to be kept. Their number is the name of the row. */
export const UNSENT = "unsent";
const ALWAYS: Readonly<Record<string, NoticeKind>> = {
  [CHANNEL_OFF]: moment(
    "channel",
    "was turned off, because nothing arrives there",
    "were turned off, because nothing arrives there",
  ),
  [UNSENT]: moment("channel", "more notices were too many to be told", ""),
};

/** The kind of a notice; null for one that this version does not know. */
export function findKind(kind: string): NoticeKind | null {
  return NOTICE_KINDS[kind] ?? ALWAYS[kind] ?? null;
}

/** What an account chose for a kind. */
type Rule = { isOn: boolean; delay: number };
type Rules = {
  of(kind: string): Rule;
  /** Whether the end of what was told is told too. */
  tellsEnds: boolean;
  /** Whether it gets notices about game services that others share with it. */
  tellsShared: boolean;
};

/** The rule that tells an account of game services that others share with it. Off unless chosen: anybody can share with anybody. */
export const SHARED = "shared";

/** The rule that tells the end of what was told. It has no delay. */
export const RECOVERED = "recovered";

/** The longest delay that can be chosen, in minutes. */
export const LONGEST_DELAY = 24 * 60;

type StoredRule = { on?: unknown; minutes?: unknown };

/** Reads `rules` of notice_settings. What is missing or makes no sense is as it is for everybody. Delays in milliseconds. */
export function readRules(stored: unknown): Rules {
  const all = (typeof stored === "object" && stored !== null ? stored : {}) as Record<string, StoredRule | null>;
  const isOn = (kind: string, otherwise: boolean) => {
    const on = all[kind]?.on;
    return typeof on === "boolean" ? on : otherwise;
  };
  return {
    of(kind) {
      const known = findKind(kind);
      if (!known) return { isOn: false, delay: 0 };
      const minutes = Number(all[kind]?.minutes ?? known.minutes);
      const isSound = Number.isInteger(minutes) && minutes >= 0 && minutes <= LONGEST_DELAY;
      return { isOn: isOn(kind, known.isOn), delay: (isSound ? minutes : known.minutes) * MINUTE };
    },
    tellsEnds: isOn(RECOVERED, true),
    tellsShared: isOn(SHARED, false),
  };
}

// The channels and the kinds of notices, and which notices accounts get by default. What counts as full, critical or
// wrong is decided where events are recorded: a rule chooses whether and how late.

/** By what an account can be told, and what people call it. */
export const CHANNEL_NAMES = { mail: "Mail", webhook: "Webhook", discord: "Discord" } as const;
export type ChannelKind = keyof typeof CHANNEL_NAMES;
/** The longest name of a channel, in characters as people count them (code points). */
export const MAX_CHANNEL_NAME = 64;

/** What a notice can be about, and what people call it. */
export const SUBJECTS = { server: "server", service: "game service", token: "token", channel: "channel" } as const;
export type Subject = keyof typeof SUBJECTS;

/** What is said of one: that goes on ("is offline"), is over and was told before ("is online again"), or is over ("was offline"). */
type Words = { is: string; again: string; was: string };

type NoticeKind = {
  subject: Subject;
  /** Has an end, which is told too. Otherwise it is a moment. */
  lasts: boolean;
  /** Told this long after its beginning, if it goes on. */
  minutes: number;
  words: Words;
  /** It tells of an end that is so many days ahead. */
  daysAhead?: number;
};

const lasting = (subject: Subject, is: string, was: string, again: string, minutes = 0): NoticeKind => {
  return { subject, lasts: true, minutes, words: { is, again, was } };
};
const moment = (subject: Subject, is: string): NoticeKind => {
  return { subject, lasts: false, minutes: 0, words: { is, again: "", was: "" } };
};

/** By the kind of the event. */
export const NOTICE_KINDS: Readonly<Record<string, NoticeKind>> = {
  offline: lasting("server", "is offline", "was offline", "is online again", 5),
  disk_full: lasting("server", "has a full disk", "had a full disk", "has room on its disk again"),
  critical: lasting("server", "is critical", "was critical", "is no longer critical"),
  clock_wrong: lasting("server", "has a wrong clock", "had a wrong clock", "has the right time again"),
  two_daemons: lasting("server", "has two daemons", "had two daemons", "has one daemon again"),
  failed: lasting("service", "has failed", "had failed", "has recovered"),
  unserved: lasting(
    "service",
    "is served by no live edge node",
    "was served by no live edge node",
    "has a live edge node again",
  ),
  ends_in_14_days: { ...moment("token", "ends in 14 days"), daysAhead: 14 },
  ends_in_3_days: { ...moment("token", "ends in 3 days"), daysAhead: 3 },
  refused_after_end: moment("token", "was used after its end, and refused"),
  new_network: moment("token", "was used from a new network"),
};

const OF_SEVERAL = [
  ["is", "are"],
  ["was", "were"],
  ["has", "have"],
  ["its", "their"],
  ["a new network", "new networks"],
] as const;

/** Words of one, as they are said of several. */
export function ofSeveral(words: string): string {
  return OF_SEVERAL.reduce((text, [one, several]) => text.replace(new RegExp(`\\b${one}\\b`), several), words);
}

/** A channel was turned off, because nothing arrives there. The others of its account tell so, whatever it chose. */
export const CHANNEL_OFF = "channel_off";
/** So many notices were too many to be kept. Their number is the name of the row. */
export const UNSENT = "unsent";
const ALWAYS: Readonly<Record<string, NoticeKind>> = {
  [CHANNEL_OFF]: moment("channel", "was turned off, because nothing arrives there"),
  [UNSENT]: moment("channel", "more notices were too many to be told"),
};

/** The kind of a notice; null for one that this version does not know. */
export function findKind(kind: string): NoticeKind | null {
  return NOTICE_KINDS[kind] ?? ALWAYS[kind] ?? null;
}

/** The rule that tells an account of game services that others share with it. Off unless chosen: anybody can share with anybody. */
export const SHARED = "shared";

/** The rule that tells the end of what was told. It has no delay. */
export const RECOVERED = "recovered";

/** The longest delay that can be chosen, in minutes. */
export const LONGEST_DELAY = 24 * 60;

import { MINUTE } from "@/lib/format/time";

// Which notices accounts get by default. What counts as full, critical or wrong is decided where events are
// recorded: a rule chooses whether and how late.

/** What an event is about. */
export type Subject = "server" | "service" | "token";

type Words = {
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
};

const OF_SERVER = { subject: "server", isOn: true, minutes: 0 } as const;
const OF_TOKEN = { subject: "token", lasts: false, isOn: true, minutes: 0 } as const;

/** By the kind of the event. */
export const NOTICE_KINDS: Readonly<Record<string, NoticeKind>> = {
  offline: {
    ...OF_SERVER,
    lasts: true,
    minutes: 5,
    words: { is: "is offline", are: "are offline", was: "was offline", again: "is online again" },
  },
  disk_full: {
    ...OF_SERVER,
    lasts: true,
    words: {
      is: "has a full disk",
      are: "have a full disk",
      was: "had a full disk",
      again: "has room on its disk again",
    },
  },
  critical: {
    ...OF_SERVER,
    lasts: true,
    words: { is: "is critical", are: "are critical", was: "was critical", again: "is no longer critical" },
  },
  clock_wrong: {
    ...OF_SERVER,
    lasts: true,
    words: {
      is: "has a wrong clock",
      are: "have a wrong clock",
      was: "had a wrong clock",
      again: "has the right time again",
    },
  },
  two_daemons: {
    ...OF_SERVER,
    lasts: true,
    words: {
      is: "has two daemons",
      are: "have two daemons",
      was: "had two daemons",
      again: "has one daemon again",
    },
  },
  failed: {
    subject: "service",
    isOn: true,
    minutes: 0,
    lasts: true,
    words: { is: "has failed", are: "have failed", was: "had failed", again: "has recovered" },
  },
  unserved: {
    subject: "service",
    isOn: true,
    minutes: 0,
    lasts: true,
    words: {
      is: "is served by no live edge node",
      are: "are served by no live edge node",
      was: "was served by no live edge node",
      again: "has a live edge node again",
    },
  },
  ends_in_14_days: {
    ...OF_TOKEN,
    words: { is: "ends in 14 days", are: "end in 14 days", was: "came near its end", again: "" },
  },
  ends_in_3_days: {
    ...OF_TOKEN,
    words: { is: "ends in 3 days", are: "end in 3 days", was: "came near its end", again: "" },
  },
  refused_after_end: {
    ...OF_TOKEN,
    words: {
      is: "was used after its end, and refused",
      are: "were used after their end, and refused",
      was: "was refused after its end",
      again: "",
    },
  },
  new_network: {
    ...OF_TOKEN,
    words: {
      is: "was used from a new network",
      are: "were used from new networks",
      was: "was used from new networks",
      again: "",
    },
  },
};

/** What an account chose for a kind. */
type Rule = { isOn: boolean; delay: number };
export type Rules = {
  of(kind: string): Rule;
  /** Whether the end of what was told is told too. */
  tellsEnds: boolean;
  /** Whether it gets notices about game services that others share with it. */
  tellsShared: boolean;
};

/** The rule that tells an account of game services that others share with it. Off unless chosen: anybody can share with anybody. */
export const SHARED = "shared";

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
      const known = NOTICE_KINDS[kind];
      if (!known) return { isOn: false, delay: 0 };
      const minutes = Number(all[kind]?.minutes ?? known.minutes);
      const isSound = Number.isInteger(minutes) && minutes >= 0 && minutes <= LONGEST_DELAY;
      return { isOn: isOn(kind, known.isOn), delay: (isSound ? minutes : known.minutes) * MINUTE };
    },
    tellsEnds: isOn("recovered", true),
    tellsShared: isOn(SHARED, false),
  };
}

import { counted } from "@/lib/format/quantities";
import { clockText, momentText } from "@/lib/format/relative-time";
import { DAY } from "@/lib/format/time";
import { findKind, ofSeveral, SUBJECTS, type Subject, UNSENT } from "@/lib/notices/kinds";
import type { Message, Told } from "@/lib/notices/message";
import {
  DASHBOARD,
  GAME_SERVICES,
  NOTICE_PAGE,
  serverPath,
  servicePath,
  TOKEN_PAGE,
  tokenPath,
} from "@/lib/page-paths";

// What a message says, as it is known in the moment before it is sent.

/** Names in one line. The others are counted. */
const MOST_NAMES = 10;
/** What programs are given of one message; more are counted in its text. */
const MOST_EVENTS = 100;

/** What a message says besides what happened. */
type Circumstances = {
  /** Epoch milliseconds, and the zone in which its times are written. */
  now: number;
  zone: string;
  /** It is the last one before then (epoch ms): an hour has no more. */
  lastUntil: number | null;
  /** Messages of an hour were too many: what goes on is told, and the rest is counted. */
  isLate: boolean;
};

/** What goes on is told first. Each phase has its words in `kinds.ts`. */
const PHASES = ["is", "again", "was"] as const;
type Phase = (typeof PHASES)[number];
/** `times`: how often it happened since it was told last. */
type Member = Told & { times: number };

/** The text of a message. What goes on comes first. */
export function textOf(
  told: readonly Told[],
  { now, zone, lastUntil, isLate }: Circumstances,
): Pick<Message, "title" | "lines" | "events" | "link"> {
  const time = (at: number) => {
    const isNear = Math.abs(now - at) < DAY / 2;
    return isNear ? clockText(new Date(at), zone) : momentText(new Date(at), zone);
  };
  const rest = told.filter(({ kind }) => kind === UNSENT).reduce((sum, { name }) => sum + Number(name), 0);
  const happened = told.filter(({ kind }) => kind !== UNSENT);
  const goesOn = happened.filter((one) => phaseOf(one) === "is");
  const isCounted = isLate && goesOn.length < happened.length;
  const sentences = sentencesOf(isCounted ? goesOn : happened, time);
  if (isCounted)
    sentences.push(plain(`${counted(happened.length - goesOn.length, "notice")} of what was over by then`));
  if (rest > 0)
    sentences.push(plain(`${counted(rest, "notice")} that waited, and were too many to be told one by one`));
  const isSummed = isCounted || rest > 0;
  const [first, ...others] = sentences;
  const thirds = [...new Set(happened.filter(({ isThird }) => isThird).map(({ name }) => name))];
  return {
    title: `${first?.title ?? ""}${others.length === 0 ? "" : `, and ${others.length} more`}`,
    lines: [
      ...sentences.map(({ line }) => line),
      thirds.length > 0 &&
        `The third time within an hour: ${listOf(thirds)}. What follows within the hour is told together.`,
      isSummed && "The dashboard shows what happened.",
      lastUntil !== null &&
        `This is the last message before ${time(lastUntil)}: twenty within an hour are the most. Nothing is lost.`,
      `Times are ${zone}.`,
    ].filter((line) => line !== false),
    events: happened.slice(0, MOST_EVENTS).map(eventOf),
    link: isSummed ? DASHBOARD : linkOf(happened),
  };
}

type Sentence = { title: string; line: string };
const plain = (title: string): Sentence => ({ title, line: `${title}.` });

function phaseOf({ isEnd, kind, to }: Told): Phase {
  if (isEnd) return "again";
  return to !== null && findKind(kind)?.lasts ? "was" : "is";
}

/** A sentence for each kind of which something goes on, has ended, or is over. */
function sentencesOf(told: readonly Told[], time: (at: number) => string): Sentence[] {
  const groups = new Map<string, Map<string, Member>>();
  const order = (one: Told) => PHASES.indexOf(phaseOf(one));
  for (const one of told.toSorted((a, b) => order(a) - order(b) || a.from - b.from)) {
    // A message may come late: it says when a token ends, once.
    const name = `${phaseOf(one)} ${findKind(one.kind)?.daysAhead ? "end" : one.kind}`;
    const group = groups.get(name) ?? new Map<string, Member>();
    const key = `${one.subject} ${one.subjectId}`;
    const before = group.get(key);
    // Of one thing that came and went there is one part of the sentence.
    group.set(key, before ? { ...before, to: one.to, times: before.times + 1 } : { ...one, times: 1 });
    groups.set(name, group);
  }
  return [...groups].map(([name, group]) => sentenceOf(name.split(" ")[0] as Phase, [...group.values()], time));
}

function sentenceOf(phase: Phase, members: readonly Member[], time: (at: number) => string): Sentence {
  const [one] = members;
  const kind = one && findKind(one.kind);
  if (!one || !kind) return plain("Something happened");
  const isAlone = members.length === 1;
  const who = isAlone ? one.name : `${members.length} ${SUBJECTS[kind.subject]}s`;
  const often = (member: Member) => (member.times > 1 ? ` ${member.times} times` : "");
  const span = (member: Member) => `${often(member)} from ${time(member.from)} to ${time(member.to ?? member.from)}`;
  const words = kind.words[phase];
  const title = `${who} ${isAlone ? words : ofSeveral(words)}`;
  const names = (text: (member: Member) => string) => (isAlone ? "" : `: ${listOf(members.map(text))}`);
  if (kind.daysAhead) {
    const end = ({ kind, from }: Member) => time(from + (findKind(kind)?.daysAhead ?? 0) * DAY);
    const ends = isAlone ? `${who} ends at ${end(one)}` : `${who} end soon`;
    return { title: ends, line: `${ends}${names((member) => `${member.name} (${end(member)})`)}.` };
  }
  if (phase === "is") {
    const since = `${title} ${kind.lasts ? "since" : "at"} ${time(one.from)}`;
    return { title: since, line: `${since}${names(({ name }) => name)}.` };
  }
  if (!isAlone) return { title, line: `${title}${names((member) => `${member.name} (${span(member).trim()})`)}.` };
  return {
    title: `${title}${often(one)}`,
    line:
      phase === "was"
        ? `${title}${span(one)}.`
        : `${title} since ${time(one.to ?? one.from)}. It began at ${time(one.from)}.`,
  };
}

/** "a, b, c and 9 more". */
function listOf(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function eventOf({ subject, subjectId, kind, from, to, name }: Told) {
  const ended = to === null || !findKind(kind)?.lasts ? null : new Date(to).toISOString();
  return { [subject]: { id: subjectId, name }, kind, started_at: new Date(from).toISOString(), ended_at: ended };
}

const ALL: Readonly<Record<Subject, string>> = {
  server: DASHBOARD,
  service: GAME_SERVICES,
  token: TOKEN_PAGE,
  channel: NOTICE_PAGE,
};
const ONE = { server: serverPath, service: servicePath, token: tokenPath, channel: () => NOTICE_PAGE };

function linkOf(told: readonly Told[]): string {
  const things = new Set(told.map(({ subject, subjectId }) => `${subject} ${subjectId}`));
  const [one] = told;
  if (!one) return DASHBOARD;
  return things.size > 1 ? ALL[one.subject] : ONE[one.subject](one.subjectId);
}

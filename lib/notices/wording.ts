import { clockText, momentText } from "@/lib/format/relative-time";
import { DAY } from "@/lib/format/time";
import { NOTICE_KINDS, type Subject } from "@/lib/notices/kinds";
import type { Message } from "@/lib/notices/message";
import type { Unsent } from "@/lib/notices/planning";
import { DASHBOARD, GAME_SERVICES, serverPath, servicePath, TOKEN_PAGE, tokenPath } from "@/lib/page-paths";

// What a message says, as it is known in the moment before it is sent.

/** Names in one line. The others are counted. */
const MOST_NAMES = 10;
/** What programs are given of one message; more are counted in its text. */
const MOST_EVENTS = 100;

/** Times in epoch milliseconds. */
type ToldIncident = {
  id: number;
  subject: Subject;
  subjectId: number;
  kind: string;
  from: number;
  to: number | null;
  /** As its owner named it. */
  name: string;
};

export type MessageContent = {
  kind: "begun" | "ended" | "still" | "test" | "unsent";
  incidents: readonly ToldIncident[];
  /** Ids of those that come and go. */
  flapping: readonly number[];
  /** Of a message of the kind "unsent". */
  unsent: Unsent | null;
  heldBack: HeldBack | null;
};

/** The next message comes then (epoch ms); so many wait already. */
type HeldBack = { until: number; waiting: number };

/** A message without what the delivery adds. */
type Text = Pick<Message, "title" | "lines" | "events" | "link">;

/** The text of a message at `now` (epoch ms), with times in `zone`. */
export function textOf(content: MessageContent, now: number, zone: string): Text {
  const { kind, incidents, flapping, heldBack } = content;
  if (kind === "test") return TEST;
  const time = timeText(now, zone);
  const held = heldBack ? [heldBackLine(heldBack, now, zone)] : [];
  if (kind === "unsent") return unsentText(content.unsent, held, time, zone);
  const phases = incidents.map((one): [string, ToldIncident] => {
    const phase = flapping.includes(one.id) ? "flapping" : kind === "begun" && isOver(one) ? "over" : kind;
    return [`${phase} ${one.kind}`, one];
  });
  const sentences = [...new Set(phases.map(([phase]) => phase))].map((phase) => {
    const members = phases.filter(([of]) => of === phase).map(([, one]) => one);
    return sentenceOf(phase.split(" ")[0] ?? "", members, time);
  });
  const [first, ...others] = sentences;
  return {
    title: `${first?.title ?? ""}${others.length === 0 ? "" : `, and ${others.length} more`}`,
    lines: [...sentences.map(({ line }) => line), ...held, `Times are ${zone}.`],
    events: incidents.slice(0, MOST_EVENTS).map(eventOf),
    link: heldBack ? DASHBOARD : linkOf(incidents),
  };
}

/** The line of the last message of an hour, at `now` (epoch ms). */
export function heldBackLine({ until, waiting }: HeldBack, now: number, zone: string): string {
  const last = `This is the last message before ${timeText(now, zone)(until)}`;
  return waiting === 0
    ? `${last}. One message then says what happened until then; the dashboard shows it at once.`
    : `${last}: twenty within an hour are the most. ${waiting} more wait and come from then on; the dashboard shows at once what happened.`;
}

function timeText(now: number, zone: string): (at: number) => string {
  return (at) => {
    const [moment, isToday] = [new Date(at), Math.abs(now - at) < DAY / 2];
    return isToday ? clockText(moment, zone) : momentText(moment, zone);
  };
}

function unsentText(unsent: Unsent | null, held: string[], time: (at: number) => string, zone: string): Text {
  const { count, from, to } = unsent ?? { count: 0, from: 0, to: 0 };
  const title = `${count} older notices were not sent`;
  const why = `${title}: they were due from ${time(from)} to ${time(to)}, and too many waited. The dashboard shows what happened.`;
  return { title, lines: [why, ...held, `Times are ${zone}.`], events: [], link: DASHBOARD };
}

const TEST: Text = {
  title: "This is a test",
  lines: ["Somebody asked the console to send a test. Nothing has happened."],
  events: [],
  link: DASHBOARD,
};

/** Whether its end is known, of what has one. */
export function isOver({ kind, to }: Pick<ToldIncident, "kind" | "to">): boolean {
  return to !== null && (NOTICE_KINDS[kind]?.lasts ?? false);
}

function sentenceOf(phase: string, members: readonly ToldIncident[], time: (at: number) => string) {
  const [one] = members;
  const words = NOTICE_KINDS[one?.kind ?? ""]?.words;
  if (!one || !words) return { title: "", line: "" };
  const isAlone = members.length === 1;
  const who = isAlone ? one.name : `${members.length} ${THINGS[one.subject]}`;
  const since = time(Math.min(...members.map(({ from }) => from)));
  const span = (incident: ToldIncident) => `from ${time(incident.from)} to ${time(incident.to ?? incident.from)}`;
  const title = `${who} ${wordsOf(phase, words, isAlone)}`;
  const each = (text: (incident: ToldIncident) => string) => (isAlone ? "" : `: ${listOf(members.map(text))}`);
  const lasting = NOTICE_KINDS[one.kind]?.lasts ? "since" : "at";
  switch (phase) {
    case "flapping":
      return {
        title,
        line: `${title}${each(({ name }) => name)}. The next message comes once this has been stable for 30 minutes.`,
      };
    case "over":
    case "ended":
      return isAlone
        ? {
            title,
            line:
              phase === "over"
                ? `${title} ${span(one)}.`
                : `${title} since ${time(one.to ?? one.from)}. It began at ${time(one.from)}.`,
          }
        : { title, line: `${title}${each((incident) => `${incident.name} (${span(incident)})`)}.` };
    default:
      return {
        title: `${title} ${lasting} ${since}`,
        line: `${title} ${lasting} ${since}${each(({ name }) => name)}.`,
      };
  }
}

const THINGS: Readonly<Record<Subject, string>> = { server: "servers", service: "game services", token: "tokens" };

function wordsOf(
  phase: string,
  words: { is: string; are: string; was: string; again: string },
  isAlone: boolean,
): string {
  if (phase === "flapping")
    return `${isAlone ? words.was : words.was.replace(/^was/, "were")} three times within an hour`;
  if (phase === "over") return isAlone ? words.was : words.was.replace(/^was/, "were");
  if (phase === "ended") return isAlone ? words.again : words.again.replace(/^is/, "are").replace(/^has/, "have");
  const verb = isAlone ? words.is : words.are;
  return phase === "still" ? verb.replace(/^(is|are|has|have)/, "$1 still") : verb;
}

/** "a, b, c and 9 more". */
function listOf(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function eventOf({ subject, subjectId, kind, from, to, name }: ToldIncident) {
  const ended = to === null ? null : new Date(to).toISOString();
  return { [subject]: { id: subjectId, name }, kind, started_at: new Date(from).toISOString(), ended_at: ended };
}

function linkOf(incidents: readonly ToldIncident[]): string {
  const things = new Set(incidents.map(({ subject, subjectId }) => `${subject} ${subjectId}`));
  const [one] = incidents;
  if (!one || things.size > 1)
    return one?.subject === "service" ? GAME_SERVICES : one?.subject === "token" ? TOKEN_PAGE : DASHBOARD;
  return { server: serverPath, service: servicePath, token: tokenPath }[one.subject](one.subjectId);
}

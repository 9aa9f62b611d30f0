import { EventList, type EventName, marksOf } from "@/app/dashboard/event-list";
import type { ChartLane } from "@/app/ui/chart/time-chart";
import { counted } from "@/lib/format/quantities";
import { SECOND } from "@/lib/format/time";
import type { ServerEvent } from "@/lib/servers/events/events";
import { CONDITION_KINDS, type EventKind } from "@/lib/servers/events/kinds";
import { type Availability, uptimeOf } from "@/lib/servers/events/uptime";
import { type Component, LABELS } from "@/lib/servers/health-score";
import type { History } from "@/lib/servers/telemetry/history";
import { lengthText, zonedText } from "./silence-text";

const KINDS: Readonly<Record<EventKind, EventName>> = {
  offline: { sign: "✕", word: "Offline", tone: "danger" },
  critical: { sign: "‼", word: "Critical", tone: "danger" },
  strained: { sign: "▽", word: "Strained", tone: "warning" },
  disk_full: { sign: "■", word: "Disk full", tone: "warning" },
  clock_wrong: { sign: "◷", word: "Clock wrong", tone: "warning" },
  rebooted: { sign: "↻", word: "Rebooted", tone: "warning" },
  process_killed: { sign: "!", word: "Killed for lack of memory", tone: "warning" },
  unit_failed: { sign: "!", word: "Services failed", tone: "warning" },
  two_daemons: { sign: "!", word: "Two daemons with one key", tone: "warning" },
  benchmark: { sign: "▲", word: "Benchmark" },
  key_replaced: { sign: "✎", word: "Key replaced" },
  settings_changed: { sign: "✎", word: "Renamed" },
};
/** A newer version beside this one may have written a kind that this one does not know. */
const shownKind = (kind: EventKind) => (KINDS as Partial<typeof KINDS>)[kind] ?? { sign: "·", word: kind };

type Props = {
  history: History;
  events: readonly ServerEvent[];
  availability: Availability;
  /** Of the time shown: "24 hours". */
  length: string;
  zone: string;
};

/** What happened to the server in the time shown: marks in one lane, and the same in words. */
export function eventLane(props: Props): ChartLane {
  const { from, since, until, now } = props.history;
  // Those of which the uptime of the same length counts the outages.
  const shown = props.events.filter((event) => (event.to ?? now) > since && event.from < until);
  const named = shown.map((event) => ({ ...event, ...shownKind(event.kind), details: factsText(event) }));
  const marks = marksOf(named, from, now, props.zone);
  const words = <EventList events={named} summary={summaryOf(shown, props)} now={now} zone={props.zone} />;
  return { name: "Events", marks, words };
}

function summaryOf(shown: readonly ServerEvent[], { history, availability, length, zone }: Props): string {
  const { since: begin, until, now } = history;
  const uptime = uptimeOf(availability, { from: begin, to: until });
  const sums = SUMMED.flatMap((kind) => {
    const all = shown.filter((event) => event.kind === kind);
    const inAll = all.reduce((sum, event) => sum + Math.min(until, event.to ?? now) - Math.max(begin, event.from), 0);
    const ms = kind === "offline" ? uptime.offline : inAll;
    if (all.length === 0 || (kind === "offline" && ms === 0)) return [];
    const times = kind === "offline" ? uptime.outages : all.length;
    return `${KINDS[kind].word} ${counted(times, "time")} in ${length}, ${lengthText(ms)} in all.`;
  });
  if (uptime.maintenance > 0) sums.push(`${lengthText(uptime.maintenance)} of maintenance left out.`);
  const rest = shown.filter(({ kind }) => !SUMMED.includes(kind)).length;
  if (rest > 0)
    sums.push(sums.length > 0 ? `${counted(rest, "other event")}.` : `${counted(rest, "event")} in ${length}.`);
  const since = shown.find(({ kind, to }) => kind === "offline" && to === null)?.from;
  if (since !== undefined) sums.push(`Now: since ${zonedText(new Date(since), new Date(now), zone)}.`);
  return sums.join(" ");
}

/** What lasts, in the order in which its sums are said. */
const SUMMED: readonly EventKind[] = ["offline", ...CONDITION_KINDS];

/** " (3)", " (was web-1)": what is worth saying of an event besides its kind. */
function factsText({ kind, facts }: ServerEvent): string {
  const { count, label, hostname, total, cause, score, percent, seconds } = facts;
  const before = [label, hostname].filter((name) => name !== undefined && name !== "").join(", ");
  if (cause !== undefined) return ` (${LABELS[cause as Component] ?? cause}, score ${score})`;
  if (percent !== undefined) return ` (${percent} % used)`;
  if (seconds !== undefined)
    return ` (${lengthText(Math.abs(Number(seconds)) * SECOND)} ${Number(seconds) > 0 ? "ahead" : "behind"})`;
  if (count !== undefined) return ` (${count})`;
  if (total !== undefined) return ` (${before}, ${total} points)`;
  return before === "" ? "" : ` (${kind === "settings_changed" ? "was " : ""}${before})`;
}

/** Since when the server is known, if that is within the time shown. */
export function recordedText({ from, now }: History, { since }: Availability, zone: string): string {
  return since <= from ? "" : `The server is known since ${zonedText(new Date(since), new Date(now), zone)}.`;
}

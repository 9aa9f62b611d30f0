import type { ChartLane } from "@/app/ui/chart/time-chart";
import { counted } from "@/lib/quantities";
import type { ServerEvents } from "@/lib/servers/events/server-events";
import type { SilenceEvent, SilenceKind } from "@/lib/servers/events/silence";
import type { History } from "@/lib/servers/telemetry/history";
import styles from "./history.module.css";
import { lengthText, spanText, zonedText } from "./silence-text";

/** The sign and the word of each kind of event. */
const KINDS: Readonly<Record<SilenceKind, { sign: string; word: string }>> = {
  offline: { sign: "✕", word: "Offline" },
  unreachable: { sign: "⇹", word: "Unreachable" },
  unknown: { sign: "?", word: "Not known" },
};
/** Lists at most this many events and counts the rest. */
const LISTED = 100;

type Props = {
  history: History;
  events: ServerEvents;
  /** Of the time shown: "24 hours". */
  length: string;
  zone: string;
};

/** What happened to the server in the time shown: marks in one lane, and the same in words. */
export function eventLane(props: Props): ChartLane {
  const shown = shownEvents(props.history, props.events);
  const { from, now } = props.history;
  const marks = shown.map(({ kind, ...span }) => ({ kind, from: Math.max(from, span.from), to: span.to ?? now }));
  return { name: "Events", kind: "outage", marks, words: <Events {...props} shown={shown} /> };
}

/** The events, and before any were recorded the times in which no sample came. */
function shownEvents({ silences, now }: History, { events, recordedSince }: ServerEvents): SilenceEvent[] {
  const before = silences
    .filter(
      ({ from, to }) => from < (recordedSince ?? now) && !events.some((one) => one.from < to && (one.to ?? now) > from),
    )
    .map(({ from, to }): SilenceEvent => ({ kind: "offline", from, to: to >= now ? null : to }));
  return [...before, ...events].sort((a, b) => a.from - b.from);
}

function Events({ shown, history, length, zone }: Omit<Props, "events"> & { shown: readonly SilenceEvent[] }) {
  const { from, now } = history;
  const sums = (Object.keys(KINDS) as SilenceKind[]).flatMap((kind) => {
    const all = shown.filter((event) => event.kind === kind);
    if (all.length === 0) return [];
    const ms = all.reduce((sum, event) => sum + (event.to ?? now) - Math.max(from, event.from), 0);
    return `${KINDS[kind].word} ${counted(all.length, "time")} in ${length}, ${lengthText(ms)} in all.`;
  });
  const last = shown.at(-1);
  const isNow = last !== undefined && last.to === null;
  return (
    <details className={`disclosure ${styles.outages}`} data-outages={shown.length}>
      <summary>
        {sums.join(" ")}
        {isNow && ` Now: since ${zonedText(new Date(last.from), new Date(now), zone)}.`}
      </summary>
      <ol className={styles.list} reversed>
        {shown
          .slice(-LISTED)
          .reverse()
          .map((event) => (
            <li key={`${event.kind}${event.from}`} data-event={event.kind}>
              <span aria-hidden="true">{KINDS[event.kind].sign}</span>{" "}
              {`${KINDS[event.kind].word}: ${spanText(event, now, zone)}`}
            </li>
          ))}
      </ol>
      {shown.length > LISTED && <p className="soft">And {counted(shown.length - LISTED, "earlier one")}.</p>}
      {shown.some(({ kind }) => kind === "unknown") && (
        <p className="soft">Not known: the console was away then, or the way to it was cut for most servers.</p>
      )}
      {shown.some(({ kind }) => kind === "unreachable") && (
        <p className="soft">Unreachable: samples that arrived later show that the machine was running.</p>
      )}
    </details>
  );
}

/** From when on events are recorded, if that is within the time shown. */
export function recordedText({ from, now }: History, { recordedSince }: ServerEvents, zone: string): string {
  if (recordedSince === null) return "Events are not recorded yet; times without samples are shown in their place.";
  if (recordedSince <= from) return "";
  return `Events are recorded since ${zonedText(new Date(recordedSince), new Date(now), zone)}; before that, times without samples are shown in their place.`;
}

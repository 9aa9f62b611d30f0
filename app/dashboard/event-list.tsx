import type { LaneMark, LaneTone } from "@/app/ui/chart/lane";
import { counted } from "@/lib/format/quantities";
import styles from "./event-list.module.css";
import { spanText } from "./servers/[id]/silence-text";

/** The sign and the word of a kind of event, and how its marks stand out. */
export type EventName = { sign: string; word: string; tone?: LaneTone };

/** An event as it is shown. Times in epoch milliseconds; `to` is null while it goes on. */
export type ShownEvent = EventName & {
  kind: string;
  from: number;
  to: number | null;
  /** Where its mark ends, if that is not its end. */
  markedTo?: number;
  /** " (3)": what is worth saying besides its kind. */
  details: string;
};

/** Lists at most this many events and counts the rest. */
const LISTED = 100;

/** "Offline: 22 Nov, 02:10 to 04:31 UTC (2 h 21 min)". */
function eventText({ word, details, ...span }: ShownEvent, now: number, zone: string): string {
  return `${word}${details}: ${spanText(span, now, zone)}`;
}

/** The marks of events in a lane that begins at `from`. Those that are listed can be read there as well. */
export function marksOf(events: readonly ShownEvent[], from: number, now: number, zone: string): LaneMark[] {
  return events.map((event, index) => {
    const { kind, sign, tone, markedTo, to } = event;
    const mark = { kind, tone, from: Math.max(from, event.from), to: markedTo ?? to ?? now };
    return index < events.length - LISTED ? mark : { ...mark, words: { sign, text: eventText(event, now, zone) } };
  });
}

type Props = {
  events: readonly ShownEvent[];
  /** What they are in all, in a sentence. */
  summary: string;
  now: number;
  zone: string;
  /** What is to be said below. */
  children?: React.ReactNode;
};

/** Events in words, the latest first. */
export function EventList({ events, summary, now, zone, children }: Props) {
  return (
    <details className={`disclosure ${styles.events}`} data-outages={events.length}>
      <summary>{summary}</summary>
      <ol className={`columns numbers breaks ${styles.list}`} reversed>
        {events
          .slice(-LISTED)
          .reverse()
          .map((event) => (
            <li key={`${event.kind}${event.from}${event.details}`} data-event={event.kind}>
              <span aria-hidden="true">{event.sign}</span> <bdi>{eventText(event, now, zone)}</bdi>
            </li>
          ))}
      </ol>
      {events.length > LISTED && <p className="soft">And {counted(events.length - LISTED, "earlier one")}.</p>}
      {children}
    </details>
  );
}

import { EventList, type EventName, marksOf, type ShownEvent } from "@/app/dashboard/event-list";
import type { ChartLane } from "@/app/ui/chart/time-chart";
import { counted } from "@/lib/format/quantities";
import type { Relation } from "@/lib/game-services/access";
import type { ServiceEventKind } from "@/lib/game-services/events/kinds";
import type { ServiceEvent, ServiceEvents } from "@/lib/game-services/events/service-events";
import { zonedText } from "../../servers/[id]/silence-text";
import { SETTLED, STATUSES } from "../service-status";

const CHANGE = "✎";
const KINDS: Readonly<Record<ServiceEventKind, EventName>> = {
  ...STATUSES,
  node_silent: { sign: "✕", word: "Edge node silent", tone: "danger" },
  unserved: { sign: "✕", word: "Served by no live edge node", tone: "danger" },
  created: { sign: CHANGE, word: "Created" },
  settings_changed: { sign: CHANGE, word: "Changed" },
  turned_on: { sign: CHANGE, word: "Enabled" },
  turned_off: { sign: CHANGE, word: "Disabling requested" },
  retried: { sign: CHANGE, word: "Tried again" },
  deletion_asked: { sign: CHANGE, word: "Deletion requested" },
  access_changed: { sign: CHANGE, word: "Access changed" },
};

type Props = {
  events: ServiceEvents;
  /** The time shown (epoch ms). */
  time: { from: number; to: number };
  createdAt: number;
  viewerId: number;
  relation: Relation;
  now: number;
  zone: string;
};

/** What happened to a game service in the time shown: marks in one lane, and the same in words. */
export function serviceLane(props: Props): ChartLane {
  const { time, now, zone } = props;
  const marked = shownEvents(props).flatMap((event) => {
    if (!SETTLED.includes(event.kind)) return event;
    // Its beginning alone is marked.
    return event.from >= time.from ? { ...event, markedTo: event.from } : [];
  });
  const words = <ServiceEventList {...props} />;
  return { name: "Events", marks: marksOf(marked, time.from, now, zone), words };
}

/** The same in words alone. */
export function ServiceEventList(props: Props) {
  const { events, createdAt, now, zone } = props;
  const shown = shownEvents(props);
  const { recordedSince } = events;
  return (
    <EventList events={shown} summary={`${counted(shown.length, "event")} in the time shown.`} {...{ now, zone }}>
      {(recordedSince === null || recordedSince > createdAt) && (
        <p className="soft">
          {recordedSince === null
            ? "No event of this service is recorded yet."
            : `Events of this service are recorded since ${zonedText(new Date(recordedSince), new Date(now), zone)}.`}
        </p>
      )}
    </EventList>
  );
}

function shownEvents({ events: { events }, ...viewer }: Props): (ShownEvent & { kind: ServiceEventKind })[] {
  return events.map((event) => ({ ...event, ...KINDS[event.kind], details: detailsOf(event, viewer) }));
}

/** " (name, origin) by you", " (edge-1)": what is worth saying of an event besides its kind. */
function detailsOf({ facts, by }: ServiceEvent, { viewerId, relation }: Pick<Props, "viewerId" | "relation">): string {
  const what = facts.what ?? facts.error ?? facts.node;
  const isStaff = relation === "support" || relation === "ticket";
  const who = by && (by.id === viewerId ? "you" : isStaff ? by.name : "its owner");
  return `${what === undefined ? "" : ` (${what})`}${who ? ` by ${who}` : ""}`;
}

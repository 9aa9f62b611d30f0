import { Section } from "@/app/ui/section";
import { clockText, dateText, dayText } from "@/lib/relative-time";
import type { ServerEvents } from "@/lib/servers/events/server-events";
import {
  UPTIME_RANGES,
  type UptimeRange,
  type Uptime as UptimeSums,
  uptimeDays,
  uptimeOf,
} from "@/lib/servers/events/uptime";
import { rangeParams } from "@/lib/time-range";
import { zoneText } from "@/lib/time-zone";
import { lengthText } from "./silence-text";
import styles from "./uptime.module.css";
import { uptimeText } from "./uptime-text";

/** Of the strip. */
const DAYS = 90;

type Props = {
  /** Of the longest range. */
  events: ServerEvents;
  now: number;
  zone: string;
};

/** How much of each range a server was not offline, and what each percentage comes from. */
export function Uptime({ serverPath, events: { silences, recordedSince }, now, zone }: Props & { serverPath: string }) {
  const since = recordedSince ?? now;
  return (
    <Section id="uptime" title="Uptime">
      <dl className={styles.ranges}>
        {(Object.keys(UPTIME_RANGES) as UptimeRange[]).map((name) => {
          const from = now - UPTIME_RANGES[name];
          const sums = uptimeOf(silences, Math.max(from, since), now);
          return (
            <div key={name} data-uptime={name} data-seconds={secondsOf(sums)}>
              <dt>{name}</dt>
              <dd>
                {uptimeText(sums)}
                {since > from && sums.recorded > 0 && (
                  <span className="soft">{` (${lengthText(sums.recorded)} recorded)`}</span>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      <p className="hint">
        {recordedSince === null
          ? "Events are not recorded yet. "
          : `Recorded since ${dateText(new Date(recordedSince), zone)}, ${clockText(new Date(recordedSince), zone)} ${zoneText(zone)}. `}
        A percentage is of the time that is known. While it was unreachable, the server was running.{" "}
        <a className="plain-button" href={`${serverPath}/events.csv`} download>
          Download the events as CSV
        </a>
      </p>
    </Section>
  );
}

/** Whole seconds, for programs: offline, unreachable, not known. */
function secondsOf({ offline, unreachable, unknown }: UptimeSums): string {
  return [offline, unreachable, unknown].map((ms) => Math.floor(ms / 1000)).join(" ");
}

/** What the worst of a day was, and its sign. */
const SIGNS = { offline: "✕", unreachable: "⇹", unknown: "?", up: "", none: "" } as const;

function stateOf(uptime: UptimeSums | null): keyof typeof SIGNS {
  if (uptime === null) return "none";
  if (uptime.offline > 0) return "offline";
  if (uptime.unreachable > 0) return "unreachable";
  return uptime.unknown > 0 ? "unknown" : "up";
}

/** The last days of a server, each a link to its range. */
export function UptimeStrip({ events: { silences, recordedSince }, now, zone }: Props) {
  return (
    <figure className={styles.days}>
      <ol className={styles.strip} aria-label={`The last ${DAYS} days`}>
        {uptimeDays(silences, { recordedSince, now, zone, days: DAYS }).map(({ from, to, uptime }) => {
          const state = stateOf(uptime);
          const day = dayText(new Date(from), zone);
          const text = `${day}: ${uptime ? uptimeText(uptime) : "not recorded"}`;
          return (
            <li key={from} data-day={state}>
              <a href={`?${new URLSearchParams(rangeParams({ from, to }))}`} title={text}>
                <span aria-hidden="true">{SIGNS[state]}</span>
                <span className="visually-hidden">{text}</span>
              </a>
            </li>
          );
        })}
      </ol>
      <figcaption className="hint">The last {DAYS} days. Each leads to its charts; grey ones are not known.</figcaption>
    </figure>
  );
}

import { type FleetQuery, serverInList } from "@/app/dashboard/fleet-query";
import { Link } from "@/app/ui/link";
import { Section } from "@/app/ui/section";
import { counted } from "@/lib/format/quantities";
import { clockText, dateText, dayText } from "@/lib/format/relative-time";
import { SECOND } from "@/lib/format/time";
import { rangeParams, type TimeRange } from "@/lib/format/time-range";
import { zoneText } from "@/lib/format/time-zone";
import { serverPath, serverSettingsPath } from "@/lib/page-paths";
import {
  type Availability,
  UPTIME_RANGES,
  type Uptime as UptimeSums,
  uptimeDays,
  uptimeMonths,
  uptimeOf,
} from "@/lib/servers/events/uptime";
import { lengthText } from "./silence-text";
import styles from "./uptime.module.css";
import { uptimeText } from "./uptime-text";

/** Of the strip. */
const STRIP_DAYS = 90;

type Props = { availability: Availability; zone: string };

type StripProps = Props & {
  serverId: number;
  /** The list that somebody came from. */
  list: FleetQuery;
};

/** The last days, each with a link to its charts, for the place under the server's title. */
export function UptimeDays({ serverId, list, availability, zone }: StripProps) {
  return (
    <div className={`stack ${styles.days}`}>
      <a className="skip-link" href="#health">
        Skip the {STRIP_DAYS} days
      </a>
      <p className="hint" aria-hidden="true">
        {STRIP_DAYS} days
      </p>
      <ol className={styles.strip} aria-label={`The last ${STRIP_DAYS} days`}>
        {uptimeDays(availability, zone, STRIP_DAYS).map(({ from, to, uptime }) => {
          const state = stateOf(uptime);
          const words = `${dayText(new Date(from), zone)}: ${uptime ? uptimeText(uptime) : "not recorded"}`;
          return (
            <li key={from} data-day={state}>
              <a href={`${serverInList(serverId, list, rangeParams({ from, to }))}#history`} title={words}>
                <span aria-hidden="true">{state === "offline" && "✕"}</span>
                <span className="visually-hidden">{words}</span>
              </a>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** How much of each range a server was not offline, with what each percentage comes from. */
export function Uptime({ serverId, availability, zone }: Props & { serverId: number }) {
  const { since, now } = availability;
  const ranges = Object.entries(UPTIME_RANGES).map(([name, length]) => {
    const time = { from: now - length, to: now };
    return { name, ...time, uptime: uptimeOf(availability, time) };
  });
  const months = uptimeMonths(availability, zone).map((month) => ({ ...month, name: monthText(month.from, zone) }));
  return (
    <Section
      id="uptime"
      title="Uptime"
      aside={
        <>
          <Link className="plain-button" href={`${serverSettingsPath(serverId)}#maintenance`}>
            Plan maintenance
          </Link>
          <a className="plain-button" href={`${serverPath(serverId)}/events.csv`} download>
            Events as CSV
          </a>
        </>
      }
    >
      <div className="card card-body low">
        <Rows rows={ranges} />
        {months.length > 0 && (
          <details className="disclosure">
            <summary>{counted(months.length, "month")} before this one</summary>
            <Rows rows={months.reverse()} />
          </details>
        )}
        <p className="hint">
          Choose a day at the top to see its charts; empty days were not recorded.{" "}
          {`Recorded since ${dateText(new Date(since), zone)}, ${clockText(new Date(since), zone)} ${zoneText(zone)}. `}
          Percentages are of the recorded time.
        </p>
      </div>
    </Section>
  );
}

/** The uptime of some times. */
function Rows({ rows }: { rows: readonly (TimeRange & { name: string; uptime: UptimeSums })[] }) {
  return (
    <dl className={`text-md numbers ${styles.ranges}`}>
      {rows.map(({ name, from, to, uptime }) => (
        <div key={name} data-uptime={name} data-seconds={Math.floor(uptime.offline / SECOND)}>
          <dt>{name}</dt>
          <dd>
            {uptimeText(uptime)}
            {uptime.known > 0 && uptime.known + uptime.maintenance < to - from && (
              <span className="soft">{` (${lengthText(uptime.known)} recorded)`}</span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** "October 2026". */
function monthText(at: number, timeZone: string): string {
  return new Date(at).toLocaleDateString("en-GB", { month: "long", year: "numeric", timeZone });
}

/** What the worst of a day was. */
function stateOf(uptime: UptimeSums | null): "none" | "offline" | "up" {
  if (uptime === null) return "none";
  return uptime.offline > 0 ? "offline" : "up";
}

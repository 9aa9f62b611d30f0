import { type FleetQuery, serverInList } from "@/app/dashboard/fleet-query";
import { Link } from "@/app/ui/link";
import { Section } from "@/app/ui/section";
import { counted } from "@/lib/format/quantities";
import { clockText, dateText, dayText } from "@/lib/format/relative-time";
import { rangeParams } from "@/lib/format/time-range";
import { zoneText } from "@/lib/format/time-zone";
import { serverPath, serverSettingsPath } from "@/lib/page-paths";
import {
  type KnownTimes,
  UPTIME_RANGES,
  type UptimeRange,
  type Uptime as UptimeSums,
  uptimeDays,
  uptimeOf,
} from "@/lib/servers/events/uptime";
import { middleOf, type UptimeSum } from "@/lib/servers/events/uptime-sums";
import { lengthText } from "./silence-text";
import styles from "./uptime.module.css";
import { type DayState, UptimeStrip } from "./uptime-strip";
import { uptimeText } from "./uptime-text";

/** Of the strip. */
export const STRIP_DAYS = 90;

type Props = {
  /** Of the longest range. */
  known: KnownTimes;
  recordedSince: number | null;
  now: number;
  zone: string;
};

type StripProps = Props & {
  serverId: number;
  /** The list that somebody came from. */
  list: FleetQuery;
  days: readonly UptimeSum[];
};

/** The last days, for the place under the server's title. */
export function UptimeDays(strip: StripProps) {
  return (
    <div className={styles.days}>
      <a className="skip-link" href="#health">
        Skip the {STRIP_DAYS} days
      </a>
      <p className="hint" aria-hidden="true">
        {STRIP_DAYS} days
      </p>
      <UptimeStrip label={`The last ${STRIP_DAYS} days`} text={daysText(strip)} />
    </div>
  );
}

type UptimeProps = Props & { serverId: number; months: readonly UptimeSum[] };

/** How much of each range a server was not offline, with what each percentage comes from. */
export function Uptime({ serverId, known, recordedSince, now, zone, months }: UptimeProps) {
  const since = recordedSince ?? now;
  const ranges = (Object.keys(UPTIME_RANGES) as UptimeRange[]).map((name) => {
    const from = now - UPTIME_RANGES[name];
    return { name, isWhole: since <= from, sums: uptimeOf(known, Math.max(from, since), now) };
  });
  const wasUnreachable = [...ranges.map(({ sums }) => sums), ...months.map(({ uptime }) => uptime)].some(
    ({ unreachable }) => unreachable > 0,
  );
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
      <div className={`card card-body low ${styles.uptime}`}>
        <dl className={styles.ranges}>
          {ranges.map(({ name, isWhole, sums }) => (
            <div key={name} data-uptime={name} data-seconds={secondsOf(sums)}>
              <dt>{name}</dt>
              <dd>
                {uptimeText(sums)}
                {!isWhole && sums.recorded > 0 && (
                  <span className="soft">{` (${lengthText(sums.recorded)} recorded)`}</span>
                )}
              </dd>
            </div>
          ))}
        </dl>
        {months.length > 0 && <Months months={months} />}
        <p className="hint">
          Choose a day at the top to see its charts; empty days were not recorded.{" "}
          {recordedSince === null
            ? "Events are not recorded yet. "
            : `Recorded since ${dateText(new Date(recordedSince), zone)}, ${clockText(new Date(recordedSince), zone)} ${zoneText(zone)}. `}
          Percentages are of the known time.
          {wasUnreachable && " Unreachable time counts as up: the server was running."}
        </p>
      </div>
    </Section>
  );
}

/** The months that have ended, the latest first. They stay as they are, also when their events are gone. */
function Months({ months }: { months: readonly UptimeSum[] }) {
  return (
    <details className="disclosure">
      <summary>{counted(months.length, "month")} before this one</summary>
      <dl className={styles.ranges}>
        {[...months].reverse().map(({ from, to, zone, uptime }) => (
          <div key={from} data-month={monthText(middleOf({ from, to }), zone)}>
            <dt>{monthText(middleOf({ from, to }), zone)}</dt>
            <dd>
              {uptimeText(uptime)}
              {uptime.recorded < to - from && (
                <span className="soft">{` (${lengthText(uptime.recorded)} recorded)`}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** "October 2026". */
function monthText(at: number, timeZone: string): string {
  return new Date(at).toLocaleDateString("en-GB", { month: "long", year: "numeric", timeZone });
}

/** Whole seconds, for programs: offline, unreachable, not known. */
function secondsOf({ offline, unreachable, unknown }: UptimeSums): string {
  return [offline, unreachable, unknown].map((ms) => Math.floor(ms / 1000)).join(" ");
}

/** What the worst of a day was. */
function stateOf(uptime: UptimeSums | null): DayState {
  if (uptime === null) return "none";
  if (uptime.offline > 0) return "offline";
  if (uptime.unreachable > 0) return "unreachable";
  return uptime.unknown > 0 ? "unknown" : "up";
}

/** The last days, each with a link to its charts, as `UptimeStrip` reads them. */
function daysText({ serverId, list, known, recordedSince, days: frozen, now, zone }: StripProps): string {
  const days = uptimeDays(known, { recordedSince, now, zone, days: STRIP_DAYS });
  const lines = days.map(({ from, to, uptime: recorded }) => {
    // Of a day whose events are gone, its sum is left. It was one of another zone if the account changed its own since.
    const middle = middleOf({ from, to });
    const uptime = recorded ?? frozen.find((day) => day.from <= middle && day.to > middle)?.uptime ?? null;
    const words = `${dayText(new Date(from), zone)}: ${uptime ? uptimeText(uptime) : "not recorded"}`;
    return [stateOf(uptime), `${serverInList(serverId, list, rangeParams({ from, to }))}#history`, words].join("\t");
  });
  return lines.join("\n");
}

import listStyles from "@/app/dashboard/event-list.module.css";
import { type FleetQuery, fleetParams, serverInList } from "@/app/dashboard/fleet-query";
import { ChartGrid } from "@/app/ui/chart/chart-grid";
import { tableRows } from "@/app/ui/chart/chart-table";
import type { ChartPoint, ChartSeries } from "@/app/ui/chart/series";
import { type ChartLane, type ChartLevel, type SharedTimes, TimeChart } from "@/app/ui/chart/time-chart";
import { comparedText, DragHint, TimeChoice, TimeNotes } from "@/app/ui/chart/time-choice";
import { timeTicks } from "@/app/ui/chart/time-ticks";
import { Choices } from "@/app/ui/choices";
import { Section } from "@/app/ui/section";
import { percent } from "@/lib/format/quantities";
import { clockText, dateText, durationText, momentText } from "@/lib/format/relative-time";
import { MINUTE } from "@/lib/format/time";
import type { TimeRange } from "@/lib/format/time-range";
import { zoneText } from "@/lib/format/time-zone";
import { serverPath } from "@/lib/page-paths";
import { env } from "@/lib/process/env";
import type { ServerEvents } from "@/lib/servers/events/server-events";
import { silentTimes } from "@/lib/servers/events/silence";
import type { KnownTimes } from "@/lib/servers/events/uptime";
import { HEALTH_LEVELS } from "@/lib/servers/health-level";
import { COMPONENT_CURVES } from "@/lib/servers/health-score";
import type { CurrentValues } from "@/lib/servers/servers";
import { LONGEST_PAUSE } from "@/lib/servers/stability";
import type { HistoryMeasure } from "@/lib/servers/telemetry/bands";
import {
  type EarlierHistory,
  HISTORY_RANGES,
  type HistoryRange,
  type History as ServerHistory,
} from "@/lib/servers/telemetry/history";
import { rolledUpValues } from "@/lib/servers/telemetry/measurements";
import { eventLane, recordedText } from "./event-lane";
import styles from "./history.module.css";
import { chartId, HISTORY_CHARTS, type HistoryChart, SCORE_CHART } from "./history-charts";
import type { HistoryTime } from "./history-time";
import { lengthText, spanText } from "./silence-text";

const NAMES: Readonly<Record<HistoryRange, string>> = {
  "1h": "1 hour",
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
};
/** How the sentences call the time that is shown. */
const nameOf = ({ range }: ServerHistory) => (range === null ? "this time" : NAMES[range]);

const LEVELS: readonly ChartLevel[] = HEALTH_LEVELS.map(({ name, from }, index) => ({
  name,
  from,
  to: HEALTH_LEVELS[index - 1]?.from ?? 1000,
}));

type Props = {
  serverId: number;
  history: ServerHistory;
  /** Of the time that the history shows, and of before. */
  events: ServerEvents;
  /** Their silences, outside of maintenance. */
  known: KnownTimes;
  /** The time that it is compared with. */
  earlier: EarlierHistory | null;
  time: HistoryTime;
  current: CurrentValues;
  /** The score of now. */
  score: number;
  list: FleetQuery;
  zone: string;
};

/** The past of a server in pictures, in words, and in tables. */
export function History({ serverId, history, earlier, time, events, known, current, score, list, zone }: Props) {
  const compared = comparedText(time.compare);
  const { from, to } = history;
  const silences = silentTimes(events.silences, history);
  const heard = { silences, since: events.recordedSince };
  const shared = {
    times: timeTicks(from, to, zone),
    rows: tableRows({ from, to, zone, heard }),
    silences: longestOf(silences),
  };
  const picture = { history, earlier, compared, events, known, current, score, zone, shared };
  const [quiet, shown] = [HISTORY_CHARTS.filter(isQuiet(history)), HISTORY_CHARTS.filter((c) => !isQuiet(history)(c))];
  return (
    <Section
      id="history"
      title="History"
      aside={
        <Choices
          label="Time shown"
          choices={HISTORY_RANGES.map((range) => ({
            href: serverInList(serverId, list, { range, ...(time.compare && { compare: time.compare }) }),
            name: NAMES[range],
            isCurrent: range === history.range,
          }))}
        />
      }
    >
      <TimeChoice
        href={(params) => serverInList(serverId, list, params)}
        action={`${serverPath(serverId)}#history`}
        kept={fleetParams(list)}
        shown={{ from: history.from, to: history.until }}
        {...{ time, zone }}
      />
      <TimeNotes asked={time.asked} instead={history.range && NAMES[history.range]} also={beginning(history, zone)} />
      <ChartGrid>
        {shown.map((chart) => (
          <Picture key={chart.title} chart={chart} {...picture} />
        ))}
      </ChartGrid>
      <div className={`row ${styles.below}`}>
        {quiet.map((chart) => (
          <details key={chart.title} className="disclosure">
            <summary>{chart.title}: full score throughout</summary>
            <Picture chart={chart} {...picture} />
          </details>
        ))}
        <p className="hint">
          Lines show means, bands the range from the lowest to the highest value
          {silences.length > 0 && ", shaded times had no check-in"}. <DragHint />
          {compared &&
            `Pale lines are the means ${compared}${earlier?.points.length ? "" : ", of which there is no data"}. `}
          {`Times in ${zoneText(zone)}. ${pointsText(history)} ${knownText(history)} ${recordedText(history, events, zone)} `}
          {!history.isComplete && "Older hours are still being summed up; they appear here in a moment. "}
          <a
            className="plain-button"
            href={`${serverPath(serverId)}/history.csv?${new URLSearchParams(time.params)}`}
            download
          >
            Download as CSV
          </a>
        </p>
      </div>
    </Section>
  );
}

/** Charts shade so many silences. Of thousands, each is narrower than a pixel, and the page would be heavy. */
const MOST_SHADED = 300;

function longestOf(times: readonly TimeRange[]): readonly TimeRange[] {
  if (times.length <= MOST_SHADED) return times;
  const longest = times.toSorted((a, b) => b.to - b.from - (a.to - a.from)).slice(0, MOST_SHADED);
  return longest.sort((a, b) => a.from - b.from);
}

/** Above these values, in percent, packets that are lost or sent again cost points. */
const QUIET: Partial<Record<HistoryMeasure, number>> = {
  netLossPct: COMPONENT_CURVES.lossPct[0][0],
  netRetransmitPct: COMPONENT_CURVES.retransmitPct[0][0],
};

/** Whether a chart shows nothing but full score: of the network, where nothing is lost. */
function isQuiet({ points }: ServerHistory) {
  return ({ series }: HistoryChart): boolean =>
    series.every(({ measure }) => {
      const most = QUIET[measure];
      return most !== undefined && points.every(({ bands }) => (bands[measure]?.greatest ?? 0) <= most);
    });
}

type PictureProps = Omit<Props, "serverId" | "list" | "time"> & {
  chart: HistoryChart;
  compared: string | undefined;
  shared: SharedTimes & { silences: readonly TimeRange[] };
};

function Picture({ chart, history, earlier, compared, events, known, current, score, zone, shared }: PictureProps) {
  const { title, unit, top } = chart;
  const { from, to, step, now, until } = history;
  const latest = rolledUpValues(current);
  const series = chart.series.map(({ name, measure }): ChartSeries => {
    const points = pointsOf(history, measure, score);
    const remark = remarkOf(measure, points, history, zone);
    // The present values are those of the end of a time that ends now.
    const last = until < now ? undefined : measure === "score" ? score : (latest[measure] ?? undefined);
    return { name, points, last, earlier: earlierOf(earlier, measure), ...(remark && { remark }) };
  });
  return (
    <TimeChart
      id={chartId(title)}
      {...{ title, from, to, step, top, unit, series, compared }}
      gap={Math.max(1.5 * step, LONGEST_PAUSE)}
      levels={chart === SCORE_CHART ? LEVELS : []}
      lanes={chart === SCORE_CHART ? lanesOf(history, events, known, zone) : []}
      {...shared}
      isWide={chart === SCORE_CHART}
    />
  );
}

function lanesOf(history: ServerHistory, events: ServerEvents, known: KnownTimes, zone: string): ChartLane[] {
  const marks = lateTimes(history);
  const late: ChartLane = {
    name: "Late",
    kind: "late",
    marks,
    words: <ReportedLater {...{ marks, history, zone }} />,
  };
  return [eventLane({ history, events, known, length: nameOf(history), zone }), late].filter(
    ({ marks }) => marks.length > 0,
  );
}

/** The steps in which scores were known only later; adjacent ones are one time. */
function lateTimes({ points, step }: ServerHistory): TimeRange[] {
  const times: TimeRange[] = [];
  for (const { at, late } of points) {
    const before = times.at(-1);
    if (late === 0) continue;
    if (before?.to === at) before.to = at + step;
    else times.push({ from: at, to: at + step });
  }
  return times;
}

/** Says for which times the score was another one while they were present. */
function ReportedLater({ marks, history, zone }: { marks: readonly TimeRange[] } & Pick<Props, "history" | "zone">) {
  const minutes = history.points.reduce((sum, { late }) => sum + late, 0);
  return (
    <details className={`disclosure ${listStyles.events}`} data-late={minutes}>
      <summary>
        Reported later: {lengthText(minutes * MINUTE)} of {nameOf(history)}.
      </summary>
      <p className="soft">
        The check-ins of these times arrived more than a minute late. Until then, the score was that of a silent server.
      </p>
      <ol className={listStyles.list} reversed>
        {[...marks].reverse().map((mark) => (
          <li key={mark.from}>{spanText(mark, Number.POSITIVE_INFINITY, zone)}</li>
        ))}
      </ol>
    </details>
  );
}

/** What is to be said of a time that begins before the server did. */
function beginning({ from, began }: ServerHistory, zone: string): string[] {
  if (from >= began) return [];
  const first = `${dateText(new Date(began), zone)}, ${clockText(new Date(began), zone)} ${zoneText(zone)}`;
  return [`There is no data of this server before ${first}.`];
}

/** What a point of a chart is, and why it is not finer. */
function pointsText({ step, hoursBecause }: ServerHistory): string {
  const each = `Each point is ${durationText(step)}`;
  if (hoursBecause === null) return `${each}, from check-ins.`;
  const kept = `check-ins are kept for ${env.kept.telemetryDays} days, after that only hourly summaries`;
  if (hoursBecause === "gone") return `${each}, from hourly summaries: the check-ins of this time are no longer kept.`;
  return hoursBecause === "long" ? `${each}, from hourly summaries.` : `${each}: ${kept}.`;
}

/** How much of the range has a score. */
function knownText({ known, from, until }: ServerHistory): string {
  const all = until - from;
  if (known >= all - MINUTE) return "The score is known for all of this time.";
  return `The score is known for ${lengthText(known)} of this time (${percent(Math.floor((known / all) * 100))}).`;
}

/** "highest 22 Nov, 14:21 UTC": when the worst value was; nothing for a line that is flat. */
function remarkOf(measure: HistoryMeasure, points: readonly ChartPoint[], history: ServerHistory, zone: string) {
  const peak = history.peaks[measure];
  if (!peak || points.every(({ least, greatest }) => least === greatest && least === peak.value)) return null;
  const text = `${peakTime(peak, zone)} ${zoneText(zone)}`;
  if (measure !== "score") return { text: `highest ${text}`, at: peak.at };
  const last = points.at(-1);
  return last && last.least < peak.value && history.until === history.now
    ? { text: "lowest now", at: last.at }
    : { text: `lowest ${text}`, at: peak.at };
}

/** A point in the middle of each step. The score ends with the one of now, which the page shows at its top. */
function pointsOf({ points, step, now, until }: ServerHistory, measure: HistoryMeasure, score: number): ChartPoint[] {
  const known = pointsIn(points, measure, (at) => Math.min(at + step / 2, (at + until) / 2));
  if (measure === "score" && until === now) {
    known.push({ at: now, least: score, mean: score, greatest: score, count: 1 });
  }
  return known;
}

function earlierOf(earlier: EarlierHistory | null, measure: HistoryMeasure): ChartSeries["earlier"] {
  if (!earlier) return undefined;
  const { step, points } = earlier;
  return {
    points: pointsIn(points, measure, (at) => at + step / 2),
    gap: Math.max(1.5 * step, LONGEST_PAUSE),
  };
}

/** One line of the points of a history, `time` of each. Written out, because copies of bands are a tenth of a page's garbage. */
function pointsIn(
  points: EarlierHistory["points"],
  measure: HistoryMeasure,
  time: (at: number) => number,
): ChartPoint[] {
  const line: ChartPoint[] = [];
  for (const { at, bands } of points) {
    const band = bands[measure];
    if (!band) continue;
    const { least, mean, greatest, count } = band;
    line.push({ at: time(at), least, mean, greatest, count });
  }
  return line;
}

function peakTime({ at, within }: { at: number; within: number }, zone: string): string {
  const time = momentText(new Date(at), zone);
  return within > 0 ? `${time} to ${clockText(new Date(at + within), zone)}` : time;
}

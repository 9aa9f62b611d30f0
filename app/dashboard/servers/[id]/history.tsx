import { type FleetQuery, fleetParams } from "@/app/dashboard/fleet-query";
import { ChartGrid } from "@/app/ui/chart/chart-grid";
import { tableRows } from "@/app/ui/chart/chart-table";
import type { ChartPoint, ChartSeries } from "@/app/ui/chart/series";
import { stepText } from "@/app/ui/chart/step-text";
import { type ChartLane, type ChartLevel, type SharedProps, TimeChart } from "@/app/ui/chart/time-chart";
import { timeTicks } from "@/app/ui/chart/time-ticks";
import { comparedText, DragHint, paleLinesText, TimedSection } from "@/app/ui/chart/timed-section";
import { percent } from "@/lib/format/quantities";
import { clockText, dateText, durationText } from "@/lib/format/relative-time";
import { middleOfStep, type TimeRange } from "@/lib/format/time-range";
import { zoneText } from "@/lib/format/time-zone";
import { serverPath } from "@/lib/page-paths";
import { env } from "@/lib/process/env";
import type { ServerEvent } from "@/lib/servers/events/events";
import { type Availability, uptimeOf, withoutMaintenance } from "@/lib/servers/events/uptime";
import { HEALTH_LEVELS } from "@/lib/servers/health-level";
import { COMPONENT_CURVES } from "@/lib/servers/health-score";
import type { CurrentValues } from "@/lib/servers/servers";
import { LONGEST_PAUSE } from "@/lib/servers/telemetry/check-ins";
import type { EarlierHistory, HistoryRange, History as ServerHistory } from "@/lib/servers/telemetry/history";
import { type HistoryMeasure, rolledUpValues } from "@/lib/servers/telemetry/measurements";
import { eventLane, recordedText } from "./event-lane";
import { chartId, HISTORY_CHARTS, type HistoryChart, SCORE_CHART } from "./history-charts";
import type { HistoryTime } from "./history-time";

const NAMES: Readonly<Record<HistoryRange, string>> = {
  "1h": "1 hour",
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
};
/** How the sentences call the time that is shown. */
const nameOf = ({ range }: ServerHistory) => (range === null ? "this time" : NAMES[range]);

/** Those below the best. */
const LEVELS: readonly ChartLevel[] = HEALTH_LEVELS.slice(1).map(({ name, from }, index) => ({
  name,
  from,
  to: HEALTH_LEVELS[index]?.from ?? 1000,
}));

type Props = {
  serverId: number;
  history: ServerHistory;
  /** Of the time that the history shows. */
  events: readonly ServerEvent[];
  availability: Availability;
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
export function History({ serverId, history, earlier, time, events, availability, current, score, list, zone }: Props) {
  const { from, to, step } = history;
  const silences = silencesOf(events, history);
  // An outage counts in maintenance as well.
  const heard = { ...availability, pieces: withoutMaintenance(silences, []), maintenance: [] };
  const heardIn = (row: TimeRange) => {
    const share = uptimeOf(heard, row).percent;
    return share === null ? "–" : percent(Math.floor(share));
  };
  const shared = {
    ...{ from, to, step, compared: comparedText(time.compare) },
    gap: Math.max(1.5 * step, LONGEST_PAUSE),
    times: timeTicks(from, to, zone),
    rows: tableRows({ from, to, zone, heardIn }),
    silences: longestOf(silences),
  };
  const lane = eventLane({ history, events, availability, length: nameOf(history), zone });
  const lanes = lane.marks.length > 0 ? [lane] : [];
  const picture = { history, earlier, lanes, current, score, zone, shared };
  const [quiet, shown] = [HISTORY_CHARTS.filter(isQuiet(history)), HISTORY_CHARTS.filter((c) => !isQuiet(history)(c))];
  return (
    <TimedSection
      id="history"
      title="History"
      ranges={NAMES}
      range={history.range}
      path={serverPath(serverId)}
      kept={fleetParams(list)}
      shown={{ from: history.from, to: history.until }}
      also={beginning(history, availability, zone)}
      {...{ time, zone }}
    >
      <ChartGrid>
        {shown.map((chart) => (
          <Picture key={chart.title} chart={chart} {...picture} />
        ))}
      </ChartGrid>
      <div className="row">
        {quiet.map((chart) => (
          <details key={chart.title} className="disclosure">
            <summary>{chart.title}: full score throughout</summary>
            <Picture chart={chart} {...picture} />
          </details>
        ))}
        <p className="hint">
          Lines show means, bands the range from the lowest to the highest value
          {silences.length > 0 && ", shaded times were offline"}. <DragHint />
          {`${paleLinesText(time.compare, earlier)}Times in ${zoneText(zone)}. ${pointsText(history)} ${recordedText(history, availability, zone)} `}
          <a
            className="plain-button"
            href={`${serverPath(serverId)}/history.csv?${new URLSearchParams(time.params)}`}
            download
          >
            Download as CSV
          </a>
        </p>
      </div>
    </TimedSection>
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

type PictureProps = Pick<Props, "history" | "earlier" | "current" | "score" | "zone"> & {
  chart: HistoryChart;
  lanes: readonly ChartLane[];
  shared: SharedProps;
};

function Picture({ chart, history, earlier, lanes, current, score, zone, shared }: PictureProps) {
  const { title, unit, top } = chart;
  const { now, until } = history;
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
      {...{ title, top, unit, series }}
      levels={chart === SCORE_CHART ? LEVELS : []}
      lanes={chart === SCORE_CHART ? lanes : []}
      {...shared}
    />
  );
}

/** When the server was offline, within the time shown. */
function silencesOf(events: readonly ServerEvent[], { from, until }: ServerHistory): TimeRange[] {
  return events.flatMap((event) => {
    const time = { from: Math.max(from, event.from), to: Math.min(until, event.to ?? until) };
    return event.kind === "offline" && time.from < time.to ? [time] : [];
  });
}

/** What is to be said of a time that begins before the server did. */
function beginning({ from }: ServerHistory, { since }: Availability, zone: string): string[] {
  if (from >= since) return [];
  const first = `${dateText(new Date(since), zone)}, ${clockText(new Date(since), zone)} ${zoneText(zone)}`;
  return [`There is no data of this server before ${first}.`];
}

/** What a point of a chart is, and why it is not finer. */
function pointsText({ step, hoursBecause }: ServerHistory): string {
  const each = `Each point is ${durationText(step)}`;
  if (hoursBecause === null) return `${each}, from check-ins.`;
  const kept = `check-ins are kept for ${env.telemetryDays} days, after that only hourly summaries`;
  return hoursBecause === "long" ? `${each}, from hourly summaries.` : `${each}: ${kept}.`;
}

/** "highest 22 Nov, 14:21 UTC": when the worst value was; nothing for a line that is flat. */
function remarkOf(
  measure: HistoryMeasure,
  points: readonly ChartPoint[],
  { step, now, until }: ServerHistory,
  zone: string,
) {
  const [first] = points;
  if (!first || points.every(({ least, greatest }) => least === first.least && greatest === first.least)) return null;
  const isScore = measure === "score";
  const peak = points.reduce((worst, point) => {
    const isWorse = isScore ? point.least < worst.least : point.greatest > worst.greatest;
    return isWorse ? point : worst;
  });
  if (isScore && peak === points.at(-1) && until === now) return { text: "lowest now", at: peak.at };
  const time = `${stepText(peak.at, step, zone)} ${zoneText(zone)}`;
  return { text: `${isScore ? "lowest" : "highest"} ${time}`, at: peak.at };
}

/** A point in the middle of each step. The score ends with the one of now, which the page shows at its top. */
function pointsOf({ points, step, now, until }: ServerHistory, measure: HistoryMeasure, score: number): ChartPoint[] {
  const known = pointsIn(points, measure, (at) => middleOfStep(at, step, until));
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

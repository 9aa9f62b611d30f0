import { ChartGrid } from "@/app/ui/chart/chart-grid";
import type { ChartPoint, ChartSeries } from "@/app/ui/chart/series";
import { type ChartLevel, TimeChart } from "@/app/ui/chart/time-chart";
import { Choices } from "@/app/ui/choices";
import { Section } from "@/app/ui/section";
import { serverPath } from "@/lib/page-paths";
import { counted } from "@/lib/quantities";
import { clockText, dayText, momentText } from "@/lib/relative-time";
import { HEALTH_LEVELS } from "@/lib/servers/health-level";
import { COMPONENT_CURVES } from "@/lib/servers/health-score";
import type { CurrentValues } from "@/lib/servers/servers";
import type { HistoryMeasure } from "@/lib/servers/telemetry/bands";
import { HISTORY_RANGES, type HistoryRange, type History as ServerHistory } from "@/lib/servers/telemetry/history";
import { rolledUpValues } from "@/lib/servers/telemetry/measurements";
import { LONGEST_PAUSE, type Silence } from "@/lib/servers/telemetry/silences";
import { DAY, HOUR, MINUTE } from "@/lib/time";
import { zoneText } from "@/lib/time-zone";
import styles from "./history.module.css";
import { chartId, HISTORY_CHARTS, type HistoryChart, SCORE_CHART } from "./history-charts";

/** `row` is the time that one row of a table covers, in milliseconds. */
const RANGES: Readonly<Record<HistoryRange, { name: string; row: number }>> = {
  "1h": { name: "1 hour", row: 5 * MINUTE },
  "24h": { name: "24 hours", row: HOUR },
  "7d": { name: "7 days", row: 6 * HOUR },
  "30d": { name: "30 days", row: DAY },
};
/** Lists at most this many outages and counts the rest. */
const LISTED_OUTAGES = 100;

const LEVELS: readonly ChartLevel[] = HEALTH_LEVELS.map(({ name, from }, index) => ({
  name,
  from,
  to: HEALTH_LEVELS[index - 1]?.from ?? 1000,
}));

type Props = {
  serverId: number;
  history: ServerHistory;
  current: CurrentValues;
  /** The score at a time at or after the latest check-in. */
  scoreAt: (time: number) => number;
  /** Epoch milliseconds of the latest check-in. */
  lastSeenAt: number;
  zone: string;
};

/** The past of a server in pictures, in words, and in tables. */
export function History({ serverId, history, current, scoreAt, lastSeenAt, zone }: Props) {
  const [quiet, shown] = [HISTORY_CHARTS.filter(isQuiet(history)), HISTORY_CHARTS.filter((c) => !isQuiet(history)(c))];
  return (
    <Section
      id="history"
      title="History"
      aside={
        <Choices
          label="Time shown"
          choices={HISTORY_RANGES.map((range) => ({
            href: `${serverPath(serverId)}?range=${range}`,
            name: RANGES[range].name,
            isCurrent: range === history.range,
          }))}
        />
      }
    >
      <ChartGrid>
        {shown.map((chart) => (
          <Picture key={chart.title} {...{ chart, history, current, scoreAt, lastSeenAt, zone }} />
        ))}
      </ChartGrid>
      <div className={styles.below}>
        {quiet.map((chart) => (
          <details key={chart.title} className="disclosure">
            <summary>{chart.title}: full score in all this time</summary>
            <Picture {...{ chart, history, current, scoreAt, lastSeenAt, zone }} />
          </details>
        ))}
        <p className="hint">
          Lines are means, bands reach from the least to the greatest value, shaded times had no check-in.{" "}
          {`Times in ${zoneText(zone)}. `}
          {!history.isComplete && "Older hours are still being summed up; they appear here in a moment. "}
          <a href={`${serverPath(serverId)}/history.csv?range=${history.range}`} download>
            Download as CSV
          </a>
        </p>
      </div>
    </Section>
  );
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

/** Describes the times without check-ins in words, with the latest of them listed. */
function Outages({ history, lastSeenAt, zone }: Pick<Props, "history" | "lastSeenAt" | "zone">) {
  const { silences, from, now, range } = history;
  const length = silences.reduce((sum, silence) => sum + silence.to - Math.max(from, silence.from), 0);
  const last = silences.at(-1);
  const isNow = last !== undefined && last.to >= now;
  // What began before the range is clipped to it, so the last check-in says when it began.
  const since = isNow ? new Date(last.from > from ? last.from : lastSeenAt) : null;
  return (
    <details className={`disclosure ${styles.outages}`} data-outages={silences.length}>
      <summary>
        Offline {counted(silences.length, "time")} in {RANGES[range].name}, {lengthText(length)} in all.
        {since && ` Now: since ${zonedText(since, new Date(now), zone)}.`}
      </summary>
      <ol className={styles.list} reversed>
        {silences
          .slice(-LISTED_OUTAGES)
          .reverse()
          .map((silence) => (
            <li key={silence.from}>{outageText(silence, now, zone)}</li>
          ))}
      </ol>
      {silences.length > LISTED_OUTAGES && (
        <p className="soft">
          And {counted(silences.length - LISTED_OUTAGES, "earlier one")}; the CSV file has their hours.
        </p>
      )}
    </details>
  );
}

function Picture({
  chart,
  history,
  current,
  scoreAt,
  lastSeenAt,
  zone,
}: { chart: HistoryChart } & Omit<Props, "serverId">) {
  const { title, unit, top } = chart;
  const { from, to, step, silences } = history;
  const latest = rolledUpValues(current);
  const series = chart.series.map(({ name, measure }): ChartSeries => {
    const points = pointsOf(history, measure);
    const tail = measure === "score" ? tailOf(points, history, scoreAt) : [];
    const remark = remarkOf(measure, [...points, ...tail], history, zone);
    const last = measure === "score" ? undefined : (latest[measure] ?? undefined);
    return { name, points: [...points, ...tail], last, ...(remark && { remark }) };
  });
  return (
    <TimeChart
      id={chartId(title)}
      {...{ title, from, to, step, top, unit, series, zone, silences }}
      gap={Math.max(1.5 * step, LONGEST_PAUSE)}
      levels={chart === SCORE_CHART ? LEVELS : []}
      lane={
        chart === SCORE_CHART && silences.length > 0
          ? { name: "Offline", marks: silences, words: <Outages {...{ history, lastSeenAt, zone }} /> }
          : undefined
      }
      row={RANGES[history.range].row}
    />
  );
}

/** "highest 22 Nov, 14:21 UTC": when the worst value was; nothing for a line that is flat. */
function remarkOf(measure: HistoryMeasure, points: readonly ChartPoint[], history: ServerHistory, zone: string) {
  const peak = history.peaks[measure];
  if (!peak || points.every(({ least, greatest }) => least === greatest && least === peak.value)) return null;
  const text = `${peakTime(peak, zone)} ${zoneText(zone)}`;
  if (measure !== "score") return { text: `highest ${text}`, at: peak.at };
  // During a silence the score falls below its value at every check-in.
  const isNow = points.some(({ least }) => least < peak.value);
  return isNow ? { text: "lowest now", at: points.at(-1)?.at ?? peak.at } : { text: `lowest ${text}`, at: peak.at };
}

function pointsOf({ points, step }: ServerHistory, measure: HistoryMeasure): ChartPoint[] {
  return points.flatMap(({ at, bands }) => {
    const band = bands[measure];
    return band ? [{ ...band, at: at + step / 2 }] : [];
  });
}

/**
 * Continues the score from the last sample, which may be older than what is shown, to now, so that it ends at the score at
 * the top of the page.
 */
function tailOf(
  points: readonly ChartPoint[],
  { step, from, to, now }: ServerHistory,
  scoreAt: Props["scoreAt"],
): ChartPoint[] {
  const last = points.at(-1)?.at ?? from - step;
  const times: number[] = [];
  for (let at = last + step; at < now; at += step) times.push(at);
  return [...times, Math.min(now, to)].map((at): ChartPoint => {
    const score = scoreAt(at);
    return { at, least: score, mean: score, greatest: score, count: 0 };
  });
}

function peakTime({ at, within }: { at: number; within: number }, zone: string): string {
  const time = momentText(new Date(at), zone);
  return within > 0 ? `${time} to ${clockText(new Date(at + within), zone)}` : time;
}

/** "07:23 UTC" today, "22 Nov, 07:23 UTC" on any other day. */
function zonedText(at: Date, now: Date, zone: string): string {
  const isToday = dayText(at, zone) === dayText(now, zone);
  return `${isToday ? clockText(at, zone) : momentText(at, zone)} ${zoneText(zone)}`;
}

/** "22 Nov, 02:10 to 04:31 UTC (2 h 21 min)", "since 22 Nov, 05:12 UTC (3 days)". */
function outageText({ from, to }: Silence, now: number, zone: string): string {
  const begin = momentText(new Date(from), zone);
  if (to >= now) return `since ${begin} ${zoneText(zone)} (${lengthText(to - from)})`;
  const isSameDay = dayText(new Date(from), zone) === dayText(new Date(to), zone);
  const end = isSameDay ? clockText(new Date(to), zone) : momentText(new Date(to), zone);
  return `${begin} to ${end} ${zoneText(zone)} (${lengthText(to - from)})`;
}

/** "19 min", "2 h 21 min", "3 days". */
function lengthText(ms: number): string {
  const minutes = Math.round(ms / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  if (ms >= 2 * DAY) return `${Math.round(ms / DAY)} days`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

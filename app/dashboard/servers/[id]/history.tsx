import { ChartGrid } from "@/app/ui/chart/chart-grid";
import type { ChartPoint, ChartSeries } from "@/app/ui/chart/series";
import { type ChartLevel, TimeChart } from "@/app/ui/chart/time-chart";
import { Choices } from "@/app/ui/choices";
import { Section } from "@/app/ui/section";
import { serverPath } from "@/lib/page-paths";
import { clockText, dayText, momentText } from "@/lib/relative-time";
import { HEALTH_LEVELS } from "@/lib/servers/health-level";
import type { CurrentValues } from "@/lib/servers/servers";
import type { HistoryMeasure } from "@/lib/servers/telemetry/bands";
import { HISTORY_RANGES, type HistoryRange, type History as ServerHistory } from "@/lib/servers/telemetry/history";
import { rolledUpValues } from "@/lib/servers/telemetry/measurements";
import type { Silence } from "@/lib/servers/telemetry/silences";
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
/** Lines break at gaps in the data that are longer than this. */
const LONGEST_PAUSE = 2.5 * MINUTE;
/** Names at most this many silences and counts the rest. */
const NAMED_SILENCES = 4;

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
  zone: string;
};

/** The past of a server in pictures, in words, and in tables. */
export function History({ serverId, history, current, scoreAt, zone }: Props) {
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
      <SilenceNote history={history} zone={zone} />
      <ChartGrid>
        {HISTORY_CHARTS.map((chart) => (
          <Picture key={chart.title} {...{ chart, history, current, scoreAt, zone }} />
        ))}
      </ChartGrid>
      <p className="hint">
        Lines are means, bands reach from the least to the greatest value, shaded times had no check-in.{" "}
        {`Times in ${zoneText(zone)}. `}
        {!history.isComplete && "Older hours are still being summed up; they appear here in a moment. "}
        <a href={`${serverPath(serverId)}/history.csv?range=${history.range}`} download>
          Download as CSV
        </a>
      </p>
    </Section>
  );
}

/** Describes the times without check-ins in words. */
function SilenceNote({ history, zone }: { history: ServerHistory; zone: string }) {
  const { silences, from, to, now } = history;
  if (silences.length === 0) return null;
  const length = silences.reduce((sum, silence) => sum + silence.to - Math.max(from, silence.from), 0);
  const named = silences.slice(-NAMED_SILENCES);
  return (
    <p className={styles.silences} data-silences>
      <strong>Silent for {lengthText(length)}</strong> of {lengthText(Math.min(now, to) - from)}:{" "}
      {silences.length > named.length && `${silences.length - named.length} earlier times, `}
      {named.map((silence, index) => (
        <span key={silence.from}>
          {index > 0 && ", "}
          {silenceText(silence, now, zone)}
        </span>
      ))}
      .
    </p>
  );
}

function Picture({ chart, history, current, scoreAt, zone }: { chart: HistoryChart } & Omit<Props, "serverId">) {
  const { title, unit, top } = chart;
  const { from, to, step, silences } = history;
  const latest = rolledUpValues(current);
  const series = chart.series.map(({ name, measure }): ChartSeries => {
    const points = pointsOf(history, measure);
    const tail = measure === "score" ? tailOf(points, history, scoreAt) : [];
    const remark = peakText(measure, [...points, ...tail], history, zone);
    const last = measure === "score" ? undefined : (latest[measure] ?? undefined);
    return { name, points: [...points, ...tail], last, ...(remark && { remark }) };
  });
  return (
    <TimeChart
      id={chartId(title)}
      {...{ title, from, to, step, top, unit, series, zone, silences }}
      gap={Math.max(1.5 * step, LONGEST_PAUSE)}
      levels={chart === SCORE_CHART ? LEVELS : []}
      row={RANGES[history.range].row}
    />
  );
}

/** "highest 22 Nov, 14:21": when the worst value was; nothing for a line that is flat. */
function peakText(measure: HistoryMeasure, points: readonly ChartPoint[], history: ServerHistory, zone: string) {
  const peak = history.peaks[measure];
  if (!peak || points.every(({ least, greatest }) => least === greatest && least === peak.value)) return null;
  if (measure !== "score") return `highest ${peakTime(peak, zone)}`;
  // During a silence the score falls below its value at every check-in.
  return points.some(({ least }) => least < peak.value) ? "lowest now" : `lowest ${peakTime(peak, zone)}`;
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

/** "22 Nov, 02:10 to 04:31 (2 h 21 min)", "since 22 Nov, 05:12". */
function silenceText({ from, to }: Silence, now: number, zone: string): string {
  const begin = momentText(new Date(from), zone);
  if (to >= now) return `since ${begin} (${lengthText(to - from)})`;
  const isSameDay = dayText(new Date(from), zone) === dayText(new Date(to), zone);
  const end = isSameDay ? clockText(new Date(to), zone) : momentText(new Date(to), zone);
  return `${begin} to ${end} (${lengthText(to - from)})`;
}

/** "19 min", "2 h 21 min", "3 days". */
function lengthText(ms: number): string {
  const minutes = Math.round(ms / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  if (ms >= 2 * DAY) return `${Math.round(ms / DAY)} days`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

import { serverPath } from "@/app/paths";
import { Choices } from "@/app/ui/choices";
import { type ChartPoint, Legend, TimeChart } from "@/app/ui/time-chart";
import { decimal } from "@/lib/quantities";
import { momentText } from "@/lib/relative-time";
import { type Band, type Bands, type HistoryMeasure, merge } from "@/lib/servers/telemetry/bands";
import {
  HISTORY_RANGES,
  type HistoryPoint,
  type HistoryRange,
  type History as ServerHistory,
} from "@/lib/servers/telemetry/history";
import { DAY, HOUR, MINUTE } from "@/lib/time";
import styles from "./history.module.css";
import { HISTORY_CHARTS, type HistoryChart } from "./history-charts";
import { Section } from "./section";

/** `row` is the time that one row of a table covers, in milliseconds. */
const RANGES: Readonly<Record<HistoryRange, { name: string; row: number }>> = {
  "1h": { name: "1 hour", row: 5 * MINUTE },
  "24h": { name: "24 hours", row: HOUR },
  "7d": { name: "7 days", row: 6 * HOUR },
  "30d": { name: "30 days", row: DAY },
};
/** A daemon that was not heard for longer than this was away: a line does not cross that. */
const LONGEST_PAUSE = 2.5 * MINUTE;

/** The past of a server in pictures, in words, and in tables. */
export function History({ serverId, history, zone }: { serverId: number; history: ServerHistory; zone: string }) {
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
      <p className="hint">
        Lines are means, bands reach from the least to the greatest value. Times in {zone.replaceAll("_", " ")}.
        {!history.isComplete && " Older hours are still being summed up; they appear here in a moment."}
      </p>
      <div className={styles.charts}>
        {HISTORY_CHARTS.map((chart) => (
          <Picture key={chart.title} chart={chart} history={history} zone={zone} />
        ))}
      </div>
    </Section>
  );
}

type PictureProps = { chart: HistoryChart; history: ServerHistory; zone: string };

function Picture({ chart, history, zone }: PictureProps) {
  const { title, unit, top } = chart;
  const { from, to, step, points } = history;
  const measured = chart.series.filter(({ measure }) => points.some(({ bands }) => bands[measure]));
  const series = chart.series.map(({ name, measure }) => ({ name, points: chartPoints(points, measure, step) }));
  return (
    <figure className={`card ${styles.picture}`} aria-label={title}>
      <div className={styles.pictureHeader}>
        <h3>{title}</h3>
        {chart.series.length > 1 && <Legend names={chart.series.map(({ name }) => name)} />}
      </div>
      <TimeChart from={from} to={to} gap={Math.max(1.5 * step, LONGEST_PAUSE)} top={top} unit={unit} series={series} />
      <figcaption className={styles.summary}>
        {measured.length === 0 ? (
          <p>No samples in this time.</p>
        ) : (
          measured.map(({ name, measure }) => <p key={measure}>{summary(name, measure, unit, history, zone)}</p>)
        )}
        {measured.length > 0 && <NumbersTable chart={{ ...chart, series: measured }} history={history} zone={zone} />}
      </figcaption>
    </figure>
  );
}

/** For those who want the numbers, and for those who cannot see the picture. */
function NumbersTable({ chart, history, zone }: PictureProps) {
  const { row, name: rangeName } = RANGES[history.range];
  return (
    <details className={styles.details}>
      <summary>
        Table<span className="visually-hidden"> of {chart.title}</span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard */}
      <section className={styles.scroll} aria-label={`${chart.title} in numbers`} tabIndex={0}>
        <table className={styles.table}>
          <caption className="visually-hidden">
            {chart.title}, {rangeName}: least, mean and greatest value
          </caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              {chart.series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rowsOf(history.points, row).map(({ at, bands }) => (
              <tr key={at}>
                <th scope="row">{momentText(new Date(at), zone)}</th>
                {chart.series.map(({ measure }) => (
                  <td key={measure}>{bandText(bands[measure], chart.unit)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

function chartPoints(points: readonly HistoryPoint[], measure: HistoryMeasure, step: number): ChartPoint[] {
  return points.flatMap(({ at, bands }) => {
    const band = bands[measure];
    return band ? [{ at: at + step / 2, least: band.least, mean: band.mean, greatest: band.greatest }] : [];
  });
}

/** "Busy: mean 45 %, lowest 3 %, highest 98 % (around 20 Nov, 14:20), last 41 %." */
function summary(name: string, measure: HistoryMeasure, unit: string, { points }: ServerHistory, zone: string): string {
  const known = points.filter(({ bands }) => bands[measure]);
  const whole = known.reduce<Bands>((sum, { bands }) => merge(sum, bands), {})[measure];
  const last = known.at(-1)?.bands[measure];
  if (!whole || !last) return "";
  const extreme = (pick: (band: Band) => number, value: number) =>
    known.find(({ bands }) => bands[measure] && pick(bands[measure]) === value)?.at ?? 0;
  const text = (value: number) => `${decimal(value)}${unit}`;
  const isScore = measure === "score";
  const at = isScore ? extreme((band) => band.least, whole.least) : extreme((band) => band.greatest, whole.greatest);
  const when = ` (around ${momentText(new Date(at), zone)})`;
  return `${name}: mean ${text(whole.mean)}, lowest ${text(whole.least)}${isScore ? when : ""}, highest ${text(whole.greatest)}${isScore ? "" : when}, last ${text(last.mean)}.`;
}

/** The points taken together by rows of `length` milliseconds, on whole multiples of it, the latest first. */
function rowsOf(points: readonly HistoryPoint[], length: number): HistoryPoint[] {
  const rows = new Map<number, Bands>();
  for (const { at, bands } of points) {
    const row = Math.floor(at / length) * length;
    rows.set(row, merge(rows.get(row) ?? {}, bands));
  }
  return [...rows].map(([at, bands]) => ({ at, bands })).reverse();
}

function bandText(band: Band | undefined, unit: string): string {
  if (!band) return "–";
  return `${decimal(band.least)} – ${decimal(band.mean)} – ${decimal(band.greatest)}${unit}`;
}

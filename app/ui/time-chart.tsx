import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import { TimeAxis } from "./time-axis";
import styles from "./time-chart.module.css";

/** What was seen within one step of time. `at` is the middle of the step in epoch milliseconds. */
export type ChartPoint = { at: number; least: number; mean: number; greatest: number };

export type ChartSeries = { name: string; points: readonly ChartPoint[] };

type Props = {
  from: number;
  to: number;
  /** Points further apart than this (ms) are not joined: nothing is known of the time between them. */
  gap: number;
  /** The top of the scale; it goes higher where the values do. */
  top: number;
  unit: string;
  series: readonly ChartSeries[];
};

/** The units of a plot's own coordinates; it is stretched to the room that the page has. */
const WIDTH = 1000;
const HEIGHT = 240;

/** Lines of the means over bands from the least to the greatest value, drawn by the server. */
export function TimeChart({ from, to, gap, top, unit, series }: Props) {
  const greatest = Math.max(top, ...series.flatMap(({ points }) => points.map((point) => point.greatest)));
  const y = scaleLinear().domain([0, greatest]).range([HEIGHT, 0]).nice(4);
  const x = scaleLinear().domain([from, to]).range([0, WIDTH]);
  const base = { x: (point: ChartPoint) => x(point.at), isThere: (point: ChartPoint | null) => point !== null };
  const band = area<ChartPoint | null>()
    .defined(base.isThere)
    .x((point) => (point ? base.x(point) : 0))
    .y0((point) => y(point?.least ?? 0))
    .y1((point) => y(point?.greatest ?? 0))
    .digits(0);
  const mean = line<ChartPoint | null>()
    .defined(base.isThere)
    .x((point) => (point ? base.x(point) : 0))
    .y((point) => y(point?.mean ?? 0))
    .digits(0);
  const drawn = series.map(({ name, points }) => ({ name, points: withGaps(points, gap) }));
  const ticks = y.ticks(4);
  return (
    <div className={styles.chart}>
      <svg className={styles.scale} aria-hidden="true">
        {ticks.map((tick) => (
          <text key={tick} x="100%" y={`${(y(tick) / HEIGHT) * 100}%`} dy="0.32em" textAnchor="end">
            {tick}
            {unit}
          </text>
        ))}
      </svg>
      <div className={styles.plot}>
        <TimeAxis from={from} to={to} />
        <svg
          className={styles.lines}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          data-chart
        >
          {ticks.map((tick) => (
            <line key={tick} className={styles.grid} x1="0" x2={WIDTH} y1={y(tick)} y2={y(tick)} />
          ))}
          {drawn.map(({ name, points }, index) => (
            <g key={name} className={styles[`series${index}`]} data-series={name}>
              <path className={styles.band} d={band(points) ?? ""} />
              <path className={styles.mean} d={mean(points) ?? ""} />
            </g>
          ))}
        </svg>
      </div>
    </div>
  );
}

/** The names of the lines, each with a piece of its line. */
export function Legend({ names }: { names: readonly string[] }) {
  return (
    <ul className={styles.legend}>
      {names.map((name, index) => (
        <li key={name}>
          <svg className={styles[`series${index}`]} viewBox="0 0 24 8" aria-hidden="true">
            <path className={styles.mean} d="M0,4H24" />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

function withGaps(points: readonly ChartPoint[], gap: number): (ChartPoint | null)[] {
  return points.flatMap((point, index) => {
    const previous = points[index - 1];
    return previous && point.at - previous.at > gap ? [null, point] : [point];
  });
}

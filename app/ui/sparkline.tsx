import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import type { HealthLevel } from "@/lib/servers/health-level";
import styles from "./sparkline.module.css";

const WIDTH = 96;
const HEIGHT = 20;
/** Radius of the mark at the end of the line. */
const DOT = 2.5;

type Props = {
  /** In order. Epoch milliseconds and values from 0 to `top`. */
  points: readonly Point[];
  from: number;
  to: number;
  top: number;
  /** The scale begins here at most, and lower where a value is lower. */
  most: number;
  /** Points further apart than this (ms) are not joined. */
  gap: number;
  /** How well a value was at its time: the colour of the line that leads to it. */
  levelOf(value: number, at: number): HealthLevel;
  /** The colour of the last value. */
  level: HealthLevel;
};
type Point = readonly [at: number, value: number];

/** A line chart of the size of a word. The text beside it says the same in words. */
export function Sparkline({ points, from, to, top, most, gap, levelOf, level }: Props) {
  const x = scaleLinear()
    .domain([from, to])
    .range([1, WIDTH - DOT]);
  const y = scaleLinear()
    .domain([Math.min(most, ...points.map(([, value]) => value)), top])
    .range([HEIGHT - 1 - DOT, DOT]);
  const path = line<Point>()
    .x(([at]) => x(at))
    .y(([, value]) => y(value))
    .digits(1);
  const last = points.at(-1);
  return (
    <svg
      className={styles.sparkline}
      data-level={level}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
    >
      <line className={styles.floor} x1="0" x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} />
      {runsOf(points, gap, levelOf).map((run) => (
        <path key={run.points[0]?.[0]} data-level={run.level} d={path(run.points) ?? ""} />
      ))}
      {last && <circle cx={Math.round(x(last[0]) * 10) / 10} cy={Math.round(y(last[1]) * 10) / 10} r={DOT} />}
    </svg>
  );
}

type Run = { level: HealthLevel; points: Point[] };

/** The lines to draw: each joins adjacent points that are no further apart than `gap` and lead to values of one level. */
function runsOf(points: readonly Point[], gap: number, levelOf: Props["levelOf"]): Run[] {
  const runs: Run[] = [];
  points.forEach((point, index) => {
    const previous = points[index - 1];
    const level = levelOf(point[1], point[0]);
    if (!previous || point[0] - previous[0] > gap) runs.push({ level, points: [point] });
    else if (runs.at(-1)?.level === level) runs.at(-1)?.points.push(point);
    else runs.push({ level, points: [previous, point] });
  });
  return runs;
}

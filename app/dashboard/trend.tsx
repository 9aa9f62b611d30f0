import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { DAY, HOUR } from "@/lib/format/time";
import { HEALTH_LEVELS, type HealthLevel, shownLevel } from "@/lib/servers/health-level";
import type { TrendPoint } from "@/lib/servers/telemetry/history";
import styles from "./trend.module.css";

const WIDTH = 96;
const HEIGHT = 20;
/** Radius of the mark at the end of the line. */
const DOT = 2.5;

/** A score from here up to 1000 is healthy: a trend shows at least that much of the scale. */
const WELL = HEALTH_LEVELS[0].from;

/** Means further apart than this (ms) are not joined. */
const GAP = 1.75 * HOUR;

type Props = {
  points: readonly TrendPoint[];
  score: number;
  level: HealthLevel;
  /** A server may need attention though its score is healthy: from then on (epoch ms) it is not drawn as healthy. */
  unwellSince: number;
  now: number;
};

/** How the score moved in the last day: each hour's mean, and the score of now at the end. The same in words follows. */
export function Trend({ points, score, level, unwellSince, now }: Props) {
  const drawn: Point[] = [...points.map(({ hour, score }) => [hour + HOUR / 2, score] as const), [now, score]];
  const scores = points.map((point) => Math.round(point.score));
  const x = scaleLinear()
    .domain([now - 25 * HOUR, now])
    .range([1, WIDTH - DOT]);
  const y = scaleLinear()
    .domain([Math.min(WELL, ...drawn.map(([, value]) => value)), 1000])
    .range([HEIGHT - 1 - DOT, DOT]);
  const path = line<Point>()
    .x(([at]) => x(at))
    .y(([, value]) => y(value))
    .digits(1);
  return (
    <>
      <svg
        className={styles.trend}
        data-level={level}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        width={WIDTH}
        height={HEIGHT}
        aria-hidden="true"
      >
        <line className={styles.floor} x1="0" x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} />
        {runsOf(drawn, unwellSince).map((run) => (
          <path key={run.points[0]?.[0]} data-level={run.level} d={path(run.points) ?? ""} />
        ))}
        <circle cx={Math.round(x(now) * 10) / 10} cy={Math.round(y(score) * 10) / 10} r={DOT} />
      </svg>
      <span className="visually-hidden">
        {scores.length === 0
          ? "No history yet"
          : `Hourly means from ${Math.min(...scores)} to ${Math.max(...scores)} in ${DAY / HOUR} hours`}
      </span>
    </>
  );
}

type Point = readonly [at: number, score: number];
type Run = { level: HealthLevel; points: Point[] };

/** The lines to draw: each joins adjacent points that are no further apart than the gap and lead to scores of one level. */
function runsOf(points: readonly Point[], unwellSince: number): Run[] {
  const runs: Run[] = [];
  points.forEach((point, index) => {
    const [at, score] = point;
    const previous = points[index - 1];
    const level = shownLevel(score, at >= unwellSince ? "attention" : "well");
    if (!previous || at - previous[0] > GAP) runs.push({ level, points: [point] });
    else if (runs.at(-1)?.level === level) runs.at(-1)?.points.push(point);
    else runs.push({ level, points: [previous, point] });
  });
  return runs;
}

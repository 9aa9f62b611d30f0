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
  points: readonly (readonly [at: number, value: number])[];
  from: number;
  to: number;
  top: number;
  /** Points further apart than this (ms) are not joined. */
  gap: number;
  /** How well the last value is. */
  level: HealthLevel;
};

/** A line chart of the size of a word. The text beside it says the same in words. */
export function Sparkline({ points, from, to, top, gap, level }: Props) {
  const x = scaleLinear()
    .domain([from, to])
    .range([1, WIDTH - DOT]);
  const y = scaleLinear()
    .domain([0, top])
    .range([HEIGHT - 1 - DOT, DOT]);
  const drawn = points.flatMap((point, index) => {
    const previous = points[index - 1];
    return previous && point[0] - previous[0] > gap ? [null, point] : [point];
  });
  const path = line<readonly [number, number] | null>()
    .defined((point) => point !== null)
    .x((point) => x(point?.[0] ?? from))
    .y((point) => y(point?.[1] ?? 0))
    .digits(0);
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
      <path d={path(drawn) ?? ""} />
      {last && <circle cx={Math.round(x(last[0]) * 10) / 10} cy={Math.round(y(last[1]) * 10) / 10} r={DOT} />}
    </svg>
  );
}

import { Fragment } from "react";
import type { ScoreCurve } from "@/lib/api/health-score-reference";
import { FULL } from "@/lib/servers/health-score";
import styles from "./page.module.css";

const WIDTH = 300;
const HEIGHT = 120;
const [LEFT, RIGHT, TOP, BOTTOM] = [38, 12, 10, 24];

/** A curve of the health score as a drawing, and its points in words for readers who cannot see it. */
export function CurveChart({ curve: { title, unit, points, described } }: { curve: ScoreCurve }) {
  const [first, last] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 1];
  const x = (value: number) => LEFT + ((value - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
  const y = (height: number) => TOP + (1 - height / FULL) * (HEIGHT - TOP - BOTTOM);
  return (
    <figure className={`card stack tight ${styles.curve}`}>
      <figcaption className="text-md medium">
        {title} <span className="soft">({unit})</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}. ${described}.`}>
        {[0, FULL / 2, FULL].map((height) => (
          <Fragment key={height}>
            <line className={styles.grid} x1={LEFT} x2={WIDTH - RIGHT} y1={y(height)} y2={y(height)} />
            <text className={styles.tick} x={LEFT - 6} y={y(height) + 3} textAnchor="end">
              {height}
            </text>
          </Fragment>
        ))}
        {[first, last].map((value, index) => (
          <text
            key={value}
            className={styles.tick}
            x={x(value)}
            y={HEIGHT - 8}
            textAnchor={index === 0 ? "start" : "end"}
          >
            {value}
          </text>
        ))}
        <polyline
          className={styles.line}
          points={points.map(([value, height]) => `${x(value)},${y(height)}`).join(" ")}
        />
        {points.map(([value, height]) => (
          <circle key={value} className="good" cx={x(value)} cy={y(height)} r="2.5" />
        ))}
      </svg>
      <p className="hint">{described}</p>
    </figure>
  );
}

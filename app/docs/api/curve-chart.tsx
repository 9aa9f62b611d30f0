import { Fragment } from "react";
import { pointText, type TitledCurve } from "@/lib/api/reference-blocks";
import styles from "./page.module.css";

const WIDTH = 300;
const HEIGHT = 120;
const [LEFT, RIGHT, TOP, BOTTOM] = [38, 12, 10, 24];

/** A curve of the health score as a drawing, and its points in words for readers who cannot see it. */
export function CurveChart({ titled }: { titled: TitledCurve }) {
  const { title, unit, curve, top } = titled;
  const [first, last] = [curve[0]?.[0] ?? 0, curve.at(-1)?.[0] ?? 1];
  const x = (value: number) => LEFT + ((value - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
  const y = (points: number) => TOP + (1 - points / top) * (HEIGHT - TOP - BOTTOM);
  const described = curve.map((point) => pointText(titled, point)).join(", ");
  return (
    <figure className={styles.curve}>
      <figcaption>
        {title} <span className="soft">({unit})</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}. ${described}.`}>
        {[0, top / 2, top].map((points) => (
          <Fragment key={points}>
            <line className={styles.grid} x1={LEFT} x2={WIDTH - RIGHT} y1={y(points)} y2={y(points)} />
            <text className={styles.tick} x={LEFT - 6} y={y(points) + 3} textAnchor="end">
              {points}
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
          points={curve.map(([value, points]) => `${x(value)},${y(points)}`).join(" ")}
        />
        {curve.map(([value, points]) => (
          <circle key={value} className={styles.point} cx={x(value)} cy={y(points)} r="2.5" />
        ))}
      </svg>
      <p className={`${styles.points} soft`}>{described}</p>
    </figure>
  );
}

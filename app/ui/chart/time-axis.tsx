import styles from "./chart.module.css";
import { percentage } from "./path";
import type { TimeTick } from "./time-ticks";

/** Before this share of the width a label begins at its line: beside it stand the numbers of the scale. */
const FIRST = 0.06;
/** Beyond this one it ends at its line, so that it stays within the chart. */
const LAST = 0.96;

/** The time axis of a chart, laid over its plot. */
export function TimeAxis({ ticks }: { ticks: readonly TimeTick[] }) {
  // A narrow chart has room for every second label, and for none at its beginning.
  const shown = (ticks[0]?.share ?? 1) < FIRST ? 1 : 0;
  return (
    <svg className={`${styles.layer} ${styles.axis}`} aria-hidden="true">
      {ticks.map(({ at, share, label, isMidnight }, index) => (
        <g key={at} className={index % 2 === shown ? undefined : styles.second} data-midnight={isMidnight}>
          <line x1={percentage(share)} x2={percentage(share)} y1="0%" y2="100%" />
          {/* In a narrow chart the last one would overlap the date before it. */}
          {(share <= LAST || share - (ticks[index - 1]?.share ?? 0) > 0.2) && (
            <text
              x={percentage(share)}
              y="100%"
              dy="1.4em"
              textAnchor={share > LAST ? "end" : share < FIRST ? "start" : "middle"}
            >
              {label}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

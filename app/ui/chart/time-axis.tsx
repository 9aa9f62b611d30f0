import styles from "./chart.module.css";
import { percentage } from "./path";
import type { TimeTick } from "./time-ticks";

/** The time axis of a chart, laid over its plot. */
export function TimeAxis({ ticks }: { ticks: readonly TimeTick[] }) {
  // A narrow chart has room for every second label, and for none at its beginning.
  const shown = isFirst(ticks[0]?.share ?? 1) ? 1 : 0;
  return (
    <svg className={`${styles.layer} ${styles.axis}`} aria-hidden="true">
      {ticks.map(({ at, share, label, isMidnight }, index) => (
        <g key={at} className={index % 2 === shown ? undefined : styles.second} data-midnight={isMidnight}>
          <line x1={percentage(share)} x2={percentage(share)} y1="0%" y2="100%" />
          {hasRoom(share, ticks[index - 1]?.share) && (
            <text x={percentage(share)} y="100%" dy="1.4em" textAnchor={anchorOf(share)}>
              {label}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

/** The first label and the last stay within the chart: beside them stand the numbers of the scale, or nothing has room. */
function anchorOf(share: number): "start" | "middle" | "end" {
  if (isLast(share)) return "end";
  return isFirst(share) ? "start" : "middle";
}

/** A label so near to the scale begins at its line. */
function isFirst(share: number): boolean {
  return share < 0.06;
}

/** A label so near to the end stays within the chart; beside the first there is room. */
function isLast(share: number): boolean {
  return share > 0.96;
}

/** The last label ends at its line. In a narrow chart it would overlap the date before it. */
function hasRoom(share: number, before = 0): boolean {
  return !isLast(share) || share - before > 0.2;
}

import styles from "./time-axis.module.css";
import { timeTicks } from "./time-ticks";

/** The time axis of a chart, laid over its plot. `from` and `to` are in epoch milliseconds. */
export function TimeAxis({ from, to, zone }: { from: number; to: number; zone: string }) {
  const ticks = timeTicks(from, to, zone);
  return (
    <svg className={styles.axis} aria-hidden="true">
      {ticks.map(({ at, share, label, isMidnight }, index) => (
        <g key={at} className={index % 2 === 1 ? styles.second : undefined} data-midnight={isMidnight}>
          <line x1={percent(share)} x2={percent(share)} y1="0%" y2="100%" />
          <text x={percent(share)} y="100%" dy="1.4em" textAnchor={anchor(share)}>
            {label}
          </text>
        </g>
      ))}
    </svg>
  );
}

function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100}%`;
}

/** The last label stays within the chart; beside the first there is room. */
function anchor(share: number): "middle" | "end" {
  return share > 0.96 ? "end" : "middle";
}

"use client";

import styles from "./time-axis.module.css";
import { timeTicks } from "./time-ticks";
import { useTimeZone } from "./time-zone";

/** The time axis of a chart, laid over its plot. `from` and `to` are in epoch milliseconds. */
export function TimeAxis({ from, to }: { from: number; to: number }) {
  const ticks = timeTicks(from, to, useTimeZone());
  return (
    <svg className={styles.axis} aria-hidden="true">
      {ticks.map(({ at, share, label }, index) => (
        <g key={at} className={index % 2 === 1 ? styles.second : undefined}>
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

/** Labels near the ends stay within the chart. */
function anchor(share: number): "start" | "middle" | "end" {
  if (share < 0.04) return "start";
  return share > 0.96 ? "end" : "middle";
}

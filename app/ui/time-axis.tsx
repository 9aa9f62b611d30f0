"use client";

import { useSyncExternalStore } from "react";
import { MINUTE } from "@/lib/time";
import styles from "./time-axis.module.css";
import { timeTicks } from "./time-ticks";

const subscribe = () => () => {};

/** Where there is no JavaScript, and until it runs, all times are in UTC; then in the reader's own zone. */
function useZone(): string {
  return useSyncExternalStore(
    subscribe,
    () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => "UTC",
  );
}

/** The time axis of a chart, laid over its plot. `from` and `to` are in epoch milliseconds. */
export function TimeAxis({ from, to }: { from: number; to: number }) {
  const zone = useZone();
  const offset = zone === "UTC" ? 0 : -new Date(to).getTimezoneOffset() * MINUTE;
  const { ticks, areDays } = timeTicks(from, to, offset);
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    ...(areDays ? { day: "numeric", month: "short" } : { hour: "2-digit", minute: "2-digit" }),
  });
  return (
    <svg className={styles.axis} aria-hidden="true">
      {ticks.map(({ at, share }, index) => (
        <g key={at} className={index % 2 === 1 ? styles.second : undefined}>
          <line x1={percent(share)} x2={percent(share)} y1="0%" y2="100%" />
          <text x={percent(share)} y="100%" dy="1.4em" textAnchor={anchor(share)}>
            {format.format(at)}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** Which clock the axes of the page go by. */
export function ZoneNote() {
  const zone = useZone();
  return <>{zone === "UTC" ? "Times in UTC" : `Times in your time zone, ${zone.replaceAll("_", " ")}`}</>;
}

function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100}%`;
}

/** Labels near the ends stay within the chart. */
function anchor(share: number): "start" | "middle" | "end" {
  if (share < 0.04) return "start";
  return share > 0.96 ? "end" : "middle";
}

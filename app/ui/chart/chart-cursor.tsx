"use client";

import { useMemo, useSyncExternalStore } from "react";
import { quantity, type Unit } from "@/lib/format/quantities";
import { momentText } from "@/lib/format/relative-time";
import { MINUTE } from "@/lib/format/time";
import type { TimeRange } from "@/lib/format/time-range";
import { zoneText } from "@/lib/format/time-zone";
import { useTimeZone } from "../signed-in";
import styles from "./chart.module.css";
import { useRangeMark } from "./range-mark";
import type { ChartSeries } from "./series";
import { stepText } from "./step-text";

export type CursorProps = TimeRange & {
  title: string;
  /** How long (ms) each point lasts, which stands in the middle of what of its step is over. */
  step: number;
  unit: Unit;
  series: readonly Pick<ChartSeries, "name" | "points" | "remark">[];
  silences: readonly TimeRange[];
  /** Whether a time can be chosen in the chart, which the page then shows. */
  canChoose?: boolean;
};

// All charts of a page share the time that the person points at (epoch ms).
let pointedAt: number | null = null;
const listeners = new Set<() => void>();

function pointAt(at: number | null): void {
  if (at === pointedAt) return;
  pointedAt = at;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) pointedAt = null;
  };
}

/**
 * The values at the time that is pointed at with the mouse, a finger or the arrow keys, in every chart of the page. It
 * lies over the plot, and is nothing at all until JavaScript runs.
 */
export function ChartCursor({ title, from, to, step, unit, series, silences, canChoose = false }: CursorProps) {
  const at = useSyncExternalStore<number | null | undefined>(
    subscribe,
    () => pointedAt,
    () => undefined,
  );
  const zone = useTimeZone();
  // The server shows nothing of the values.
  const isDrawn = at !== undefined;
  const times = useMemo(() => (isDrawn ? timesOf(series) : []), [series, isDrawn]);
  const { mark, setMark, timeAt, show, begin, drag, end } = useRangeMark({ from, to });
  if (at === undefined || times.length === 0) return null;
  const isShown = at !== null && at >= from && at <= to;
  const values = isShown ? valuesAt(at, { step, series, silences, unit, zone }) : null;

  const follow = (event: React.PointerEvent) => pointAt(nearest(times, timeAt(event)));

  function move(event: React.KeyboardEvent): void {
    const target = keyTarget(event.key, times, pointedAt);
    if (target === undefined) {
      choose(event);
      return;
    }
    event.preventDefault();
    // The first Escape takes the mark away, the second the cursor.
    if (target !== null || !mark) pointAt(target);
    if (mark) setMark(target === null ? null : { ...mark, end: target });
  }

  /** Space marks where a time begins, Enter shows it up to where the arrow keys have led. */
  function choose(event: React.KeyboardEvent): void {
    if (!canChoose || (event.key !== " " && event.key !== "Enter")) return;
    event.preventDefault();
    const here = pointedAt ?? times.at(-1) ?? to;
    pointAt(here);
    if (event.key === " " || !mark) setMark({ at: here, end: here, isDragged: false });
    else show(Math.min(mark.at, here) - step / 2, Math.max(mark.at, here) + step / 2);
  }

  const keys = canChoose ? ". Space marks one, Enter shows the time from there" : "";
  const marked = mark && !mark.isDragged ? `, from ${momentText(new Date(mark.at), zone)}: Enter shows this time` : "";
  return (
    <div
      className={`${styles.layer} ${styles.cursor}`}
      role="slider"
      tabIndex={0}
      aria-label={`${title}: values at a time`}
      aria-valuemin={from}
      aria-valuemax={to}
      aria-valuenow={isShown ? at : to}
      // Read aloud once, and not again with every step.
      aria-valuetext={
        values ? values.text + marked : `Use the arrow keys to go through the times, in ${zoneText(zone)}${keys}`
      }
      onPointerMove={(event) => {
        follow(event);
        drag(event);
      }}
      onPointerDown={(event) => {
        follow(event);
        if (canChoose) begin(event);
      }}
      onPointerUp={end}
      onPointerCancel={() => setMark(null)}
      onPointerLeave={({ pointerType }) => pointerType === "mouse" && pointAt(null)}
      onKeyDown={move}
      onBlur={() => {
        pointAt(null);
        setMark(null);
      }}
    >
      {mark && <Chosen from={(mark.at - from) / (to - from)} to={(mark.end - from) / (to - from)} />}
      {values && at !== null && <Values share={(at - from) / (to - from)} values={values} zone={zone} />}
    </div>
  );
}

/** The part of the plot that is being chosen, by shares of its width. */
function Chosen({ from, to }: TimeRange) {
  const [left, right] = [Math.min(from, to), Math.max(from, to)];
  return <span className={styles.chosen} style={{ left: `${left * 100}%`, width: `${(right - left) * 100}%` }} />;
}

type Values = { time: string; lines: { name: string; mean: string; spread: string | null }[]; text: string };

function Values({ share, values: { time, lines }, zone }: { share: number; values: Values; zone: string }) {
  return (
    <div className={`numbers ${styles.layer} ${styles.values}`} aria-hidden="true">
      <span className={styles.line} style={{ left: `${share * 100}%` }} />
      {/* Beside its line where there is room, and never beyond the plot. */}
      <div className={styles.box} style={{ left: `${share * 100}%`, transform: `translateX(${-share * 100}%)` }}>
        <span>
          <strong>{time}</strong> <span className="soft">{zoneText(zone)}</span>
        </span>
        {lines.map(({ name, mean, spread }) => (
          <span key={name}>
            {name} <b>{mean}</b> {spread && <span className="soft">{spread}</span>}
          </span>
        ))}
      </div>
    </div>
  );
}

type Shown = Pick<CursorProps, "step" | "series" | "silences" | "unit"> & { zone: string };

function valuesAt(at: number, { step, series, silences, unit, zone }: Shown): Values {
  const time = stepText(at, step, zone);
  const isNear = (one: number, other: number) => Math.abs(one - other) <= Math.max(step, MINUTE) / 2;
  const lines = series.flatMap(({ name, points, remark }) => {
    const point = points.find((one) => isNear(one.at, at));
    if (!point) return [];
    const { least, mean, greatest } = point;
    const range = least === greatest ? null : `${quantity(least, unit)} to ${quantity(greatest, unit)}`;
    const isRemarkable = remark && isNear(remark.at, point.at);
    const spread = [range, isRemarkable && remark.text].filter(Boolean).join(", ") || null;
    return [{ name, mean: quantity(mean, unit), spread }];
  });
  const isSilent = silences.some((silence) => at > silence.from && at < silence.to);
  if (lines.length === 0 && isSilent) lines.push({ name: "No check-in", mean: "", spread: null });
  const text = lines.map(({ name, mean, spread }) => `${name} ${mean}${spread ? `, ${spread}` : ""}`).join("; ");
  return { time, lines, text: `${time}: ${text || "no value"}` };
}

/** Every time at which the chart has a value, in order. */
function timesOf(series: CursorProps["series"]): number[] {
  return [...new Set(series.flatMap(({ points }) => points.map(({ at }) => at)))].sort((a, b) => a - b);
}

function nearest(times: readonly number[], at: number): number {
  return times.reduce((best, time) => (Math.abs(time - at) < Math.abs(best - at) ? time : best), times[0] ?? at);
}

/** By how many points a key moves. */
const MOVES: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -Infinity,
  End: Infinity,
};

/** Returns the time that a key moves to. Null hides the cursor. Undefined means that the key does nothing. */
function keyTarget(key: string, times: readonly number[], at: number | null): number | null | undefined {
  if (key === "Escape") return null;
  const by = MOVES[key];
  if (by === undefined) return undefined;
  const index = at === null ? times.length : times.indexOf(nearest(times, at));
  return times[Math.min(times.length - 1, Math.max(0, index + by))];
}

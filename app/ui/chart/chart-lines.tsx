"use client";

import type { Unit } from "@/lib/quantities";
import { ChartCursor } from "./chart-cursor";
import styles from "./chart-lines.module.css";
import { type PackedPoints, unpackPoints } from "./packed-points";
import { areaPath, linePath, type Place } from "./path";
import { type ChartPoint, type ChartSeries, type ChartSilence, together } from "./series";

/** A line, packed. `gap`: points further apart than this (ms) are not joined. */
type PackedSeries = {
  name: string;
  remark: ChartSeries["remark"] | undefined;
  points: PackedPoints;
  earlier: { points: PackedPoints; gap: number } | undefined;
};

type Props = {
  title: string;
  from: number;
  to: number;
  /** How long (ms) each point lasts, whose time is its middle. */
  step: number;
  gap: number;
  unit: Unit;
  /** The value at the top of the scale, and those of its lines. */
  top: number;
  ticks: readonly number[];
  series: readonly PackedSeries[];
  silences: readonly ChartSilence[];
};

/** The units of a plot's own height; it is stretched to the room that the page has, as its width is. */
const HEIGHT = 240;
/** A line is drawn through so many places at most, which are two pixels apart; the cursor stops at every point. */
const MOST_PLACES = 500;

/**
 * The lines of a chart over their bands, and the cursor that tells their values. The server draws them as well. They are made
 * here, of the points that the cursor needs anyway, because React sends what a server component draws twice: as a picture, and
 * as what the picture is renewed from.
 */
export function ChartLines({ title, from, to, step, gap, unit, top, ticks, series, silences }: Props) {
  // Points stand in the middle of steps, so that in halves of steps most distances are the same.
  const xUnit = step / 2;
  const width = (to - from) / xUnit;
  const parts = Math.ceil((to - from) / step / MOST_PLACES);
  const x = (at: number) => (at - from) / xUnit;
  const y = (value: number) => Math.round((1 - value / top) * HEIGHT);
  const runs = (points: PackedPoints, gap: number) =>
    runsOf(unpackPoints(points, from, step), gap, parts > 1 ? parts * step : 1);
  const edge = (run: readonly ChartPoint[], value: "least" | "mean" | "greatest") =>
    run.map((point): Place => [Math.round(x(point.at)), y(point[value])]);
  const line = (drawn: ReturnType<typeof runs>) => linePath(drawn.map((run) => edge(run, "mean")));
  return (
    <>
      <svg
        className={styles.layer}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        data-chart
      >
        {/* Shaded faintly: the lane of the first chart tells of them. */}
        <path
          className={styles.silence}
          data-silences={silences.length}
          d={silences.map((one) => `M${x(one.from).toFixed(2)} 0V${HEIGHT}H${x(one.to).toFixed(2)}V0z`).join("")}
        />
        {ticks.map((tick) => (
          <line key={tick} className={styles.grid} x1="0" x2={width} y1={y(tick)} y2={y(tick)} />
        ))}
        {series.map(({ name, points, earlier }, index) => {
          const drawn = runs(points, gap);
          return (
            <g key={name} className={styles[`series${index}`]} data-series={name}>
              {earlier && <path className={styles.earlier} data-earlier d={line(runs(earlier.points, earlier.gap))} />}
              <path
                className={styles.band}
                d={areaPath(drawn.map((run) => [edge(run, "greatest"), edge(run, "least")]))}
              />
              <path className={styles.mean} d={line(drawn)} />
            </g>
          );
        })}
      </svg>
      <ChartCursor canChoose {...{ title, from, to, step, unit, series, silences }} />
    </>
  );
}

/** The points that are joined with each other; those of a column of so many milliseconds are one, where the first of them is. */
function runsOf(points: readonly ChartPoint[], gap: number, column: number): ChartPoint[][] {
  const runs: ChartPoint[][] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    const run = runs.at(-1) ?? [];
    const last = run.at(-1);
    if (point.at - before > gap) runs.push([point]);
    else if (last && Math.floor(last.at / column) === Math.floor(point.at / column))
      run[run.length - 1] = together(last, point);
    else run.push(point);
    before = point.at;
  }
  return runs;
}

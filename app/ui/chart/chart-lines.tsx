"use client";

import styles from "./chart.module.css";
import { ChartCursor, type CursorProps } from "./chart-cursor";
import { runsOf } from "./line-runs";
import { type PackedPoints, unpackPoints } from "./packed-points";
import { areaPath, linePath, type Place } from "./path";
import type { ChartPoint, ChartSeries } from "./series";

/** A line, packed. `gap`: points further apart than this (ms) are not joined. */
type PackedSeries = Pick<ChartSeries, "name" | "remark"> & {
  points: PackedPoints;
  earlier: { points: PackedPoints; gap: number } | undefined;
};

type Props = Omit<CursorProps, "series" | "canChoose"> & {
  gap: number;
  /** The value at the top of the scale, and those of its lines. */
  top: number;
  ticks: readonly number[];
  series: readonly PackedSeries[];
};

/** The units of a plot's own height; it is stretched to the room that the page has, as its width is. */
const HEIGHT = 240;

/**
 * The lines of a chart over their bands, and the cursor that tells their values. The server draws them as well. They are made
 * here, of the points that the cursor needs anyway, because React sends what a server component draws twice: as a picture, and
 * as what the picture is renewed from.
 */
export function ChartLines({ title, from, to, step, gap, unit, top, ticks, series, silences }: Props) {
  // Points stand in the middle of steps, so that in halves of steps most distances are the same.
  const xUnit = step / 2;
  const width = (to - from) / xUnit;
  const x = (at: number) => (at - from) / xUnit;
  const y = (value: number) => Math.round((1 - value / top) * HEIGHT);
  const unpack = (points: PackedPoints) => unpackPoints(points, from, step);
  const lines = series.map(({ points, ...line }) => ({ ...line, points: unpack(points) }));
  const edge = (run: readonly ChartPoint[], value: "least" | "mean" | "greatest") =>
    run.map((point): Place => [Math.round(x(point.at)), y(point[value])]);
  const line = (drawn: ReturnType<typeof runsOf>) => linePath(drawn.map((run) => edge(run, "mean")));
  return (
    <>
      <svg className={styles.layer} viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {/* Shaded faintly: the lane of the first chart names them. */}
        <path
          className={styles.silence}
          data-silences={silences.length}
          d={silences.map((one) => `M${x(one.from).toFixed(2)} 0V${HEIGHT}H${x(one.to).toFixed(2)}V0z`).join("")}
        />
        <path className={styles.grid} d={ticks.map((tick) => `M0 ${y(tick)}H${width}`).join("")} />
        {lines.map(({ name, points, earlier }, index) => {
          const drawn = runsOf(points, gap);
          return (
            <g key={name} className={styles[`series${index}`]} data-series={name}>
              {earlier && (
                <path className={styles.earlier} data-earlier d={line(runsOf(unpack(earlier.points), earlier.gap))} />
              )}
              <path
                className={styles.band}
                d={areaPath(drawn.map((run) => [edge(run, "greatest"), edge(run, "least")]))}
              />
              <path className={styles.mean} d={line(drawn)} />
            </g>
          );
        })}
      </svg>
      <ChartCursor canChoose {...{ title, from, to, step, unit, silences }} series={lines} />
    </>
  );
}

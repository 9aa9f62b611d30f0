"use client";

import { useMemo } from "react";
import type { Unit } from "@/lib/quantities";
import { MINUTE } from "@/lib/time";
import { ChartCursor } from "./chart-cursor";
import { type PackedPoints, unpackPoints } from "./packed-points";
import { areaPath, linePath, type Place, percentage } from "./path";
import { type ChartPoint, type ChartSeries, type ChartSilence, together } from "./series";
import styles from "./time-chart.module.css";

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
  /** How long (ms) each point lasts, whose time is its middle; 0 for single moments. */
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
  const xUnit = step > 0 ? step / 2 : (to - from) / 1000;
  const width = Math.round((to - from) / xUnit);
  const lines = useMemo(() => {
    const x = (at: number) => Math.round((at - from) / xUnit);
    const y = (value: number) => yOf(value, top);
    const column = step > 0 ? step * Math.ceil((to - from) / step / MOST_PLACES) : 0;
    const runs = (points: PackedPoints, gap: number) =>
      runsOf(unpackPoints(points, from, step || MINUTE), gap).map((run) =>
        column > step ? byColumns(run, from, column) : run,
      );
    const mean = ({ at, mean }: ChartPoint): Place => [x(at), y(mean)];
    return series.map(({ name, points, earlier }) => {
      const known = runs(points, gap);
      return {
        name,
        mean: linePath(known.map((run) => run.map(mean))),
        band: areaPath(
          known.map((run) => ({
            upper: run.map(({ at, greatest }): Place => [x(at), y(greatest)]),
            lower: run.map(({ at, least }): Place => [x(at), y(least)]),
          })),
        ),
        earlier: earlier && linePath(runs(earlier.points, earlier.gap).map((run) => run.map(mean))),
      };
    });
  }, [series, from, to, step, xUnit, top, gap]);
  return (
    <>
      <Silences from={from} to={to} silences={silences} />
      <svg
        className={styles.layer}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        data-chart
      >
        {ticks.map((tick) => (
          <line key={tick} className={styles.grid} x1="0" x2={width} y1={yOf(tick, top)} y2={yOf(tick, top)} />
        ))}
        {lines.map(({ name, mean, band, earlier }, index) => (
          <g key={name} className={styles[`series${index}`]} data-series={name}>
            {earlier !== undefined && <path className={styles.earlier} data-earlier d={earlier} />}
            <path className={styles.band} d={band} />
            <path className={styles.mean} d={mean} />
          </g>
        ))}
      </svg>
      <ChartCursor canChoose {...{ title, from, to, step, unit, series, silences }} />
    </>
  );
}

function yOf(value: number, top: number): number {
  return Math.round((1 - value / top) * HEIGHT);
}

/** Shaded faintly: the lane of the first chart tells of them. */
function Silences({ from, to, silences }: Pick<Props, "from" | "to" | "silences">) {
  return (
    <svg className={styles.layer} aria-hidden="true" data-silences={silences.length}>
      {silences.map((silence) => {
        const [start, end] = [Math.max(0, (silence.from - from) / (to - from)), (silence.to - from) / (to - from)];
        return (
          <rect
            key={silence.from}
            className={styles.silence}
            x={percentage(start)}
            width={percentage(end - start)}
            y="0"
            height="100%"
          />
        );
      })}
    </svg>
  );
}

/** The points that are joined with each other. */
function runsOf(points: readonly ChartPoint[], gap: number): ChartPoint[][] {
  const runs: ChartPoint[][] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    if (point.at - before > gap) runs.push([]);
    runs.at(-1)?.push(point);
    before = point.at;
  }
  return runs;
}

/** The points of each column of so many milliseconds as one, in their middle. */
function byColumns(run: readonly ChartPoint[], from: number, column: number): ChartPoint[] {
  const columns: { of: number; first: number; point: ChartPoint }[] = [];
  for (const point of run) {
    const of = Math.floor((point.at - from) / column);
    const last = columns.at(-1);
    if (last?.of === of) last.point = { ...together(last.point, point), at: (last.first + point.at) / 2 };
    else columns.push({ of, first: point.at, point });
  }
  return columns.map(({ point }) => point);
}

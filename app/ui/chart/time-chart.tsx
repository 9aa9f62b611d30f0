import { scaleLinear } from "d3-scale";
import { Fragment } from "react";
import { scaleBase, scaleTexts, type Unit } from "@/lib/format/quantities";
import type { TimeRange } from "@/lib/format/time-range";
import styles from "./chart.module.css";
import { ChartLines } from "./chart-lines";
import { ChartTable, type TableRow } from "./chart-table";
import { Lane, type LaneMark } from "./lane";
import { Legend } from "./legend";
import { packPoints } from "./pack-points";
import { percentage } from "./path";
import type { ChartPoint, ChartSeries } from "./series";
import { TimeAxis } from "./time-axis";
import type { TimeTick } from "./time-ticks";

/** A part of the scale that has a name, for example where a score is healthy. */
export type ChartLevel = { name: string; from: number; to: number };

/** What happened meanwhile: a lane below the plot, and below it the same in words. */
export type ChartLane = { name: string; marks: readonly LaneMark[]; words: React.ReactNode };

type Props = TimeRange & {
  title: string;
  /** How long (ms) each point lasts, whose time is its middle. */
  step: number;
  /** Points further apart than this (ms) are not joined: nothing is known of the time between them. */
  gap: number;
  /** The top of the scale, if no value is greater. */
  top: number;
  unit: Unit;
  /** Three lines at most can be told apart. */
  series: readonly ChartSeries[];
  silences?: readonly TimeRange[];
  lanes?: readonly ChartLane[];
  levels?: readonly ChartLevel[];
  /** Those of the axis. */
  times: readonly TimeTick[];
  /** Those of the table. */
  rows: readonly TableRow[];
  /** How much earlier the pale lines are: "a week before". */
  compared?: string | undefined;
  id?: string;
};

/** What all charts of a page have in common. */
export type SharedProps = Omit<Props, "id" | "title" | "top" | "unit" | "series" | "lanes" | "levels">;

/**
 * A chart over time, drawn by the server: lines of the means over bands from the least to the greatest value, a legend
 * with the numbers, and the same in a table. A script adds the values at the time that is pointed at, and a time to look at
 * that is chosen in the chart.
 */
export function TimeChart({ lanes = [], ...shown }: Props) {
  const { title, from, to, unit, series, rows, compared, id } = shown;
  const known = series.filter(({ points }) => points.length > 0);
  return (
    <figure className={`card stack dense ${styles.chart}`} aria-label={title} id={id}>
      <h3>{title}</h3>
      <Plot {...shown} />
      {lanes.map(({ name, marks }) => (
        <Lane key={name} {...{ name, from, to, marks }} />
      ))}
      <figcaption className="stack dense text-sm">
        {lanes.map(({ name, words }) => (
          <Fragment key={name}>{words}</Fragment>
        ))}
        {known.length === 0 ? (
          <p className="soft">Nothing was measured in this time.</p>
        ) : (
          <>
            <Legend title={title} unit={unit} series={series} />
            <ChartTable {...{ title, unit, series: known, rows, compared }} />
          </>
        )}
      </figcaption>
    </figure>
  );
}

function Plot({ title, from, to, step, gap, top, unit, series, silences = [], levels = [], times }: Props) {
  const greatest = Math.max(
    top,
    ...series.flatMap(({ points, earlier }) => [
      ...points.map(({ greatest }) => greatest),
      ...(earlier?.points ?? []).map(({ mean }) => mean),
    ]),
  );
  const base = scaleBase(greatest, unit);
  const scale = scaleLinear()
    .domain([0, greatest / base])
    .range([1, 0])
    .nice(4);
  const ticks = scale.ticks(4).map((tick) => tick * base);
  const texts = scaleTexts(ticks, unit);
  const height = (value: number) => percentage(scale(value / base));
  const pack = (points: readonly ChartPoint[]) => packPoints(points, from, step);
  return (
    <div className={styles.frame}>
      <svg className={styles.scale} aria-hidden="true">
        {ticks.map((tick, index) => (
          <text key={tick} x="100%" y={height(tick)} dy="0.32em" textAnchor="end">
            {texts[index]}
          </text>
        ))}
      </svg>
      <div className={styles.plot}>
        <svg className={styles.layer} aria-hidden="true">
          {levels.map(({ name, from, to }) => (
            <rect
              key={name}
              className={styles.level}
              data-level={name}
              x="0"
              width="100%"
              y={height(to)}
              height={percentage(scale(from / base) - scale(to / base))}
            />
          ))}
        </svg>
        <TimeAxis ticks={times} />
        <ChartLines
          {...{ title, from, to, step, gap, unit, ticks, silences }}
          top={(scale.domain()[1] ?? 1) * base}
          series={series.map(({ name, points, remark, earlier }) => ({
            name,
            remark,
            points: pack(points),
            earlier: earlier && { points: pack(earlier.points.map(meanAlone)), gap: earlier.gap },
          }))}
        />
      </div>
    </div>
  );
}

/** Of an earlier time no band is drawn. */
function meanAlone({ at, mean }: ChartPoint): ChartPoint {
  return { at, least: mean, mean, greatest: mean };
}

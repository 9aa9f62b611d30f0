import type { Unit } from "@/lib/format/quantities";
import { type Chart, type HistoryMeasure, rolledUpRows } from "@/lib/servers/telemetry/measurements";

/** One picture of the history: what it shows, on which scale. */
export type HistoryChart = {
  title: string;
  unit: Unit;
  /** The top of the scale, in the unit. */
  top: number;
  series: { name: string; measure: HistoryMeasure }[];
};

export const SCORE_CHART: HistoryChart = {
  title: "Score",
  unit: "points",
  top: 1000,
  series: [{ name: "Score", measure: "score" }],
};

/** The score, and a chart for each that the table of measurements names, in its order. */
export const HISTORY_CHARTS: readonly HistoryChart[] = [SCORE_CHART, ...measuredCharts()];

/** The id of a chart on the page, for links to it. */
export function chartId(title: string): string {
  return `chart-${title.toLowerCase().replaceAll(" ", "-")}`;
}

function measuredCharts(): HistoryChart[] {
  const charts = new Map<Chart, HistoryChart>();
  for (const { chart, label, measure, unit } of rolledUpRows) {
    const drawn = charts.get(chart) ?? { ...chart, unit: unit.shownAs, series: [] };
    drawn.series.push({ name: label, measure });
    charts.set(chart, drawn);
  }
  return [...charts.values()];
}

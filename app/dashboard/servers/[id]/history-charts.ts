import type { HistoryMeasure } from "@/lib/servers/telemetry/bands";
import { type Chart, rolledUpRows } from "@/lib/servers/telemetry/measurements";

/** One picture of the history: what it shows, on which scale. */
export type HistoryChart = {
  title: string;
  unit: string;
  /** The top of the scale, in the unit. */
  top: number;
  series: { name: string; measure: HistoryMeasure }[];
};

const SCORE: HistoryChart = { title: "Score", unit: "", top: 1000, series: [{ name: "Score", measure: "score" }] };

/** The score, and a chart for each that the table of measurements names, in its order. */
export const HISTORY_CHARTS: readonly HistoryChart[] = [SCORE, ...measuredCharts()];

function measuredCharts(): HistoryChart[] {
  const charts = new Map<Chart, HistoryChart>();
  for (const { chart, label, measure, unit } of rolledUpRows) {
    const drawn = charts.get(chart) ?? { ...chart, unit: unit.text, series: [] };
    drawn.series.push({ name: label, measure });
    charts.set(chart, drawn);
  }
  return [...charts.values()];
}

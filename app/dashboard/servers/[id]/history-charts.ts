import type { HistoryMeasure } from "@/lib/servers/telemetry/bands";

/** One picture of the history: what it shows, on which scale. */
export type HistoryChart = {
  title: string;
  unit: string;
  /** The top of the scale, in the unit. */
  top: number;
  series: readonly { name: string; measure: HistoryMeasure }[];
};

export const HISTORY_CHARTS: readonly HistoryChart[] = [
  { title: "Score", unit: "", top: 1000, series: [{ name: "Score", measure: "score" }] },
  {
    title: "CPU",
    unit: " %",
    top: 100,
    series: [
      { name: "Busy", measure: "cpuPct" },
      { name: "Stolen by other guests", measure: "cpuStealPct" },
      { name: "Waiting for disks", measure: "cpuIowaitPct" },
    ],
  },
  {
    title: "Memory",
    unit: " %",
    top: 100,
    series: [
      { name: "Used", measure: "memUsedPct" },
      { name: "Swap used", measure: "swapUsedPct" },
    ],
  },
  { title: "Fullest disk", unit: " %", top: 100, series: [{ name: "Used", measure: "diskUsedPct" }] },
  {
    title: "Network",
    unit: " %",
    top: 1,
    series: [
      { name: "Packets lost", measure: "netLossPct" },
      { name: "Retransmitted", measure: "netRetransmitPct" },
    ],
  },
];

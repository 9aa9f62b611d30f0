import { clockText, momentText } from "@/lib/format/relative-time";

/** How a page names the step of a chart (ms, counted from the epoch) in which a moment (epoch ms) is. */
export function stepText(at: number, step: number, zone: string): string {
  const from = Math.floor(at / step) * step;
  return `${momentText(new Date(from), zone)} to ${clockText(new Date(from + step), zone)}`;
}

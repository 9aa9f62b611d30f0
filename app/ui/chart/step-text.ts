import { clockText, momentText } from "@/lib/format/relative-time";
import { MINUTE } from "@/lib/format/time";

/**
 * The step (ms) that a point at `at` (epoch ms) is of: "22 Nov, 14:21", or from when to when where it is longer than a minute.
 * Every chart counts its steps from the epoch; a point may stand anywhere in its own.
 */
export function stepText(at: number, step: number, zone: string): string {
  const begin = Math.floor(at / step) * step;
  const text = momentText(new Date(begin), zone);
  return step > MINUTE ? `${text} to ${clockText(new Date(begin + step), zone)}` : text;
}

import { clockText, momentText } from "@/lib/format/relative-time";
import { MINUTE } from "@/lib/format/time";

/**
 * The step of the point at `at` (epoch ms), in a chart that ends at `to`: "22 Nov, 14:21", or from when to when where it is
 * longer than a minute. Of what is not over, the point is in the middle of what is (`middleOfStep`), and one of now at its end.
 */
export function stepText(at: number, step: number, to: number, zone: string): string {
  const begin = at + step / 2 > to ? 2 * at - to : at - step / 2;
  // Packed points come a little before or after.
  const minute = Math.round(begin / MINUTE) * MINUTE;
  const text = momentText(new Date(minute), zone);
  return step > MINUTE && begin + MINUTE / 2 < to ? `${text} to ${clockText(new Date(minute + step), zone)}` : text;
}

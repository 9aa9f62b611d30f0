type Point = readonly [measured: number, value: number];
/** Points `[measured, value]`, rising in the first; linear between them, constant beyond the ends. */
export type Curve = readonly Point[];

const ORIGIN: Point = [0, 0];

/**
 * The value of a curve at a measurement. It reads points by their places, because a list of servers asks for it a thousand
 * times and taking points apart takes twice as long.
 */
export function valueAt(curve: Curve, measuredValue: number): number {
  let before = curve[0] ?? ORIGIN;
  if (measuredValue <= before[0]) return before[1];
  for (let index = 1; index < curve.length; index++) {
    const after = curve[index] as Point;
    if (measuredValue <= after[0]) {
      const width = after[0] - before[0];
      return width === 0 ? after[1] : before[1] + ((after[1] - before[1]) * (measuredValue - before[0])) / width;
    }
    before = after;
  }
  return before[1];
}

/** Points `[measured, value]`, rising in the first; linear between them, constant beyond the ends. */
export type Curve = readonly (readonly [measured: number, value: number])[];

/** The value of a curve at a measurement. */
export function valueAt(curve: Curve, measuredValue: number): number {
  let previous = curve[0] ?? [0, 0];
  if (measuredValue <= previous[0]) return previous[1];
  for (const point of curve) {
    if (measuredValue <= point[0]) {
      const [x0, y0] = previous;
      const [x1, y1] = point;
      return x1 === x0 ? y1 : y0 + ((y1 - y0) * (measuredValue - x0)) / (x1 - x0);
    }
    previous = point;
  }
  return previous[1];
}

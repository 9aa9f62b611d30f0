/** A place in a picture, in whole units. */
export type Place = readonly [x: number, y: number];

/** A line through each of the runs. A run of a single place is closed, so that it is drawn as a dot. */
export function linePath(runs: readonly (readonly Place[])[]): string {
  return runs.map((run) => relative(run) + (run.length === 1 ? "z" : "")).join("");
}

/** An area for each of the runs, between two edges. */
export function areaPath(runs: readonly (readonly [upper: readonly Place[], lower: readonly Place[]])[]): string {
  return runs.map(([upper, lower]) => `${relative([...upper, ...lower.toReversed()])}z`).join("");
}

/** Each place relative to the one before, which is much shorter once it is compressed: a page has thousands of them. */
function relative([first, ...rest]: readonly Place[]): string {
  if (!first) return "";
  let [x, y] = first;
  let path = `M${x} ${y}`;
  if (rest.length > 0) path += "l";
  for (const [toX, toY] of rest) {
    path += spaced(toX - x) + spaced(toY - y);
    [x, y] = [toX, toY];
  }
  return path;
}

/** A minus separates numbers as well. */
function spaced(value: number): string {
  return value < 0 ? String(value) : ` ${value}`;
}

/** A part of a picture's width or height, 0 to 1, as SVG writes it: "12.5%". */
export function percentage(part: number): string {
  return `${Math.round(part * 10_000) / 100}%`;
}

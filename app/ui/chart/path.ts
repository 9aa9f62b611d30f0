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
function relative(places: readonly Place[]): string {
  const [first] = places;
  if (!first) return "";
  const steps: number[] = [];
  let [x, y] = first;
  for (let index = 1; index < places.length; index++) {
    const [toX, toY] = places[index] as Place;
    steps.push(toX - x, toY - y);
    [x, y] = [toX, toY];
  }
  const start = `M${first[0]} ${first[1]}`;
  // A minus separates numbers as well.
  return steps.length === 0 ? start : `${start}l ${steps.join(" ")}`.replaceAll(" -", "-");
}

/** A part of a picture's width or height, 0 to 1, as SVG writes it: "12.5%". */
export function percentage(part: number): string {
  return `${Math.round(part * 10_000) / 100}%`;
}

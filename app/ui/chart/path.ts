/**
 * The same path with lines that are relative to the point before, which is much shorter once it is compressed: a page of a
 * month has thousands of them. Of whole coordinates, so that nothing is rounded.
 */
export function shortened(path: string | null): string {
  let [x, y] = [0, 0];
  return (path ?? "").replace(/([ML])(-?\d+),(-?\d+)/g, (_, command: string, toX: string, toY: string) => {
    const text = command === "M" ? `M${toX},${toY}` : `l${Number(toX) - x},${Number(toY) - y}`;
    [x, y] = [Number(toX), Number(toY)];
    return text;
  });
}

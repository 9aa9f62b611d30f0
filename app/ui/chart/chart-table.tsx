import { percent, quantity, type Unit } from "@/lib/quantities";
import { momentText } from "@/lib/relative-time";
import { DAY } from "@/lib/time";
import { instantOf, wallClock, zoneOffset } from "@/lib/time-zone";
import { NumbersTable } from "./numbers-table";
import { type ChartPoint, type ChartSeries, type ChartSilence, together } from "./series";

type Props = {
  title: string;
  from: number;
  to: number;
  unit: Unit;
  series: readonly ChartSeries[];
  silences: readonly ChartSilence[];
  row: number;
  zone: string;
};

/** The numbers of a chart for those who want them, and for those who cannot see it. */
export function ChartTable({ title, from, to, unit, series, silences, row, zone }: Props) {
  const rows = rowsOf(series, { from, to, row, zone });
  return (
    <NumbersTable
      title={title}
      caption={`${title}: low, mean and high by time`}
      remarks={series.flatMap(({ name, remark }) => (remark ? [`${name} ${remark.text}`] : []))}
    >
      <thead>
        <tr>
          <th scope="col" rowSpan={2}>
            From
          </th>
          <th scope="col" rowSpan={2}>
            Heard
          </th>
          {series.map(({ name }) => (
            <th key={name} scope="colgroup" colSpan={3}>
              {name}
            </th>
          ))}
        </tr>
        <tr>
          {series.map(({ name }) =>
            ["Low", "Mean", "High"].map((title) => (
              <th key={`${name} ${title}`} scope="col">
                {title}
              </th>
            )),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ at, end, points }) => (
          <tr key={at}>
            <th scope="row">{momentText(new Date(at), zone)}</th>
            <td>{heardText(silences, at, end)}</td>
            {points.map((point) => cellsOf(point, unit))}
          </tr>
        ))}
      </tbody>
    </NumbersTable>
  );
}

/** An array, not a component: a month's page has a thousand of them, and a component's name would stand at each. */
function cellsOf(point: ChartPoint | undefined, unit: Unit) {
  return (["least", "mean", "greatest"] as const).map((name) => (
    <td key={name[0]}>{point ? quantity(point[name], unit) : "–"}</td>
  ));
}

type Row = { at: number; end: number; points: (ChartPoint | undefined)[] };

/** The points taken together by whole hours or days of the zone, the latest first. */
function rowsOf(
  series: readonly ChartSeries[],
  { from, to, row, zone }: { from: number; to: number; row: number; zone: string },
): Row[] {
  const rows = new Map<number, Row>();
  for (let at = startOfRow(from, row, zone); at < to; at = nextRow(at, row, zone)) {
    rows.set(at, { at, end: nextRow(at, row, zone), points: series.map(() => undefined) });
  }
  for (const [index, { points }] of series.entries()) {
    for (const point of points) {
      const found = rows.get(startOfRow(point.at, row, zone));
      if (!found) continue;
      const known = found.points[index];
      found.points[index] = known ? together(known, point) : point;
    }
  }
  return [...rows.values()]
    .map((found) => ({ ...found, at: Math.max(found.at, from), end: Math.min(found.end, to) }))
    .reverse();
}

function startOfRow(at: number, row: number, zone: string): number {
  if (row >= DAY) return instantOf({ ...wallClock(at, zone), hour: 0, minute: 0, second: 0 }, zone);
  const offset = zoneOffset(at, zone);
  return Math.floor((at + offset) / row) * row - offset;
}

/** Days have 23 to 25 hours. */
function nextRow(at: number, row: number, zone: string): number {
  return startOfRow(row >= DAY ? at + 1.5 * DAY : at + row, row, zone);
}

function heardText(silences: readonly ChartSilence[], from: number, to: number): string {
  const until = Math.min(to, Date.now());
  const silent = silences.reduce(
    (sum, silence) => sum + Math.max(0, Math.min(until, silence.to) - Math.max(from, silence.from)),
    0,
  );
  return until > from ? percent(Math.floor((1 - silent / (until - from)) * 100)) : "–";
}

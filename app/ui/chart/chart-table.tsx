import { percent, quantity, type Unit } from "@/lib/format/quantities";
import { momentText } from "@/lib/format/relative-time";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { instantOf, wallClock, zoneOffset } from "@/lib/format/time-zone";
import { NumbersTable } from "./numbers-table";
import { type ChartPoint, type ChartSeries, type ChartSilence, together } from "./series";
import { TextRows } from "./text-rows";

type Props = {
  title: string;
  from: number;
  to: number;
  unit: Unit;
  series: readonly ChartSeries[];
  silences: readonly ChartSilence[];
  row: number;
  zone: string;
  /** The title of the column with the means of an earlier time. */
  compared?: string | undefined;
};

/** The numbers of a chart for those who want them, and for those who cannot see it. */
export function ChartTable({ title, from, to, unit, series, silences, row, zone, compared }: Props) {
  const rows = rowsOf(series, { from, to, row, zone });
  const lineOf = ({ at, end, points, earlier }: Row) => {
    const values = points.flatMap((point, index) => [
      point?.least,
      point?.mean,
      point?.greatest,
      ...(compared ? [earlier[index]?.mean] : []),
    ]);
    const texts = values.map((value) => (value === undefined ? "–" : quantity(value, unit)));
    return [momentText(new Date(at), zone), heardText(silences, at, end), ...texts].join("\t");
  };
  const columns = ["Low", "Mean", "High", ...(compared ? [`Mean ${compared}`] : [])];
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
            <th key={name} scope="colgroup" colSpan={columns.length}>
              {name}
            </th>
          ))}
        </tr>
        <tr>
          {series.map(({ name }) =>
            columns.map((title) => (
              <th key={`${name} ${title}`} scope="col">
                {title}
              </th>
            )),
          )}
        </tr>
      </thead>
      <TextRows text={rows.map(lineOf).join("\n")} />
    </NumbersTable>
  );
}

type Points = (ChartPoint | undefined)[];
/** The points of each line, and those of its earlier time. */
type Row = { at: number; end: number; points: Points; earlier: Points };

/** The lengths of rows that people count in, and the most rows of a table that are still looked through. */
const ROWS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY];
const MOST_ROWS = 48;

/** The time (ms) that one row of the table of any time covers. */
export function rowOf(length: number): number {
  return ROWS.find((row) => length / row <= MOST_ROWS) ?? Math.ceil(length / MOST_ROWS / (7 * DAY)) * 7 * DAY;
}

/** The points taken together by whole hours, days or weeks of the zone, the latest first. */
function rowsOf(
  series: readonly ChartSeries[],
  { from, to, row, zone }: { from: number; to: number; row: number; zone: string },
): Row[] {
  const rows: Row[] = [];
  for (let at = startOfRow(from, row, zone); at < to; at = nextRow(at, row, zone)) {
    const none = series.map(() => undefined);
    rows.push({ at, end: nextRow(at, row, zone), points: [...none], earlier: [...none] });
  }
  for (const [index, { points, earlier }] of series.entries()) {
    gather(rows, index, "points", points);
    gather(rows, index, "earlier", earlier?.points ?? []);
  }
  return rows.map((found) => ({ ...found, at: Math.max(found.at, from), end: Math.min(found.end, to) })).reverse();
}

/** Both are in order, so that the clocks of the zone are read for each row and not for each point. */
function gather(rows: readonly Row[], line: number, kind: "points" | "earlier", points: readonly ChartPoint[]): void {
  let place = 0;
  for (const point of points) {
    while (point.at >= (rows[place]?.end ?? Number.POSITIVE_INFINITY)) place++;
    const row = rows[place];
    if (!row || point.at < row.at) continue;
    const known = row[kind][line];
    row[kind][line] = known ? together(known, point) : point;
  }
}

function startOfRow(at: number, row: number, zone: string): number {
  if (row >= DAY) {
    const { year, month, day } = wallClock(at, zone);
    const number = Date.UTC(year, month - 1, day) / DAY;
    const days = row / DAY;
    // Weeks begin on Mondays; the epoch was a Thursday.
    const first = days === 1 ? number : Math.floor((number + 3) / days) * days - 3;
    return instantOf(wallClock(first * DAY, "UTC"), zone);
  }
  const offset = zoneOffset(at, zone);
  return Math.floor((at + offset) / row) * row - offset;
}

/** Days have 23 to 25 hours. */
function nextRow(at: number, row: number, zone: string): number {
  return startOfRow(row >= DAY ? at + row + DAY / 2 : at + row, row, zone);
}

function heardText(silences: readonly ChartSilence[], from: number, to: number): string {
  const until = Math.min(to, Date.now());
  const silent = silences.reduce(
    (sum, silence) => sum + Math.max(0, Math.min(until, silence.to) - Math.max(from, silence.from)),
    0,
  );
  return until > from ? percent(Math.floor((1 - silent / (until - from)) * 100)) : "–";
}

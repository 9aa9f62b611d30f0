import { quantity, type Unit } from "@/lib/format/quantities";
import { momentText } from "@/lib/format/relative-time";
import { MINUTE } from "@/lib/format/time";
import type { TimeRange } from "@/lib/format/time-range";
import { NumbersTable } from "./numbers-table";
import { type ChartPoint, type ChartSeries, sumOf } from "./series";
import { TextRows } from "./text-rows";
import { roundTimes } from "./time-ticks";

type Props = {
  title: string;
  unit: Unit;
  series: readonly ChartSeries[];
  rows: readonly TableRow[];
  /** The title of the column with the means of an earlier time. */
  compared?: string | undefined;
};

/** The numbers of a chart for those who want them, and for those who cannot see it. */
export function ChartTable({ title, unit, series, rows, compared }: Props) {
  const text = (value: number | undefined) => (value === undefined ? "–" : quantity(value, unit));
  const lineOf = ({ from, to, head, heard }: TableRow) => {
    const within = (points: readonly ChartPoint[]) => sumOf(points.filter(({ at }) => at >= from && at < to));
    let line = heard === undefined ? head : `${head}\t${heard}`;
    for (const { points, earlier } of series) {
      const sum = within(points);
      line += `\t${text(sum?.least)}\t${text(sum?.mean)}\t${text(sum?.greatest)}`;
      if (compared) line += `\t${text(within(earlier?.points ?? [])?.mean)}`;
    }
    return line;
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
          {rows[0]?.heard !== undefined && (
            <th scope="col" rowSpan={2}>
              Heard
            </th>
          )}
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
      <TextRows text={rows.map(lineOf).reverse().join("\n")} />
    </NumbersTable>
  );
}

/** A row of the tables of a page. `head`: when it begins; `heard`: for how much of it, where that is told. */
export type TableRow = TimeRange & { head: string; heard: string | undefined };

type Rows = TimeRange & { zone: string; heardIn?: (time: TimeRange) => string };

/** The rows of the tables of any time, at round times of the zone, in order; the first and the last may be shorter. All charts of a page share them. */
export function tableRows({ from, to, zone, heardIn }: Rows): TableRow[] {
  // A row is a minute at least: its head says no seconds.
  const rows = Math.min(24, (to - from) / MINUTE);
  const edges = [...new Set([from, ...roundTimes(from, to, zone, rows), to])];
  return edges.slice(1).map((end, index) => {
    const time = { from: edges[index] ?? from, to: end };
    return { ...time, head: momentText(new Date(time.from), zone), heard: heardIn?.(time) };
  });
}

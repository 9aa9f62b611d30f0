import { scaleTexts, type Unit } from "@/lib/format/quantities";
import styles from "./chart.module.css";
import { type ChartSeries, sumOf } from "./series";

type Props = { title: string; unit: Unit; series: readonly ChartSeries[] };

const COLUMNS = ["Min", "Mean", "Max", "Last"];

/** The lines of a chart, each with a piece of itself and its numbers. */
export function Legend({ title, unit, series }: Props) {
  return (
    <table className={`text-sm ${styles.legend}`} data-single={series.length === 1}>
      <caption className="visually-hidden">{title}: least, mean, greatest and last value</caption>
      <thead>
        <tr>
          <td />
          {COLUMNS.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {series.map(({ name, points, last }, index) => {
          const sum = sumOf(points);
          const texts =
            sum && scaleTexts([sum.least, sum.mean, sum.greatest, last ?? points.at(-1)?.mean ?? sum.mean], unit);
          return (
            <tr key={name}>
              <th scope="row">
                <span className={styles.series}>
                  <svg className={styles[`series${index}`]} viewBox="0 0 24 8" aria-hidden="true">
                    <path className={styles.mean} d="M0,4H24" />
                  </svg>
                  <span>{name}</span>
                </span>
              </th>
              {COLUMNS.map((title, column) => (
                // Where the head of the table has no room, each number has its title.
                <td key={title} data-title={title} translate="no">
                  {texts?.[column] ?? "–"}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

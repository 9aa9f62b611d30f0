import styles from "./chart.module.css";

type Props = {
  /** The title of the numbers, for screen readers. */
  title: string;
  caption: string;
  /** What is worth knowing of the numbers, above them. */
  remarks?: readonly string[];
  /** The head and the body of the table. */
  children: React.ReactNode;
};

/** The numbers of a chart by time, opened by those who want them, and for those who cannot see the chart. */
export function NumbersTable({ title, caption, remarks = [], children }: Props) {
  return (
    <details className="disclosure text-sm" data-numbers>
      <summary>
        Table<span className="visually-hidden"> of {title}</span>
      </summary>
      {remarks.length > 0 && <p className="soft">{remarks.join("; ")}.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard */}
      <section className={styles.scroll} aria-label={`${title} in numbers`} tabIndex={0}>
        <table className={styles.numbers}>
          <caption className="visually-hidden">{caption}</caption>
          {children}
        </table>
      </section>
    </details>
  );
}

import styles from "./chart-grid.module.css";

/** The charts of a page: the first over the whole width, the others two side by side, or three where they are three. */
export function ChartGrid({ children }: { children: React.ReactNode }) {
  return <div className={`stack ${styles.charts}`}>{children}</div>;
}

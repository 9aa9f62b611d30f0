import styles from "./score.module.css";

/** From here up a server is well; below the second it needs somebody. The number stands beside the colour. */
const GOOD = 800;
const POOR = 500;

/** A health score or one of its components, 0 to 1000, as a number and a bar. */
export function Score({ value }: { value: number }) {
  return (
    <span className={styles.score} data-tone={toneOf(value)}>
      <data value={value}>{value}</data>
      <svg className={styles.bar} viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
        <rect className={styles.track} width="1000" height="10" />
        <rect className={styles.fill} width={value} height="10" />
      </svg>
    </span>
  );
}

export function toneOf(value: number): "good" | "fair" | "poor" {
  if (value >= GOOD) return "good";
  return value >= POOR ? "fair" : "poor";
}

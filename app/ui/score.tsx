import { levelOf } from "@/lib/servers/health-level";
import styles from "./score.module.css";

/** A health score or one of its components, 0 to 1000, as a number and a bar. */
export function Score({ value }: { value: number }) {
  const level = levelOf(value);
  return (
    <span className={styles.score} data-level={level}>
      <data value={value}>{value}</data>
      <svg className={styles.bar} viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
        <rect className={styles.track} width="1000" height="10" />
        <rect className={styles.fill} width={value} height="10" />
      </svg>
      {level !== "healthy" && <span className="visually-hidden">{level}</span>}
    </span>
  );
}

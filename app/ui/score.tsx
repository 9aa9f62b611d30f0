import { type HealthLevel, levelOf } from "@/lib/servers/health-level";
import { Bar } from "./bar";
import styles from "./score.module.css";

/** A health score or one of its components, 0 to 1000, as a number and a bar. */
export function Score({ value, level = levelOf(value) }: { value: number; level?: HealthLevel }) {
  return (
    <span className={styles.score} data-level={level}>
      <data value={value} translate="no">
        {value}
      </data>
      <Bar share={value / 1000} level={level} />
      {level !== "healthy" && <span className="visually-hidden">{level}</span>}
    </span>
  );
}

import { percent } from "@/lib/quantities";
import { type Curve, valueAt } from "@/lib/servers/curve";
import { levelOf } from "@/lib/servers/health-level";
import styles from "./score.module.css";

/** Shows a current percentage with a bar. The score's own curve decides the health colour. */
export function Meter({ value, curve }: { value: number; curve: Curve }) {
  return (
    <span className={styles.meter} data-level={levelOf(valueAt(curve, value))}>
      <data value={value}>{percent(value)}</data>
      <svg className={styles.bar} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect className={styles.track} width="100" height="10" />
        <rect className={styles.fill} width={Math.round(value)} height="10" />
      </svg>
    </span>
  );
}

import { percent } from "@/lib/format/quantities";
import { type Curve, valueAt } from "@/lib/servers/curve";
import { levelOf } from "@/lib/servers/health-level";
import { Bar } from "./bar";
import styles from "./score.module.css";

/** Shows a current percentage with a bar. The score's own curve decides the health colour. */
export function Meter({ value, curve }: { value: number; curve: Curve }) {
  const level = levelOf(valueAt(curve, value));
  return (
    <span className={styles.meter} data-level={level}>
      <data value={value} translate="no">
        {percent(value)}
      </data>
      <Bar share={value / 100} level={level} />
    </span>
  );
}

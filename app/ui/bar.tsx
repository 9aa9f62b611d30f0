import type { HealthLevel } from "@/lib/servers/health-level";
import styles from "./bar.module.css";

/** A bar of a share from 0 to 1, in the colour of its level. The number stands beside it. */
export function Bar({ share, level }: { share: number; level: HealthLevel }) {
  return (
    <svg className={styles.bar} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" data-level={level}>
      <rect className={styles.track} width="100" height="10" />
      <rect width={Math.round(share * 100)} height="10" />
    </svg>
  );
}

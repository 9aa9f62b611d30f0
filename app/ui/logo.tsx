import { Link } from "./link";
import styles from "./logo.module.css";

/** The mark and the name, which lead to the start. The name is text, so the picture needs none. */
export function Logo() {
  return (
    <Link href="/" className={`control ${styles.logo}`}>
      {/* biome-ignore lint/performance/noImgElement: a vector needs no image optimizer */}
      <img className={styles.mark} src="/logo.svg" alt="" width="26" height="26" />
      Console
    </Link>
  );
}

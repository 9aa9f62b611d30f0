import Link from "next/link";
import { Logo } from "./logo";
import styles from "./site-header.module.css";

/** The bar at the top of every page. */
export function SiteHeader({ children }: { children?: React.ReactNode }) {
  return (
    <header className={styles.header}>
      <div className={styles.inner}>
        <Link href="/" className={styles.home} prefetch={false}>
          <Logo />
        </Link>
        {children}
      </div>
    </header>
  );
}

import Link from "next/link";
import { Logo } from "./logo";
import styles from "./site-header.module.css";

/** The links in the bar of a page that is not of the dashboard. */
export function HeaderNavigation({ children }: { children: React.ReactNode }) {
  return (
    <nav className={styles.nav} aria-label="Main">
      {children}
    </nav>
  );
}

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

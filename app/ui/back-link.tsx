import Link from "next/link";
import styles from "./back-link.module.css";

/** The way to the page that this one belongs to, above its title. */
export function BackLink({ href, children }: { href: string; children: React.ReactNode }) {
  return (
    <p className={styles.back} data-navigation>
      <Link href={href} prefetch={false}>
        {children}
      </Link>
    </p>
  );
}

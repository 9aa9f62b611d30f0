import { Logo } from "./logo";
import styles from "./lone-card.module.css";

type Props = { title: string; isWide?: boolean; below?: React.ReactNode; children: React.ReactNode };

/** A page outside of the dashboard that asks one thing. */
export function LoneCard({ title, isWide = false, below, children }: Props) {
  return (
    <main id="main" className={`${styles.page} ${isWide ? styles.wide : ""}`}>
      <Logo />
      <div className={`card stack ${styles.card}`}>
        <h1>{title}</h1>
        {children}
      </div>
      {below}
    </main>
  );
}

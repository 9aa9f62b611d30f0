import { Link } from "./link";
import styles from "./page-header.module.css";

type Props = {
  title: React.ReactNode;
  /** The page that this one belongs to. */
  back?: { href: string; label: React.ReactNode };
  /** What the title is about in a few words: names, states, times. */
  facts?: React.ReactNode;
  /** What can be done with the subject of the page. */
  actions?: React.ReactNode;
  /** What the page is for. */
  children?: React.ReactNode;
};

/** The head of every page: the way back, the title, what can be done, and what the page is for. */
export function PageHeader({ title, back, facts, actions, children }: Props) {
  return (
    <header className={`stack tight ${styles.header}`}>
      {back && (
        <p className={styles.back} data-navigation>
          <Link href={back.href}>{back.label}</Link>
        </p>
      )}
      <div className={`row spread ${styles.line}`}>
        <div className={styles.title}>
          <h1>{title}</h1>
          {facts && <div className={styles.facts}>{facts}</div>}
        </div>
        {actions && <div className="row tight">{actions}</div>}
      </div>
      {children && <div className={styles.purpose}>{children}</div>}
    </header>
  );
}

import styles from "./page.module.css";

/** A section with a name of its own in the URL of the page. */
export function Section({ id, title, children }: { id: string; title: string; children: React.ReactNode }) {
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id} className={styles.heading}>
        <a href={`#${id}`}>{title}</a>
      </h2>
      {children}
    </section>
  );
}

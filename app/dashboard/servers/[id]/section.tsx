import styles from "./section.module.css";

type Props = { id: string; title: string; aside?: React.ReactNode; children: React.ReactNode };

/** A part of a server's page under its own heading. */
export function Section({ id, title, aside, children }: Props) {
  return (
    <section className={styles.section} aria-labelledby={id}>
      <div className={styles.header}>
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

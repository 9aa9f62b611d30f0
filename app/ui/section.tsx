import styles from "./section.module.css";

type Props = {
  id: string;
  title: React.ReactNode;
  /** In the line of the heading: numbers beside it. */
  note?: React.ReactNode;
  /** In the line of the heading: what can be done, at its end. */
  aside?: React.ReactNode;
  children: React.ReactNode;
};

/** A part of a page under its own heading. */
export function Section({ id, title, note, aside, children }: Props) {
  return (
    <section className={`stack ${styles.section}`} aria-labelledby={id}>
      <div className={`row close ${styles.header}`}>
        <h2 id={id}>{title}</h2>
        {note && <span className="hint">{note}</span>}
        {aside && <div className={`row near push ${styles.aside}`}>{aside}</div>}
      </div>
      {children}
    </section>
  );
}

type SettingsProps = {
  id: string;
  title: string;
  /** What the setting does, beside its form. */
  about?: string;
  children: React.ReactNode;
};

/** One setting: on the left its name and what it does, on the right the card with its form. */
export function SettingsSection({ id, title, about, children }: SettingsProps) {
  return (
    <section className={styles.settings} aria-labelledby={id}>
      <div className="stack tight">
        <h2 id={id}>{title}</h2>
        {about && <p className="measure soft text-md">{about}</p>}
      </div>
      <div className="stack loose">{children}</div>
    </section>
  );
}

import styles from "./details.module.css";

/** Names and values, one pair a line. What has no value is left out. */
export function Details({ rows }: { rows: readonly (readonly [name: string, value: React.ReactNode])[] }) {
  return (
    <dl className={`card text-md breaks ${styles.details}`}>
      {rows.map(
        ([name, value]) =>
          value && (
            <div key={name} className={styles.row}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

import styles from "./code-block.module.css";
import { CopyButton } from "./copy-button";

/** A command to run, with a button that copies it. Long lines wrap, so the whole command can be read. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    <figure className={styles.block}>
      <figcaption className={styles.caption}>
        <span>{label}</span>
        <CopyButton text={text} what={label} />
      </figcaption>
      <pre className={styles.code}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}

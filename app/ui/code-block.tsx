import { useId } from "react";
import styles from "./code-block.module.css";
import { CopyButton } from "./copy-button";

type Props = { label: string; text: string; onCopied?: () => void };

/** A command to run, with a button that copies it. Long lines wrap, so the whole command can be read. */
export function CodeBlock({ label, text, onCopied }: Props) {
  const id = useId();
  return (
    <figure className="sunken clip">
      <figcaption className={`row close spread hint medium ${styles.caption}`}>
        <span>{label}</span>
        <CopyButton text={text} what={label} sourceId={id} {...(onCopied && { onCopied })} />
      </figcaption>
      <pre className={`breaks ${styles.code}`} translate="no">
        <code id={id}>{text}</code>
      </pre>
    </figure>
  );
}

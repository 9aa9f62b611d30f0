import styles from "./choices.module.css";
import { Link } from "./link";

type Choice = { href: string; name: string; isCurrent: boolean };

/** Views of the same thing, of which one is shown. */
export function Choices({ label, choices }: { label: string; choices: readonly Choice[] }) {
  return (
    <nav className={`row dense ${styles.choices}`} aria-label={label}>
      {choices.map(({ href, name, isCurrent }) => (
        <Link
          key={href}
          className="control small soft"
          href={href}
          aria-current={isCurrent ? "true" : undefined}
          scroll={false}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

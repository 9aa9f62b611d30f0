import { Link } from "./link";
import { Name } from "./name";
import styles from "./page-header.module.css";

type Props = {
  title: React.ReactNode;
  /** The thing that the page does something with. The title ends with its name, and its own page is the way back. */
  of?: { name: string; href?: string };
  /** The title asks. */
  isQuestion?: boolean;
  /** The page that this one belongs to. */
  back?: { href: string; label: string } | undefined;
  /** What the title is about in a few words: names, states, times. */
  facts?: React.ReactNode;
  /** What can be done with the subject of the page. */
  actions?: React.ReactNode;
  /** What the page is for. */
  children?: React.ReactNode;
};

/** The head of every page: the way back, the title, what can be done, and what the page is for. */
export function PageHeader({ title, of, isQuestion = false, back, facts, actions, children }: Props) {
  const name = of && <Name>{of.name}</Name>;
  const [href, label] = of?.href === undefined ? [back?.href, back?.label] : [of.href, name];
  return (
    <header className="stack tight breaks">
      {href !== undefined && (
        <p data-navigation>
          <Link className={`plain text-md ${styles.back}`} href={href}>
            {label}
          </Link>
        </p>
      )}
      <div className="row apart spread">
        <div className="stack dense">
          <h1>
            {title}
            {name && " "}
            {name}
            {isQuestion && "?"}
          </h1>
          {facts && <div className="soft text-md">{facts}</div>}
        </div>
        {actions && <div className="row tight">{actions}</div>}
      </div>
      {children && <p className="measure soft">{children}</p>}
    </header>
  );
}

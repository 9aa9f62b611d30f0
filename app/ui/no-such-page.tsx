import { Link } from "./link";

type Props = {
  /** What is missing. */
  title?: string;
  why?: string;
  /** Where the page leads instead. */
  home: { href: string; label: string };
};

/** The content of every "not found" page. */
export function NoSuchPage({
  title = "There is no such page",
  why = "The URL may be mistyped, or the page may have moved.",
  home,
}: Props) {
  return (
    <main id="main" className="centered">
      <p className="soft mono">404</p>
      <h1>{title}</h1>
      <p className="soft">{why}</p>
      <p>
        <Link className="button quiet" href={home.href}>
          {home.label}
        </Link>
      </p>
    </main>
  );
}

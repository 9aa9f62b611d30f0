import Link from "next/link";

/** The content of every "not found" page; `home` is where it leads instead. */
export function NoSuchPage({ home }: { home: { href: string; label: string } }) {
  return (
    <main id="main" className="centered">
      <p className="soft mono">404</p>
      <h1>There is no such page</h1>
      <p className="soft">The URL may be mistyped, or the page may have moved.</p>
      <p>
        <Link className="button quiet" href={home.href} prefetch={false}>
          {home.label}
        </Link>
      </p>
    </main>
  );
}

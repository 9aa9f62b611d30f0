import type { Metadata } from "next";
import Link from "next/link";
import { SiteHeader } from "./ui/site-header";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <>
      <SiteHeader />
      <main id="main" className="centered">
        <p className="soft mono">404</p>
        <h1>There is no such page</h1>
        <p className="soft">The address may be mistyped, or the page may have moved.</p>
        <p>
          <Link className="button quiet" href="/">
            Go to the start page
          </Link>
        </p>
      </main>
    </>
  );
}

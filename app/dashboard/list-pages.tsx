import { Link } from "@/app/ui/link";

type Props = { page: number; pages: number; pathOf: (page: number) => string };

/** Leads to the pages of a list beside the one that is shown. Nothing, where there is one alone. */
export function ListPages({ page, pages, pathOf }: Props) {
  if (pages === 1) return null;
  return (
    <nav className="row center" aria-label="Pages">
      {page > 1 && (
        <Link className="button quiet small" href={pathOf(page - 1)} rel="prev">
          Previous
        </Link>
      )}
      <span className="soft">
        Page {page} of {pages}
      </span>
      {page < pages && (
        <Link className="button quiet small" href={pathOf(page + 1)} rel="next">
          Next
        </Link>
      )}
    </nav>
  );
}

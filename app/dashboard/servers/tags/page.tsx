import type { Metadata } from "next";
import Link from "next/link";
import { fleetOf } from "@/app/dashboard/fleet-data";
import { fleetParams, fleetPath, listOf, pageOf, parseFleetQuery } from "@/app/dashboard/fleet-query";
import { PageHeader } from "@/app/ui/page-header";
import { severalServersPath } from "@/lib/page-paths";
import { counted } from "@/lib/quantities";
import { requireAccount } from "@/lib/sign-in/sessions";
import { ChangeTags } from "./change-tags";

export const metadata: Metadata = { title: "Tags of several servers" };

/** As many check boxes as the largest form of the console has room for. */
const SERVERS_PER_FORM = 100;

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const account = await requireAccount();
  const query = parseFleetQuery(await searchParams);
  const { servers, found, page, pages } = pageOf(await fleetOf(account.id), query, SERVERS_PER_FORM);
  const pathOf = (next: number) => severalServersPath(fleetParams({ ...listOf(query), page: next }));
  return (
    <main id="main" className="page parts">
      <PageHeader
        title="Tags of several servers"
        back={{ href: fleetPath(listOf(query)), label: "Servers" }}
        facts={`${counted(found, "server")} of the list that you came from`}
      />
      {found === 0 ? (
        <p>No server is like that.</p>
      ) : (
        <ChangeTags
          list={new URLSearchParams(fleetParams(listOf(query))).toString()}
          servers={servers.map(({ id, label, tags }) => ({ id, label, tags }))}
          found={found}
        />
      )}
      {pages > 1 && (
        <nav className="row" aria-label="Pages">
          {page > 1 && (
            <Link className="button quiet small" href={pathOf(page - 1)} rel="prev" prefetch={false}>
              Previous
            </Link>
          )}
          <span className="soft">
            Page {page} of {pages}
          </span>
          {page < pages && (
            <Link className="button quiet small" href={pathOf(page + 1)} rel="next" prefetch={false}>
              Next
            </Link>
          )}
        </nav>
      )}
    </main>
  );
}

import { fleetOf } from "@/app/dashboard/fleet-data";
import { fleetParams, fleetPath, listOf, pageOf, parseFleetQuery } from "@/app/dashboard/fleet-query";
import { ListPages } from "@/app/dashboard/list-pages";
import { PageHeader } from "@/app/ui/page-header";
import { counted } from "@/lib/format/quantities";
import type { ServersOfList } from "./server-choice";

/** As many check boxes as the largest form of the console has room for. */
const SERVERS_PER_FORM = 100;

type Props = {
  accountId: number;
  title: string;
  searchParams: Record<string, string | string[] | undefined>;
  /** The path of this page for a list. */
  pathOf: (list: Record<string, string>) => string;
  /** The form. A change can leave its list empty: then it shows its answer alone. */
  children: (servers: ServersOfList) => React.ReactNode;
};

/** A page that changes several servers at once, those of a list of the fleet. */
export async function SeveralServers({ accountId, title, searchParams, pathOf, children }: Props) {
  const query = parseFleetQuery(searchParams);
  const list = listOf(query);
  const { servers, found, page, pages } = pageOf(await fleetOf(accountId), query, SERVERS_PER_FORM);
  return (
    <main id="main" className="page parts">
      <PageHeader
        title={title}
        back={{ href: fleetPath(list), label: "Servers" }}
        facts={`${counted(found, "server")} of the list that you came from`}
      />
      {children({
        list: new URLSearchParams(fleetParams(list)).toString(),
        servers: servers.map(({ id, label, tags }) => ({ id, label, tags })),
        found,
      })}
      <ListPages page={page} pages={pages} pathOf={(next) => pathOf(fleetParams({ ...list, page: next }))} />
    </main>
  );
}

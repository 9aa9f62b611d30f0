import type { Metadata } from "next";
import { Link } from "@/app/ui/link";
import { Live } from "@/app/ui/live";
import { PageHeader } from "@/app/ui/page-header";
import { NEW_SERVER } from "@/lib/page-paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import { metadata as siteMetadata } from "../layout";
import { Fleet } from "./fleet";
import { loadFleet } from "./fleet-actions";
import { fleetOf } from "./fleet-data";
import { countNeeds, fleetParams, needSomebody, parseFleetQuery } from "./fleet-query";
import { fleetTitle, iconPath } from "./fleet-title-text";
import { Outcome } from "./outcome";

const REMOVED = { removed: "The server is removed. A daemon that still reports for it is refused." };
const UNCHANGED = { unchanged: "Nothing was changed: there is no such server any more." };

/** The tab says how many servers need somebody. */
export async function generateMetadata(): Promise<Metadata> {
  const { id } = await requireAccount();
  const count = needSomebody(countNeeds(await fleetOf(id)));
  const icon = [{ url: iconPath(count), type: "image/svg+xml" }, { url: "/favicon.ico" }];
  return { title: fleetTitle(count), icons: { ...(siteMetadata.icons as object), icon } };
}

export default async function Page({ searchParams }: PageProps<"/dashboard">) {
  const account = await requireAccount();
  const params = await searchParams;
  const query = parseFleetQuery(params);
  return (
    <main id="main" className="page parts">
      <Outcome done={params.done} sentences={REMOVED} unchanged={UNCHANGED} />
      <PageHeader
        title="Servers"
        actions={
          <Link className="button" href={NEW_SERVER}>
            Add a server
          </Link>
        }
      />
      <Live load={loadFleet.bind(null, fleetParams(query))}>
        <Fleet accountId={account.id} query={query} />
      </Live>
    </main>
  );
}

import { redirect } from "next/navigation";
import { fleetParams, listOf, parseFleetQuery, serverInList } from "@/app/dashboard/fleet-query";
import { Live } from "@/app/ui/live";
import { findId } from "@/lib/http/ids";
import { requireAccount } from "@/lib/sign-in/sessions";
import { historyTime } from "./history-time";
import { serverMetadata } from "./own-server";
import { ServerView } from "./server-view";
import { loadServer } from "./server-view-actions";

export const generateMetadata = serverMetadata((label) => label);

export default async function Page({ params, searchParams }: PageProps<"/dashboard/servers/[id]">) {
  const account = await requireAccount();
  const { id } = await params;
  const query = await searchParams;
  const { range, from, to, compare, runs } = query;
  const list = listOf(parseFleetQuery(query));
  const { asked, params: time } = historyTime(query, account.timeZone);
  const serverId = findId(id);
  // What a form sent, as a URL that means the same to everybody.
  if (serverId !== null && asked.kind === "range" && asked.exact) redirect(serverInList(serverId, list, time));
  return (
    <main id="main" className="page">
      <Live load={loadServer.bind(null, id, { ...fleetParams(list), range, from, to, compare, runs })}>
        <ServerView id={id} query={query} />
      </Live>
    </main>
  );
}

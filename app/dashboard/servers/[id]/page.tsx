import { redirect } from "next/navigation";
import { fleetParams, listOf, parseFleetQuery, serverInList } from "@/app/dashboard/fleet-query";
import { Live } from "@/app/ui/live";
import { findId } from "@/lib/http/ids";
import { parseRunsPage } from "@/lib/servers/benchmarks";
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
  const { range, from, to, compare } = query;
  const time = historyTime(query, account.timeZone);
  const runsPage = parseRunsPage(query.runs);
  const list = listOf(parseFleetQuery(query));
  // What a form sent, as a URL that means the same to everybody.
  const [serverId, exact] = [findId(id), time.asked.kind === "range" && time.asked.exact];
  if (serverId !== null && exact) redirect(serverInList(serverId, list, time.params));
  return (
    <main id="main" className="page">
      <Live load={loadServer.bind(null, id, { range, from, to, compare }, runsPage, fleetParams(list))}>
        <ServerView accountId={account.id} zone={account.timeZone} {...{ id, time, runsPage, list }} />
      </Live>
    </main>
  );
}

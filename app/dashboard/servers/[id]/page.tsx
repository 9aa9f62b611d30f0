import type { Metadata } from "next";
import { fleetParams, listOf, parseFleetQuery } from "@/app/dashboard/fleet-query";
import { Live } from "@/app/ui/live";
import { parseRunsPage } from "@/lib/servers/benchmarks";
import { getServer } from "@/lib/servers/servers";
import { parseHistoryRange } from "@/lib/servers/telemetry/history";
import { requireAccount } from "@/lib/sign-in/sessions";
import { orNotFoundPage } from "./or-not-found-page";
import { ServerView } from "./server-view";
import { loadServer } from "./server-view-actions";

type Props = {
  params: Promise<{ id: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const account = await requireAccount();
  const { label } = await orNotFoundPage(getServer(account.id, (await params).id));
  return { title: label };
}

export default async function Page({ params, searchParams }: Props) {
  const account = await requireAccount();
  const { id } = await params;
  const query = await searchParams;
  const range = parseHistoryRange(query.range);
  const runsPage = parseRunsPage(query.runs);
  const list = listOf(parseFleetQuery(query));
  return (
    <main id="main" className="page">
      <Live load={loadServer.bind(null, id, range, runsPage, fleetParams(list))}>
        <ServerView accountId={account.id} zone={account.timeZone} {...{ id, range, runsPage, list }} />
      </Live>
    </main>
  );
}

import type { Metadata } from "next";
import { Live } from "@/app/ui/live";
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
  const range = parseHistoryRange((await searchParams).range);
  return (
    <main id="main" className="page">
      <Live load={loadServer.bind(null, id, range)}>
        <ServerView accountId={account.id} id={id} range={range} zone={account.timeZone} />
      </Live>
    </main>
  );
}

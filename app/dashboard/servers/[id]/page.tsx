import type { Metadata } from "next";
import { Live } from "@/app/ui/live";
import { getServer } from "@/lib/servers/servers";
import { requireAccount } from "@/lib/sign-in/sessions";
import { orNotFoundPage } from "./or-not-found-page";
import { ServerView } from "./server-view";
import { loadServer } from "./server-view-actions";

type Props = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const account = await requireAccount();
  const { label } = await orNotFoundPage(getServer(account.id, (await params).id));
  return { title: label };
}

export default async function Page({ params }: Props) {
  const account = await requireAccount();
  const { id } = await params;
  return (
    <main id="main" className="page">
      <Live load={loadServer.bind(null, id)}>
        <ServerView accountId={account.id} id={id} />
      </Live>
    </main>
  );
}

import type { Metadata } from "next";
import { tagsOfSeveralPath } from "@/lib/page-paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import { SeveralServers } from "../several-servers";
import { ChangeTags } from "./change-tags";

const TITLE = "Tags of several servers";

export const metadata: Metadata = { title: TITLE };

export default async function Page({ searchParams }: PageProps<"/dashboard/servers/tags">) {
  const account = await requireAccount();
  return (
    <SeveralServers accountId={account.id} title={TITLE} searchParams={await searchParams} pathOf={tagsOfSeveralPath}>
      {(servers) => <ChangeTags {...servers} />}
    </SeveralServers>
  );
}

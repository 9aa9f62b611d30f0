"use server";

import { requireAccount } from "@/lib/sign-in/sessions";
import { ServerView } from "./server-view";

/** The server as it is now, for a page that is open. Whoever calls it may send anything as its id. */
export async function loadServer(id: unknown): Promise<React.ReactNode> {
  const account = await requireAccount();
  return <ServerView accountId={account.id} id={String(id)} />;
}

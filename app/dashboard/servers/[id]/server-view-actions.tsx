"use server";

import { requireAccount } from "@/lib/sign-in/sessions";
import { ServerView } from "./server-view";

/** The server as it is now, for a page that is open. A caller may send anything as its id and query. */
export async function loadServer(id: unknown, query: unknown): Promise<React.ReactNode> {
  await requireAccount();
  return <ServerView id={String(id)} query={Object(query)} />;
}

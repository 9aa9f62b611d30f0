import type { Metadata } from "next";
import { cache } from "react";
import { orNotFoundPage } from "@/app/dashboard/or-not-found-page";
import { getServer } from "@/lib/servers/servers";
import { requireAccount } from "@/lib/sign-in/sessions";

/** Finds the server of a page for the account that owns it. Shows the not-found page otherwise. Read once for a request. */
export const ownServer = cache(async (idText: string) => {
  const account = await requireAccount();
  return { account, server: await orNotFoundPage(getServer(account.id, idText)) };
});

/** The `generateMetadata` of a page of one server. */
export function serverMetadata(titleOf: (label: string) => string) {
  return async ({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> => {
    const { server } = await ownServer((await params).id);
    return { title: titleOf(server.label) };
  };
}

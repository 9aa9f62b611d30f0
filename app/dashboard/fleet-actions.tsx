"use server";

import { requireAccount } from "@/lib/sign-in/sessions";
import { Fleet } from "./fleet";
import { parseFleetQuery } from "./fleet-query";

/** The list as it is now, for a page that is open. A caller may send anything as its query. */
export async function loadFleet(query: unknown): Promise<React.ReactNode> {
  const account = await requireAccount();
  const params = typeof query === "object" && query !== null ? (query as Record<string, unknown>) : {};
  return <Fleet accountId={account.id} query={parseFleetQuery(params)} />;
}

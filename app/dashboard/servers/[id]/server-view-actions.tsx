"use server";

import { parseFleetQuery } from "@/app/dashboard/fleet-query";
import { parseRunsPage } from "@/lib/servers/benchmarks";
import { parseHistoryRange } from "@/lib/servers/telemetry/history";
import { requireAccount } from "@/lib/sign-in/sessions";
import { ServerView } from "./server-view";

/** The server as it is now, for a page that is open. A caller may send anything as its id, range, page and list. */
export async function loadServer(
  id: unknown,
  range: unknown,
  runsPage: unknown,
  list: unknown,
): Promise<React.ReactNode> {
  const account = await requireAccount();
  return (
    <ServerView
      accountId={account.id}
      id={String(id)}
      range={parseHistoryRange(range)}
      runsPage={parseRunsPage(String(runsPage))}
      list={parseFleetQuery(Object(list))}
      zone={account.timeZone}
    />
  );
}

"use server";

import { parseFleetQuery } from "@/app/dashboard/fleet-query";
import { parseRunsPage } from "@/lib/servers/benchmarks";
import { requireAccount } from "@/lib/sign-in/sessions";
import { historyTime } from "./history-time";
import { ServerView } from "./server-view";

/** The server as it is now, for a page that is open. A caller may send anything as its id, time, page and list. */
export async function loadServer(
  id: unknown,
  time: unknown,
  runsPage: unknown,
  list: unknown,
): Promise<React.ReactNode> {
  const account = await requireAccount();
  return (
    <ServerView
      accountId={account.id}
      id={String(id)}
      time={historyTime(Object(time), account.timeZone)}
      runsPage={parseRunsPage(String(runsPage))}
      list={parseFleetQuery(Object(list))}
      zone={account.timeZone}
    />
  );
}

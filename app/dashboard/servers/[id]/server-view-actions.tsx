"use server";

import { parseRunsPage } from "@/lib/servers/benchmarks";
import { parseHistoryRange } from "@/lib/servers/telemetry/history";
import { requireAccount } from "@/lib/sign-in/sessions";
import { ServerView } from "./server-view";

/** The server as it is now, for a page that is open. A caller may send anything as its id, range and page. */
export async function loadServer(id: unknown, range: unknown, runsPage: unknown): Promise<React.ReactNode> {
  const account = await requireAccount();
  return (
    <ServerView
      accountId={account.id}
      id={String(id)}
      range={parseHistoryRange(range)}
      runsPage={parseRunsPage(String(runsPage))}
      zone={account.timeZone}
    />
  );
}

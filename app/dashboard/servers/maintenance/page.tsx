import type { Metadata } from "next";
import { zoneText } from "@/lib/format/time-zone";
import { maintenanceOfSeveralPath } from "@/lib/page-paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import { SeveralServers } from "../several-servers";
import { PlanForSeveral } from "./plan-for-several";

const TITLE = "Maintenance of several servers";

export const metadata: Metadata = { title: TITLE };

export default async function Page({ searchParams }: PageProps<"/dashboard/servers/maintenance">) {
  const account = await requireAccount();
  return (
    <SeveralServers
      accountId={account.id}
      title={TITLE}
      searchParams={await searchParams}
      pathOf={maintenanceOfSeveralPath}
    >
      {(servers) => <PlanForSeveral {...servers} zone={zoneText(account.timeZone)} />}
    </SeveralServers>
  );
}

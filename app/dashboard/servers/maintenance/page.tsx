import type { Metadata } from "next";
import { zoneText } from "@/lib/format/time-zone";
import { maintenanceOfSeveralPath } from "@/lib/page-paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import { PlanMaintenance } from "../plan-maintenance";
import { SeveralServers } from "../several-servers";

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
      {(servers) => (
        <PlanMaintenance label={TITLE} zone={zoneText(account.timeZone)} servers={servers} submit="Plan maintenance" />
      )}
    </SeveralServers>
  );
}

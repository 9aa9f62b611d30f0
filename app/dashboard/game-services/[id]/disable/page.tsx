import { redirect } from "next/navigation";
import { FieldsForm } from "@/app/dashboard/fields-form";
import { PageHeader } from "@/app/ui/page-header";
import { counted } from "@/lib/format/quantities";
import { listRecentTraffic } from "@/lib/game-services/traffic";
import { servicePath, serviceSettingsPath } from "@/lib/page-paths";
import { setServiceWishAction } from "../../actions";
import { ownService, serviceMetadata } from "../own-service";

export const generateMetadata = serviceMetadata((name) => `Disable ${name}?`);

/** The question before a service is disabled, because that closes the connections of everybody who plays. */
export default async function Page({ params }: PageProps<"/dashboard/game-services/[id]/disable">) {
  const { service, wish } = await ownService((await params).id);
  const { id, name } = service;
  if (wish !== "on") redirect(servicePath(id));
  const connections = (await listRecentTraffic([id])).get(id)?.connections ?? 0;
  return (
    <main id="main" className="page parts">
      <PageHeader title="Disable" of={{ name, href: servicePath(id) }} isQuestion>
        Everybody who plays is disconnected within seconds, and nobody gets in until you enable it again. It had{" "}
        <strong>{counted(connections, "connection")}</strong> in the last hour.
      </PageHeader>
      <FieldsForm
        action={setServiceWishAction}
        label="Disable the service"
        hidden={{ id, wish: "off" }}
        submit="Disable service"
        pending="Disabling…"
        cancel={serviceSettingsPath(id)}
      />
    </main>
  );
}

import { FieldsForm } from "@/app/dashboard/fields-form";
import { orNotFoundPage } from "@/app/dashboard/or-not-found-page";
import { Details } from "@/app/ui/details";
import { Ip } from "@/app/ui/ip";
import { Name } from "@/app/ui/name";
import { PageHeader } from "@/app/ui/page-header";
import { Time } from "@/app/ui/time";
import { serverPath, serverSettingsPath } from "@/lib/page-paths";
import { getServerReport } from "@/lib/servers/servers";
import { requireAccount } from "@/lib/sign-in/sessions";
import { removeServerAction } from "../../actions";
import { serverMetadata } from "../own-server";

export const generateMetadata = serverMetadata((label) => `Remove ${label}?`);

/** The question before a server is removed, on a page of its own: nothing is removed by a slip of the finger. */
export default async function Page({ params }: PageProps<"/dashboard/servers/[id]/remove">) {
  const account = await requireAccount();
  const { server, hasCheckedIn } = await orNotFoundPage(getServerReport(account.id, (await params).id));
  const now = new Date();
  return (
    <main id="main" className="page parts">
      <PageHeader title="Remove" of={{ name: server.label, href: serverPath(server.id) }} isQuestion>
        Its history and its benchmark runs are deleted, and its daemon is refused from then on. This cannot be undone.
      </PageHeader>
      <Details
        rows={[
          ["Label", <Name key="label">{server.label}</Name>],
          ["Hostname", server.hostname ? <Name key="hostname">{server.hostname}</Name> : "Not reported"],
          ["Public ip", server.public_ip === null ? "Not reported" : <Ip key="ip" ip={server.public_ip} />],
          [
            "Last seen",
            hasCheckedIn ? <Time key="seen" at={new Date(server.last_seen)} now={now} /> : "Never checked in",
          ],
        ]}
      />
      <FieldsForm
        action={removeServerAction}
        label="Remove the server"
        hidden={{ id: server.id }}
        submit="Remove server"
        pending="Removing…"
        cancel={serverSettingsPath(server.id)}
      />
    </main>
  );
}

import type { Metadata } from "next";
import { FieldsForm } from "@/app/dashboard/fields-form";
import { NameLink } from "@/app/ui/name-link";
import { PageHeader } from "@/app/ui/page-header";
import { counted } from "@/lib/format/quantities";
import { listServed, MAX_SERVED_LISTED } from "@/lib/game-services/edges/nodes";
import { EDGE_NODES, edgeNodeSettingsPath, servicePath } from "@/lib/page-paths";
import { removeNodeAction } from "../actions";
import { requireNodeOf } from "../require-admin";

export const metadata: Metadata = { title: "Remove an edge node?" };

/** The question before an edge node is removed, with the services that lose it. */
export default async function Page({ searchParams }: PageProps<"/dashboard/edge-nodes/remove">) {
  const { account, id, name } = await requireNodeOf(searchParams);
  const { total, services } = await listServed(account, id);
  return (
    <main id="main" className="page parts">
      <PageHeader title="Remove" of={{ name }} isQuestion back={{ href: EDGE_NODES, label: "Edge nodes" }}>
        Its key is refused at once, and its program goes on serving what it last fetched until you stop it.{" "}
        {total === 0
          ? "It serves no game service."
          : `${counted(total, "game service")} ${total === 1 ? "loses" : "lose"} it:`}
      </PageHeader>
      {services.length > 0 && (
        <ul className="breaks bullets">
          {services.map((service) => (
            <li key={service.id}>
              <NameLink href={service.isVisible && servicePath(service.id)} name={service.name} />,{" "}
              {service.others === 0 ? (
                <strong>which no other live node serves</strong>
              ) : (
                `served by ${counted(service.others, "other live node")}`
              )}
            </li>
          ))}
        </ul>
      )}
      {total > MAX_SERVED_LISTED && (
        <p className="hint">Only {MAX_SERVED_LISTED} are shown, those that no other node serves first.</p>
      )}
      <FieldsForm
        action={removeNodeAction}
        label="Remove the edge node"
        hidden={{ id }}
        submit="Remove edge node"
        pending="Removing…"
        cancel={edgeNodeSettingsPath(id)}
      />
    </main>
  );
}

import type { Metadata } from "next";
import { FieldsForm } from "@/app/dashboard/fields-form";
import { LinkCard } from "@/app/dashboard/link-card";
import { Outcome } from "@/app/dashboard/outcome";
import { PageHeader } from "@/app/ui/page-header";
import { pageOrigin } from "@/app/ui/page-origin";
import { SettingsSection } from "@/app/ui/section";
import { EDGE_NODES, removeEdgeNodePath } from "@/lib/page-paths";
import { endNodeKeysAction, renameNodeAction } from "../actions";
import { ReplaceNodeKey } from "../node-key-form";
import { requireNodeOf } from "../require-admin";

export const metadata: Metadata = { title: "Settings of an edge node" };

const OUTCOMES = {
  renamed: "The edge node is renamed.",
  "keys-ended": "Only the newest key of this edge node works now.",
};

export default async function Page({ searchParams }: PageProps<"/dashboard/edge-nodes/settings">) {
  const { id, name, keys } = await requireNodeOf(searchParams);
  const { done } = await searchParams;
  return (
    <main id="main" className="page parts">
      <Outcome done={done} sentences={OUTCOMES} />
      <PageHeader title="Settings of" of={{ name }} back={{ href: EDGE_NODES, label: "Edge nodes" }} />
      <SettingsSection id="name" title="Name">
        <FieldsForm
          action={renameNodeAction}
          label="Rename the edge node"
          hidden={{ id }}
          fields={[{ name: "name", label: "Name", maxLength: 128, value: name }]}
          submit="Rename"
          pending="Renaming…"
        />
      </SettingsSection>
      <SettingsSection id="key" title="Key">
        <ReplaceNodeKey id={id} origin={await pageOrigin()} />
        {keys.length > 0 && (
          <FieldsForm
            action={endNodeKeysAction}
            className="card card-body"
            label="End the replaced keys"
            hidden={{ id }}
            tone="button quiet wary"
            submit="End the replaced keys now"
            pending="Ending…"
          />
        )}
      </SettingsSection>
      <SettingsSection id="remove" title="Remove">
        <LinkCard
          className="grave"
          href={removeEdgeNodePath(id)}
          words="Remove this edge node…"
          wordsClass="button quiet wary"
        >
          <p>Removing it refuses its key at once. What it counted stays.</p>
        </LinkCard>
      </SettingsSection>
    </main>
  );
}

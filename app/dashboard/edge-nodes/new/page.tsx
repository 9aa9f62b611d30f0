import type { Metadata } from "next";
import { PageHeader } from "@/app/ui/page-header";
import { pageOrigin } from "@/app/ui/page-origin";
import { EDGE_NODES } from "@/lib/page-paths";
import { AddNode } from "../node-key-form";
import { requireAdmin } from "../require-admin";

export const metadata: Metadata = { title: "Add an edge node" };

export default async function Page() {
  await requireAdmin();
  return (
    <main id="main" className="page parts">
      <PageHeader title="Add an edge node" back={{ href: EDGE_NODES, label: "Edge nodes" }}>
        Once this node has fetched its configuration, a game service is active only if this node serves it, too.
      </PageHeader>
      <AddNode origin={await pageOrigin()} />
    </main>
  );
}

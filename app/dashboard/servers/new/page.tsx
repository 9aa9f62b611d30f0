import { randomBytes } from "node:crypto";
import type { Metadata } from "next";
import { PageHeader } from "@/app/ui/page-header";
import { pageOrigin } from "@/app/ui/page-origin";
import { DASHBOARD } from "@/lib/page-paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import { OtherAgents } from "../other-agents";
import { AddServer } from "./add-server";

export const metadata: Metadata = { title: "Add a server" };

export default async function Page() {
  await requireAccount();
  const origin = await pageOrigin();
  return (
    <main id="main" className="page parts">
      <PageHeader title="Add a server" back={{ href: DASHBOARD, label: "Servers" }}>
        Name it here, paste two lines there, and its health is on your dashboard within a minute. Any Linux with curl or
        GNU wget will do.
      </PageHeader>
      <AddServer
        formNonce={randomBytes(16).toString("base64url")}
        origin={origin}
        otherAgents={<OtherAgents origin={origin} />}
      />
    </main>
  );
}

import { randomBytes } from "node:crypto";
import type { Metadata } from "next";
import { FieldsForm } from "@/app/dashboard/fields-form";
import { PageHeader } from "@/app/ui/page-header";
import { GAME_SERVICES } from "@/lib/page-paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import { createServiceAction } from "../actions";
import { serviceFields } from "../service-fields";

export const metadata: Metadata = { title: "Create a game service" };

export default async function Page() {
  await requireAccount();
  return (
    <main id="main" className="page parts">
      <PageHeader title="Create a game service" back={{ href: GAME_SERVICES, label: "Game services" }}>
        The edge nodes fetch it within seconds. Nothing changes for players until you point its DNS at them.
      </PageHeader>
      <FieldsForm
        action={createServiceAction}
        label="Create a game service"
        hidden={{ formNonce: randomBytes(16).toString("base64url") }}
        fields={serviceFields({ name: "", javaHostname: "", originHost: "", originPort: "25565" })}
        submit="Create game service"
        pending="Creating…"
        again="Sending it again is safe: this form creates one service."
      />
    </main>
  );
}

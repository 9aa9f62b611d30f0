import { FieldsForm } from "@/app/dashboard/fields-form";
import { Name } from "@/app/ui/name";
import { PageHeader } from "@/app/ui/page-header";
import { servicePath, serviceSettingsPath } from "@/lib/page-paths";
import { deleteServiceAction } from "../../actions";
import { ownService, serviceMetadata } from "../own-service";

export const generateMetadata = serviceMetadata((name) => `Delete ${name}?`);

/** The question before a service is deleted; its name must be typed, so that no slip of the finger deletes anything. */
export default async function Page({ params }: PageProps<"/dashboard/game-services/[id]/delete">) {
  const { service } = await ownService((await params).id);
  const { id, name, java_hostname } = service;
  return (
    <main id="main" className="page parts">
      <PageHeader title="Delete" of={{ name, href: servicePath(id) }} isQuestion>
        Players no longer reach the origin through <Name>{java_hostname}</Name>. What the edge nodes counted is deleted.
        This cannot be undone.
      </PageHeader>
      <FieldsForm
        action={deleteServiceAction}
        label="Delete the service"
        hidden={{ id }}
        fields={[
          {
            name: "name",
            label: "Type the name of the service",
            hint: (
              <>
                Its name is: <Name>{name}</Name>
              </>
            ),
            maxLength: 128,
            value: "",
          },
        ]}
        submit="Delete service"
        pending="Deleting…"
        cancel={serviceSettingsPath(id)}
      />
    </main>
  );
}

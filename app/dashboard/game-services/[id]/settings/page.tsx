import { FieldsForm } from "@/app/dashboard/fields-form";
import { LinkCard } from "@/app/dashboard/link-card";
import { StrongName } from "@/app/ui/name";
import { PageHeader } from "@/app/ui/page-header";
import { SettingsSection } from "@/app/ui/section";
import { MAX_OFFLINE_TEXT } from "@/lib/game-services/management";
import { deleteServicePath, disableServicePath, servicePath } from "@/lib/page-paths";
import { editServiceAction, setOfflineTextAction } from "../../actions";
import { serviceFields } from "../../service-fields";
import { ownService, serviceMetadata } from "../own-service";
import { RealIps } from "./real-ips";

export const generateMetadata = serviceMetadata((name) => `Settings of ${name}`);

export default async function Page({ params }: PageProps<"/dashboard/game-services/[id]/settings">) {
  const { service, wish, sendsRealIps, offlineText } = await ownService((await params).id);
  const { id, name } = service;
  return (
    <main id="main" className="page parts">
      <PageHeader title="Settings of" of={{ name, href: servicePath(id) }} />
      {wish === "gone" ? (
        <p>This service is being deleted and can no longer be changed.</p>
      ) : (
        <>
          <SettingsSection
            id="service"
            title="The service"
            about="Each change is a new version, which edge nodes apply within seconds."
          >
            <FieldsForm
              action={editServiceAction}
              label="Change the service"
              hidden={{ id }}
              fields={serviceFields({
                name,
                javaHostname: service.java_hostname,
                originHost: service.origin_host,
                originPort: String(service.origin_port),
              })}
              submit="Save"
              pending="Saving…"
            />
          </SettingsSection>
          <SettingsSection
            id="away"
            title="While the origin is away"
            about="
              When players cannot be connected to the origin, edge nodes show its last status, marked offline, and this
              text, until it is back.
            "
          >
            <FieldsForm
              action={setOfflineTextAction}
              label="Change the text for players"
              hidden={{ id, scope: "away" }}
              fields={[
                {
                  name: "offlineText",
                  label: "Text for players",
                  hint: `Shown in the server list and to players who try to join; up to ${MAX_OFFLINE_TEXT} characters. Left empty, edge nodes show a text of their own.`,
                  placeholder: "Back at nine",
                  maxLength: 2 * MAX_OFFLINE_TEXT,
                  value: offlineText ?? "",
                  isOptional: true,
                },
              ]}
              submit="Set the text"
              pending="Saving…"
            />
          </SettingsSection>
          <RealIps id={id} isOn={sendsRealIps} />
          {wish === "on" && (
            <SettingsSection id="disable" title="Disable">
              <LinkCard href={disableServicePath(id)} words="Disable this service…" wordsClass="button quiet wary">
                <p>Disabling closes the connections of everybody who plays, until you enable it again.</p>
              </LinkCard>
            </SettingsSection>
          )}
          <SettingsSection id="delete" title="Delete">
            <LinkCard
              className="grave"
              href={deleteServicePath(id)}
              words="Delete this service…"
              wordsClass="button quiet wary"
            >
              <p>
                Deleting <StrongName>{name}</StrongName> takes it off the edge nodes. Its hostname is kept for your
                other services for 7 days. Its traffic is deleted with it.
              </p>
            </LinkCard>
          </SettingsSection>
        </>
      )}
    </main>
  );
}

import { FieldsForm } from "@/app/dashboard/fields-form";
import { LinkCard } from "@/app/dashboard/link-card";
import { Outcome } from "@/app/dashboard/outcome";
import { StrongName } from "@/app/ui/name";
import { PageHeader } from "@/app/ui/page-header";
import { pageOrigin } from "@/app/ui/page-origin";
import { SettingsSection } from "@/app/ui/section";
import { zoneText } from "@/lib/format/time-zone";
import { removeServerPath, serverPath } from "@/lib/page-paths";
import { listMaintenance } from "@/lib/servers/maintenance";
import { listServerKeys } from "@/lib/servers/server-keys";
import { getTags } from "@/lib/servers/servers";
import { callOffMaintenanceAction, renameServerAction, setTagsAction } from "../../actions";
import { OtherAgents } from "../../other-agents";
import { PlanMaintenance } from "../../plan-maintenance";
import { serverNameFields } from "../../server-name-fields";
import { TAGS_HINT, TAGS_LENGTH } from "../../tags/tags-hint";
import { ownServer, serverMetadata } from "../own-server";
import { maintenanceText } from "../silence-text";
import { ReplaceKey } from "./replace-key";
import { ServerKeys } from "./server-keys";

const CALLED_OFF = { "called-off": "The maintenance is called off." };
const UNCHANGED = { unchanged: "Nothing was changed: it is over or called off already." };

export const generateMetadata = serverMetadata((label) => `Settings of ${label}`);

export default async function Page({ params, searchParams }: PageProps<"/dashboard/servers/[id]/settings">) {
  const { account, server } = await ownServer((await params).id);
  const now = new Date();
  const [keys, tags, origin, planned, { done }] = await Promise.all([
    listServerKeys(account.id, server.id),
    getTags(account.id, server.id),
    pageOrigin(),
    listMaintenance(server.id, now),
    searchParams,
  ]);
  return (
    <main id="main" className="page parts">
      <PageHeader title="Settings of" of={{ name: server.label, href: serverPath(server.id) }} />
      <SettingsSection id="names" title="Names" about="The daemon goes on reporting under new names.">
        <FieldsForm
          action={renameServerAction}
          label="Names"
          hidden={{ id: server.id }}
          fields={serverNameFields(server)}
          submit="Rename"
          pending="Renaming…"
        />
      </SettingsSection>
      <SettingsSection id="tags" title="Tags" about="The fleet can be filtered by them. The API does not have them.">
        <FieldsForm
          action={setTagsAction}
          label="Tags"
          hidden={{ id: server.id }}
          fields={[
            {
              name: "tags",
              label: "Tags",
              hint: TAGS_HINT,
              maxLength: TAGS_LENGTH,
              value: tags.join(", "),
              isOptional: true,
            },
          ]}
          submit="Save tags"
          pending="Saving…"
        />
      </SettingsSection>
      <SettingsSection
        id="maintenance"
        title="Maintenance"
        about="This time is left out of the uptime. You can enter it, or call it off, until a day after it began."
      >
        <Outcome done={done} sentences={CALLED_OFF} unchanged={UNCHANGED} />
        <PlanMaintenance
          labelledBy="maintenance"
          hidden={{ s: server.id }}
          zone={zoneText(account.timeZone)}
          submit="Plan"
        />
        <Planned serverId={server.id} planned={planned} zone={account.timeZone} now={now} />
      </SettingsSection>
      <SettingsSection
        id="key"
        title="Server key"
        about="The server's daemon reports its health with this key. It can read nothing."
      >
        <ReplaceKey
          id={server.id}
          origin={origin}
          hasKey={keys.length > 0}
          otherAgents={<OtherAgents origin={origin} />}
        >
          <ServerKeys keys={keys} now={now} />
        </ReplaceKey>
      </SettingsSection>
      <SettingsSection id="remove" title="Remove">
        <LinkCard
          className="grave"
          href={removeServerPath(server.id)}
          words="Remove this server…"
          wordsClass="button quiet wary"
        >
          <p>
            Removing <StrongName>{server.label}</StrongName> deletes its history and its benchmark runs, and refuses its
            daemon from then on.
          </p>
        </LinkCard>
      </SettingsSection>
    </main>
  );
}

type PlannedProps = { serverId: number; planned: Awaited<ReturnType<typeof listMaintenance>>; zone: string; now: Date };

function Planned({ serverId, planned, zone, now }: PlannedProps) {
  if (planned.length === 0) return null;
  return (
    <div className="card card-body">
      <ul className="stack tight" aria-label="Planned">
        {planned.map(({ id, ...times }) => {
          const text = maintenanceText(times, zone);
          const goesOn = times.from <= now.getTime() && now.getTime() < times.to;
          return (
            <li key={id} className="row spread">
              {text}{" "}
              <FieldsForm
                action={callOffMaintenanceAction}
                label={`Call off the maintenance ${text}`}
                hidden={{ serverId, id }}
                tone="button quiet small"
                submit={goesOn ? "End it now" : "Call off"}
                about={`: maintenance ${text}`}
                pending={goesOn ? "Ending…" : "Calling off…"}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

import { FieldsForm } from "@/app/dashboard/fields-form";
import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Name } from "@/app/ui/name";
import { PageHeader } from "@/app/ui/page-header";
import { SettingsSection } from "@/app/ui/section";
import { Time } from "@/app/ui/time";
import { counted } from "@/lib/format/quantities";
import {
  listShares,
  listTickets,
  listViewers,
  MAX_SHARES,
  type ServiceTicket,
  type Share,
  type Viewer,
} from "@/lib/game-services/access";
import { servicePath } from "@/lib/page-paths";
import {
  allowSupportAction,
  closeTicketAction,
  openTicketAction,
  shareServiceAction,
  unshareServiceAction,
} from "../../actions";
import styles from "../../list.module.css";
import { ServiceOutcome } from "../../outcome";
import { ownService, serviceMetadata } from "../own-service";

export const generateMetadata = serviceMetadata((name) => `Access to ${name}`);

export default async function Page({ params, searchParams }: PageProps<"/dashboard/game-services/[id]/access">) {
  const { service, account, supportAccess } = await ownService((await params).id);
  const { done } = await searchParams;
  const { id } = service;
  const [shares, tickets, viewers] = await Promise.all([
    listShares(account.id, id),
    listTickets(account.id, id),
    listViewers(id),
  ]);
  const now = new Date();
  return (
    <main id="main" className="page parts">
      <ServiceOutcome done={done} />
      <PageHeader title="Access to" of={{ name: service.name, href: servicePath(id) }}>
        Who sees this service, on the dashboard and with a token. Only you can change it.
      </PageHeader>
      <SettingsSection id="viewers" title="Who can see this now">
        <Viewers viewers={viewers} shares={shares} />
      </SettingsSection>
      <Shares id={id} shares={shares} now={now} />
      <SettingsSection id="support" title="Support access">
        <FieldsForm
          action={allowSupportAction}
          className="card card-body"
          label="Support access"
          hidden={{ id, allow: supportAccess ? "no" : "yes" }}
          tone="button quiet"
          submit={supportAccess ? "End support access" : "Allow support access"}
          pending="Saving…"
        >
          <span className="hint">
            {supportAccess
              ? "Support staff can see this service at any time."
              : "Support staff see this service only while a ticket about it is open, or if you share it with them."}
          </span>
        </FieldsForm>
      </SettingsSection>
      <Tickets id={id} tickets={tickets} now={now} />
    </main>
  );
}

/** The e-mails stand as they were typed, whether an account has them or not. */
function Viewers({ viewers, shares }: { viewers: readonly Viewer[]; shares: readonly Share[] }) {
  const staff = viewers.filter(({ isStaff, relation }) => isStaff && (relation === "support" || relation === "ticket"));
  const bySupport = staff.some(({ relation }) => relation === "support");
  return (
    <ul className="card card-body bullets">
      <li>You, its owner.</li>
      {shares.map(({ email, shownEmail }) => (
        <li key={email}>
          <Name>{shownEmail}</Name>, as an account with this e-mail.
        </li>
      ))}
      <li>
        {staff.length > 0
          ? `Support staff (${counted(staff.length, "account")}), because ${bySupport ? "you allow support access" : "a ticket of yours about it is open"}.`
          : "No support staff."}
      </li>
    </ul>
  );
}

const SHARE_COLUMNS = ["E-mail", "Shared", { title: "Stop sharing", isTitleHidden: true }];

function Shares({ id, shares, now }: { id: number; shares: readonly Share[]; now: Date }) {
  return (
    <SettingsSection id="shares" title="Shared with" about={`${shares.length} of ${MAX_SHARES}`}>
      {shares.length > 0 && (
        <DataTable labelledBy="shares" columns={SHARE_COLUMNS} className={`breaks ${styles.table}`}>
          {shares.map(({ email, shownEmail, createdAt }) => (
            <Row key={email}>
              <RowTitle>
                <Name>{shownEmail}</Name>
              </RowTitle>
              <Cell label="Shared">
                <Time at={createdAt} now={now} />
              </Cell>
              <Cell className={`end ${styles.action}`}>
                <FieldsForm
                  action={unshareServiceAction}
                  label={`Stop sharing with ${shownEmail}`}
                  hidden={{ id, email }}
                  tone="plain-button"
                  submit="Stop sharing"
                  pending="Stopping…"
                />
              </Cell>
            </Row>
          ))}
        </DataTable>
      )}
      <FieldsForm
        action={shareServiceAction}
        label="Share the service"
        hidden={{ id }}
        fields={[
          {
            name: "email",
            label: "E-mail",
            hint: "The account with this e-mail sees the service, also if it is created later.",
            placeholder: "ann@example.com",
            maxLength: 254,
            value: "",
            inputMode: "email",
          },
        ]}
        submit="Share"
        pending="Sharing…"
      />
    </SettingsSection>
  );
}

const TICKET_COLUMNS = ["Subject", "State", "Opened", { title: "Close", isTitleHidden: true }];

function Tickets({ id, tickets, now }: { id: number; tickets: readonly ServiceTicket[]; now: Date }) {
  return (
    <SettingsSection id="tickets" title="Tickets">
      {tickets.length > 0 && (
        <DataTable labelledBy="tickets" columns={TICKET_COLUMNS} className={`breaks ${styles.table}`}>
          {tickets.map(({ id: ticketId, subject, status, createdAt }) => (
            <Row key={ticketId}>
              <RowTitle>
                <bdi>{subject}</bdi>
              </RowTitle>
              <Cell label="State">{status === "open" ? <span className="badge">Open</span> : "Closed"}</Cell>
              <Cell label="Opened">
                <Time at={createdAt} now={now} />
              </Cell>
              <Cell>
                {status === "open" && (
                  <FieldsForm
                    action={closeTicketAction}
                    label={`Close the ticket ${subject}`}
                    hidden={{ id, ticketId }}
                    tone="plain-button"
                    submit="Close"
                    pending="Closing…"
                  />
                )}
              </Cell>
            </Row>
          ))}
        </DataTable>
      )}
      <FieldsForm
        action={openTicketAction}
        label="Open a ticket"
        hidden={{ id }}
        fields={[
          {
            name: "subject",
            label: "Subject",
            hint: "While the ticket is open, support staff can see this service.",
            maxLength: 240,
            value: "",
          },
        ]}
        tone="button quiet"
        submit="Open a ticket"
        pending="Opening…"
        again="Send it again if no ticket is listed above."
      />
    </SettingsSection>
  );
}

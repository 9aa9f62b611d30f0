import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { describedBy, Field } from "@/app/ui/field";
import { Name } from "@/app/ui/name";
import { NameLink } from "@/app/ui/name-link";
import { PageHeader } from "@/app/ui/page-header";
import { Section } from "@/app/ui/section";
import { Time } from "@/app/ui/time";
import { isStaff } from "@/lib/accounts/accounts";
import { counted } from "@/lib/format/quantities";
import { findSeen, listOpenTickets, MAX_LISTED_TICKETS } from "@/lib/game-services/access";
import { listGoingOn } from "@/lib/game-services/events/service-events";
import { findId } from "@/lib/http/ids";
import { GAME_SERVICES, SUPPORT, servicePath } from "@/lib/page-paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import list from "../list.module.css";
import { ServiceState } from "../service-status";

export const metadata: Metadata = { title: "Support" };

const COLUMNS = ["Ticket", "Game service", "Status", "Owner", "Opened"];
const LONGEST_ID = 10;

/** Where support staff find the services of others that they may see: by id, and by open ticket. */
export default async function Page({ searchParams }: PageProps<"/dashboard/game-services/support">) {
  const account = await requireAccount();
  if (!isStaff(account)) redirect(GAME_SERVICES);
  const { service } = await searchParams;
  const wanted = typeof service === "string" ? service.trim() : "";
  const id = findId(wanted);
  if (id !== null && (await findSeen(account, id)) !== null) redirect(servicePath(id));
  const tickets = await listOpenTickets(account);
  const goingOn = await listGoingOn(tickets.map(({ serviceId }) => serviceId));
  const now = new Date();
  const problem =
    wanted === "" ? null : `You may see no game service with the id "${wanted.slice(0, 2 * LONGEST_ID)}".`;
  return (
    <main id="main" className="page parts">
      <PageHeader title="Support" back={{ href: GAME_SERVICES, label: "Game services" }}>
        Game services of others that you may see: their owners allow support access, or have an open ticket about them.
      </PageHeader>
      <search>
        <form className="card card-body" action={SUPPORT} aria-label="Open a game service">
          <Field id="service" label="Id of the game service" error={problem}>
            <span className="line">
              <input
                id="service"
                className={`input ${list.id}`}
                name="service"
                inputMode="numeric"
                maxLength={LONGEST_ID}
                defaultValue={wanted}
                autoComplete="off"
                required
                {...describedBy("service", problem)}
              />
              <button className="button" type="submit">
                Open
              </button>
            </span>
          </Field>
        </form>
      </search>
      <Section id="tickets" title={counted(tickets.length, "open ticket")}>
        {tickets.length === 0 ? (
          <p className="soft">No open ticket is about a game service.</p>
        ) : (
          <DataTable labelledBy="tickets" columns={COLUMNS} isSet className={`breaks ${list.table} ${list.tickets}`}>
            {tickets.map(({ id, subject, createdAt, ...ticket }) => (
              <Row key={id} data-ticket={id}>
                <RowTitle>
                  <bdi>{subject}</bdi>
                </RowTitle>
                <Cell label="Game service">
                  <NameLink href={servicePath(ticket.serviceId)} name={ticket.serviceName} />{" "}
                  <span className="soft">{ticket.serviceId}</span>
                </Cell>
                <Cell label="Status">
                  <ServiceState status={ticket.status} goesOn={goingOn.get(ticket.serviceId)} now={now} />
                </Cell>
                <Cell label="Owner">
                  <Name>{ticket.owner}</Name>
                </Cell>
                <Cell label="Opened">
                  <Time at={new Date(createdAt)} now={now} />
                </Cell>
              </Row>
            ))}
          </DataTable>
        )}
        {tickets.length === MAX_LISTED_TICKETS && (
          <p className="hint">Only the newest {MAX_LISTED_TICKETS} are shown.</p>
        )}
      </Section>
    </main>
  );
}

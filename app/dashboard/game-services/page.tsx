import type { Metadata } from "next";
import { LinkCard } from "@/app/dashboard/link-card";
import { Copied } from "@/app/ui/copied";
import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Ip } from "@/app/ui/ip";
import { Link } from "@/app/ui/link";
import { Name } from "@/app/ui/name";
import { NameLink } from "@/app/ui/name-link";
import { PageHeader } from "@/app/ui/page-header";
import { Section } from "@/app/ui/section";
import { isStaff } from "@/lib/accounts/accounts";
import type { GameService } from "@/lib/api/schemas";
import { counted, percent, quantity } from "@/lib/format/quantities";
import type { Counter } from "@/lib/game-services/counters";
import { listOwnIds } from "@/lib/game-services/details";
import { type GoesOn, listGoingOn } from "@/lib/game-services/events/service-events";
import { listGameServices } from "@/lib/game-services/game-services";
import { describeStandings, type Standings } from "@/lib/game-services/standing";
import { standingsOfServices } from "@/lib/game-services/standings";
import { droppedShare, listRecentTraffic } from "@/lib/game-services/traffic";
import { GAME_SERVICES, NEW_GAME_SERVICE, SUPPORT, servicePath } from "@/lib/page-paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import styles from "./list.module.css";
import { ServiceOutcome } from "./outcome";
import { needsSomebody, ServiceState } from "./service-status";

export const metadata: Metadata = { title: "Game services" };

const COLUMNS = ["Service", "Status", "Public hostname", "Origin", "Last hour", "Dropped"];
/** Limits the length of the page. */
const MAX_ROWS = 200;

export default async function Page({ searchParams }: PageProps<"/dashboard/game-services">) {
  const account = await requireAccount();
  const { done, filter } = await searchParams;
  const { services } = await listGameServices(account.id);
  const wanted = typeof filter === "string" ? filter.trim().slice(0, 100) : "";
  const goingOn = await listGoingOn(services.map(({ id }) => id));
  const need = ({ id, status }: GameService) => Number(needsSomebody(status, goingOn.get(id)));
  // Those that need somebody come first.
  const found = services
    .filter((service) => isWanted(service, wanted))
    .sort((a, b) => need(b) - need(a) || a.id - b.id);
  const shown = found.slice(0, MAX_ROWS);
  const ids = shown.map(({ id }) => id);
  const now = new Date();
  const [own, traffic, standings] = await Promise.all([
    listOwnIds(account.id, ids),
    listRecentTraffic(ids),
    standingsOfServices(ids),
  ]);
  return (
    <main id="main" className="page parts">
      <ServiceOutcome done={done} />
      <PageHeader
        title="Game services"
        actions={
          <>
            {isStaff(account) && (
              <Link className="button quiet" href={SUPPORT}>
                Support
              </Link>
            )}
            <Link className="button" href={NEW_GAME_SERVICE}>
              Create a game service
            </Link>
          </>
        }
      >
        Players join through edge nodes, which filter attacks and hide your server&apos;s address.
      </PageHeader>
      {services.length === 0 ? (
        <LinkCard
          title="No game services yet"
          href={NEW_GAME_SERVICE}
          words="Create your first game service"
          wordsClass="button"
        >
          <p className="soft">
            Enter the hostname that players type, and the server behind it. Edge nodes serve it within seconds, filter
            attacks, and report its traffic here.
          </p>
        </LinkCard>
      ) : (
        <Section
          id="services"
          title={counted(services.length, "game service")}
          note={found.length < services.length && `${counted(found.length, "matches", "match")} the filter`}
          aside={<Filter value={wanted} />}
        >
          {shown.length === 0 ? (
            <p className="soft">
              No name and no hostname contains “{wanted}”.{" "}
              <Link href={GAME_SERVICES}>Show all {counted(services.length, "game service")}</Link>
            </p>
          ) : (
            <DataTable
              labelledBy="services"
              columns={COLUMNS}
              isSet
              className={`breaks ${styles.table} ${styles.services}`}
            >
              {shown.map((service) => (
                <ServiceRow
                  key={service.id}
                  service={service}
                  isOwn={own.has(service.id)}
                  traffic={traffic.get(service.id)}
                  standings={standings.get(service.id)}
                  goesOn={goingOn.get(service.id)}
                  now={now}
                />
              ))}
            </DataTable>
          )}
          {shown.length < found.length && <p className="hint">Only the first {MAX_ROWS} are shown: filter them.</p>}
        </Section>
      )}
      {isStaff(account) && (
        <p className="hint">
          The API lists the same: services that you own, and those shared with you. Find others under{" "}
          <Link className="inline-link" href={SUPPORT}>
            Support
          </Link>
          .
        </p>
      )}
    </main>
  );
}

type RowProps = {
  service: GameService;
  isOwn: boolean;
  traffic: Record<Counter, number> | undefined;
  /** Of the live edge nodes; undefined when there are none. */
  standings: Standings | undefined;
  goesOn: GoesOn | undefined;
  now: Date;
};

function ServiceRow({ service, isOwn, traffic, standings, goesOn, now }: RowProps) {
  const { id, name, status, error, java_hostname, origin_host, origin_port } = service;
  const share = traffic && droppedShare(traffic);
  return (
    <Row data-service={id}>
      <RowTitle>
        <NameLink className="target" href={servicePath(id)} name={name} />{" "}
        {!isOwn && <span className="badge">Shared with you</span>}
      </RowTitle>
      <Cell className={styles.status}>
        <ServiceState status={status} goesOn={goesOn} now={now} />
        {error !== null && (
          <div className="hint">
            <bdi>{error}</bdi>
          </div>
        )}
        {standings && !isSettled(standings) && <div className="hint">Edge nodes: {describeStandings(standings)}</div>}
      </Cell>
      <Cell label="Public hostname" className={styles.wide}>
        <span className={`line ${styles.hostname}`}>
          <Copied id={`hostname-${id}`} text={java_hostname} what={`the public hostname of ${name}`} />
        </span>
      </Cell>
      <Cell label="Origin" className={styles.wide}>
        <Name>
          <Origin host={origin_host} port={origin_port} />
        </Name>
      </Cell>
      <Cell label="Last hour">{traffic ? quantity(traffic.bytes, "bytes") : <span className="soft">–</span>}</Cell>
      <Cell label="Dropped">{share == null ? <span className="soft">–</span> : percent(share)}</Cell>
    </Row>
  );
}

/** "192.0.2.80:25565", "[2001:db8::1]:25565". */
function Origin({ host, port }: { host: string; port: number }) {
  if (!host.includes(":")) return `${host}:${port}`;
  return (
    <>
      [<Ip ip={host} />
      ]:{port}
    </>
  );
}

/** Whether every live edge node has the newest version, so that the status says everything. */
function isSettled({ failed, withheld, waiting, behind }: Standings): boolean {
  return failed + withheld + waiting + behind === 0;
}

function isWanted({ name, java_hostname, origin_host }: GameService, filter: string): boolean {
  const wanted = filter.toLowerCase();
  return [name, java_hostname, origin_host].some((text) => text.toLowerCase().includes(wanted));
}

/** A form without a script: it asks for the same page with a filter. */
function Filter({ value }: { value: string }) {
  return (
    <search>
      <form className="line" action={GAME_SERVICES}>
        <label className="visually-hidden" htmlFor="filter">
          Name or hostname
        </label>
        <input
          key={value}
          id="filter"
          className="input"
          type="search"
          name="filter"
          placeholder="Name or hostname"
          defaultValue={value}
          maxLength={100}
        />
        <button className="button quiet" type="submit">
          Filter
        </button>
      </form>
    </search>
  );
}

import { Cell, type Column, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { InTurns } from "@/app/ui/in-turns";
import { Ip } from "@/app/ui/ip";
import { Link } from "@/app/ui/link";
import { Meter } from "@/app/ui/meter";
import { Name } from "@/app/ui/name";
import { NameLink } from "@/app/ui/name-link";
import { NoValue } from "@/app/ui/no-value";
import { OnlineState } from "@/app/ui/online-state";
import { Score } from "@/app/ui/score";
import { Time } from "@/app/ui/time";
import { counted, unbroken } from "@/lib/format/quantities";
import { shortDurationText } from "@/lib/format/relative-time";
import { maintenanceOfSeveralPath, NEW_SERVER, tagsOfSeveralPath } from "@/lib/page-paths";
import { shownLevel } from "@/lib/servers/health-level";
import { COMPONENT_CURVES } from "@/lib/servers/health-score";
import type { FleetServer } from "@/lib/servers/servers";
import { listTrends, type TrendPoint } from "@/lib/servers/telemetry/history";
import styles from "./fleet.module.css";
import { FleetChips, TagChips } from "./fleet-chips";
import { fleetOf } from "./fleet-data";
import {
  countNeeds,
  type FleetOrder,
  type FleetQuery,
  fleetParams,
  fleetPath,
  listOf,
  needSomebody,
  pageOf,
  presentValue,
  searchText,
  serverInList,
} from "./fleet-query";
import { FleetSearch } from "./fleet-search";
import { FleetTitle } from "./fleet-title";
import { LinkCard } from "./link-card";
import { ListPages } from "./list-pages";
import { Trend } from "./trend";

/** The servers of the account with the scores that the API answers, a page at a time. */
export async function Fleet({ accountId, query }: { accountId: number; query: FleetQuery }) {
  const all = await fleetOf(accountId);
  if (all.length === 0) {
    return (
      <LinkCard title="No servers yet" href={NEW_SERVER} words="Add your first server" wordsClass="button">
        <p className="soft">
          Add a server, paste two lines into its terminal, and its health appears here within a minute: load, memory,
          disks, network, and a score that says what to look at first.
        </p>
      </LinkCard>
    );
  }
  const now = new Date();
  const shown = pageOf(all, query);
  const counts = countNeeds(all);
  const ids = shown.servers.map(({ id }) => id);
  const trends = await listTrends(accountId, ids, now.getTime());
  return (
    <section className="stack loose" aria-labelledby="fleet">
      <FleetTitle count={needSomebody(counts)} />
      <h2 id="fleet" className="visually-hidden">
        {counted(all.length, "server")}
      </h2>
      <div className="row apart spread">
        <FleetChips query={query} counts={counts} total={all.length} />
        <div className={`line near ${styles.tools}`}>
          <FleetSearch query={query} />
          <Link className="button quiet small" href={tagsOfSeveralPath(fleetParams(listOf(query)))}>
            Tags…
          </Link>
          <Link className="button quiet small" href={maintenanceOfSeveralPath(fleetParams(listOf(query)))}>
            Maintenance…
          </Link>
        </div>
      </div>
      <TagChips query={query} servers={all} />
      {shown.found === 0 ? (
        <p className={`center ${styles.nothing}`} role="status">
          No server matches.{" "}
          <Link href={fleetPath({ ...query, show: null, search: "", tag: null, page: 1 })}>
            Show all {counted(all.length, "server")}
          </Link>
        </p>
      ) : (
        <ServerTable query={query} servers={shown.servers} {...{ trends, now }} />
      )}
      <ListPages {...shown} pathOf={(page) => fleetPath({ ...query, page })} />
    </section>
  );
}

type TableProps = {
  query: FleetQuery;
  servers: readonly FleetServer[];
  trends: ReadonlyMap<number, TrendPoint[]>;
  now: Date;
};

/** A row takes half a millisecond. */
const ROWS_AT_ONCE = 20;

function ServerTable({ query, servers, trends, now }: TableProps) {
  return (
    <DataTable labelledBy="fleet" columns={columnsOf(query)} isSet className={styles.table}>
      <InTurns items={servers} atOnce={ROWS_AT_ONCE}>
        {(server) => <ServerRow key={server.id} trend={trends.get(server.id) ?? []} {...{ query, server, now }} />}
      </InTurns>
    </DataTable>
  );
}

type RowProps = {
  query: FleetQuery;
  server: FleetServer;
  trend: readonly TrendPoint[];
  now: Date;
};

function ServerRow({ query, server, trend, now }: RowProps) {
  const { hasCheckedIn } = server;
  return (
    <Row data-server={server.id} data-group={server.need} data-search={searchText(server)}>
      <RowTitle className={styles.name} title={server.hostname || undefined}>
        <NameLink className="plain" href={serverInList(server.id, query)} name={server.label} />{" "}
        <Name className={`hint ${styles.hostname}`}>{server.hostname}</Name>
        {server.tags.length > 0 && (
          <span className="hint block cut" title={server.tags.map((tag) => `#${tag}`).join(" ")}>
            {server.tags.map((tag) => (
              <Name key={tag}>#{tag} </Name>
            ))}
          </span>
        )}
      </RowTitle>
      <Cell className={styles.state}>
        <State server={server} />
      </Cell>
      <Cell className={styles.score}>
        {hasCheckedIn ? (
          <Score value={server.score} level={shownLevel(server.score, server.need)} />
        ) : (
          <NoScore apiScore={server.score} />
        )}
      </Cell>
      <Cell className={styles.trend}>
        {hasCheckedIn && (
          <Trend
            points={trend}
            score={server.score}
            level={shownLevel(server.score, server.need)}
            unwellSince={server.day.unwell?.at ?? Number.POSITIVE_INFINITY}
            now={now.getTime()}
          />
        )}
      </Cell>
      {(["cpuPct", "memUsedPct", "diskUsedPct"] as const).map((name) => {
        const value = presentValue(name)(server);
        return (
          <Cell key={name} className={styles.meter}>
            {value === null ? <NoValue why="not known now" /> : <Meter value={value} curve={CURVES[name]} />}
          </Cell>
        );
      })}
      <Cell className={styles.cause} title={(server.online && server.cause) || undefined}>
        <Cause {...{ server, now }} />
      </Cell>
      <Cell className={styles.ip}>{server.public_ip === null ? "Not reported" : <Ip ip={server.public_ip} />}</Cell>
    </Row>
  );
}

const CURVES = {
  cpuPct: COMPONENT_CURVES.cpuPct,
  memUsedPct: COMPONENT_CURVES.memoryPct,
  diskUsedPct: COMPONENT_CURVES.diskPct,
} as const;

function State({ server }: { server: FleetServer }) {
  if (!server.hasCheckedIn) return <data value="false">Never checked in</data>;
  const { online, need } = server;
  return <OnlineState isOnline={online} needsAttention={need === "attention"} />;
}

type CauseProps = Pick<RowProps, "server" | "now">;

function Cause({ server, now }: CauseProps) {
  if (!server.hasCheckedIn) {
    return (
      <>
        Added <Time at={new Date(server.createdAt)} now={now} />
      </>
    );
  }
  const seen = <Time at={new Date(server.last_seen)} now={now} />;
  if (!server.online) return <>Last check-in {seen}</>;
  const lasted = lastedText({ server, now });
  return (
    <>
      {server.cause && (
        <span className={`line ${styles.why}`}>
          <span>{unbroken(server.cause)}</span>
          {lasted && <span className="soft"> {lasted}</span>}
        </span>
      )}
      <span className="visually-hidden">, last seen {seen}</span>
    </>
  );
}

/** "for 14 h": for how long it is not well. "last 2 h ago" of what counts for a day: outages, restarts, killed processes. */
function lastedText({ server: { isUnstable, lastBreakAt, day }, now }: CauseProps): string | null {
  const agoText = (at: number) => shortDurationText(now.getTime() - at);
  if (isUnstable) return lastBreakAt === null ? null : `last ${agoText(lastBreakAt)} ago`;
  return day.unwell && `for ${agoText(day.unwell.at)}`;
}

/** The API has a score from the start, but it means nothing before the first check-in. */
function NoScore({ apiScore }: { apiScore: number }) {
  return (
    <data className="soft" value={apiScore}>
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">no score before the first check-in</span>
    </data>
  );
}

function columnsOf(query: FleetQuery): (Column | string)[] {
  const sorted = (order: FleetOrder, title: string, first: "ascending" | "descending"): Column => {
    const isSorted = query.order === order;
    const other = first === "ascending" ? "descending" : "ascending";
    return {
      title,
      sort: {
        href: fleetPath({ ...query, order, isReversed: isSorted && !query.isReversed, page: 1 }),
        order: isSorted ? (query.isReversed ? other : first) : null,
      },
    };
  };
  return [
    sorted("name", "Server", "ascending"),
    "State",
    sorted("score", "Score", "ascending"),
    "24 hours",
    sorted("cpu", "CPU", "descending"),
    sorted("memory", "Memory", "descending"),
    sorted("disk", "Disk", "descending"),
    "Main cause",
    "Public ip",
  ];
}

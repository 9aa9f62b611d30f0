import Link from "next/link";
import { serverPath } from "@/app/paths";
import { Choices } from "@/app/ui/choices";
import tables from "@/app/ui/data-table.module.css";
import { OnlineState } from "@/app/ui/online-state";
import { Score } from "@/app/ui/score";
import { Time } from "@/app/ui/time";
import { listServers } from "@/lib/servers/servers";
import { listTrends } from "@/lib/servers/telemetry/history";
import styles from "./fleet.module.css";
import { type FleetOrder, type FleetQuery, fleetPath, pageOf } from "./fleet-query";
import { NoServers } from "./no-servers";
import { Trend } from "./trend";

const ORDER_NAMES: Readonly<Record<FleetOrder, string>> = { score: "Worst first", name: "By name" };

/** The servers of the account exactly as the API lists them, a page at a time. */
export async function Fleet({ accountId, query }: { accountId: number; query: FleetQuery }) {
  const { servers: all } = await listServers(accountId);
  if (all.length === 0) return <NoServers />;
  const now = new Date();
  const { servers, page, pages } = pageOf(all, query);
  const trends = await listTrends(
    accountId,
    servers.map(({ id }) => id),
  );
  return (
    <section className={styles.section} aria-labelledby="fleet">
      <div className={styles.bar}>
        <h2 id="fleet">
          {all.length === 1 ? "1 server" : `${all.length.toLocaleString("en")} servers`},{" "}
          {all.filter(({ online }) => online).length.toLocaleString("en")} online
        </h2>
        <Choices
          label="Order"
          choices={(["score", "name"] as const).map((order) => ({
            href: fleetPath({ order, page: 1 }),
            name: ORDER_NAMES[order],
            isCurrent: query.order === order,
          }))}
        />
      </div>
      <div className={`card ${styles.frame}`}>
        {/* biome-ignore-start lint/a11y/noRedundantRoles: without them a table laid out as cards is none to a browser */}
        <table className={`${tables.table} ${tables.cards} ${styles.table}`} role="table" aria-labelledby="fleet">
          <thead role="rowgroup">
            <tr role="row">
              {["Server", "Score", "24 hours", "State", "Public ip"].map((title) => (
                <th key={title} scope="col" role="columnheader">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {servers.map((server) => (
              <tr key={server.id} role="row" data-server={server.id}>
                <th scope="row" role="rowheader" className={styles.name}>
                  <Link href={serverPath(server.id)} prefetch={false}>
                    <bdi>{server.label}</bdi>
                  </Link>
                  <bdi className={styles.hostname}>{server.hostname}</bdi>
                </th>
                <td role="cell" className={styles.score}>
                  <Score value={server.score} />
                </td>
                <td role="cell" className={styles.trend}>
                  <Trend points={trends.get(server.id) ?? []} score={server.score} now={now.getTime()} />
                </td>
                <td role="cell" className={styles.state}>
                  <OnlineState isOnline={server.online} />
                  <span className={styles.seen}>
                    <span className="visually-hidden">Last seen </span>
                    <Time at={new Date(server.last_seen)} now={now} />
                  </span>
                </td>
                <td role="cell" className={styles.ip}>
                  {server.public_ip === null ? <span className="soft">Not reported</span> : server.public_ip}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
      </div>
      {pages > 1 && <Pages query={query} page={page} pages={pages} />}
    </section>
  );
}

function Pages({ query, page, pages }: { query: FleetQuery; page: number; pages: number }) {
  return (
    <nav className={styles.pages} aria-label="Pages">
      {page > 1 && (
        <Link className="button quiet small" href={fleetPath({ ...query, page: page - 1 })} rel="prev" prefetch={false}>
          Previous
        </Link>
      )}
      <span className="soft">
        Page {page} of {pages}
      </span>
      {page < pages && (
        <Link className="button quiet small" href={fleetPath({ ...query, page: page + 1 })} rel="next" prefetch={false}>
          Next
        </Link>
      )}
    </nav>
  );
}

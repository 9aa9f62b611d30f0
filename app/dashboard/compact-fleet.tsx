import { Link } from "@/app/ui/link";
import { Name } from "@/app/ui/name";
import { Time } from "@/app/ui/time";
import { type Need, shownLevel } from "@/lib/servers/health-level";
import type { FleetServer } from "@/lib/servers/servers";
import styles from "./compact-fleet.module.css";
import { type FleetQuery, searchText, serverInList } from "./fleet-query";

/** While more servers than this need somebody, their rows are as small as the others, so that all stay on one screen. */
const MOST_WIDE_ROWS = 30;

type Props = { query: FleetQuery; servers: readonly FleetServer[]; now: Date };

/**
 * Every server in a row of one line, several rows side by side, so that a hundred and twenty fit on a screen. Servers
 * that need somebody have room for the cause.
 */
export function CompactFleet({ query, servers, now }: Props) {
  const needy = servers.filter(needsSomebody);
  const hasRoom = needy.length <= MOST_WIDE_ROWS;
  return (
    <ul className={styles.rows} aria-labelledby="fleet">
      {servers.map((server) => {
        const { need } = server;
        const isWide = hasRoom && needsSomebody(server);
        return (
          <li
            key={server.id}
            data-server={server.id}
            data-group={need}
            data-search={searchText(server)}
            data-wide={isWide}
            data-level={need === "never" ? undefined : shownLevel(server.score, server.need)}
          >
            <Link
              href={serverInList(server.id, query)}
              title={[server.label, server.hasCheckedIn && server.cause].filter(Boolean).join(": ")}
            >
              <Name className={styles.name}>{server.label}</Name>{" "}
              {isWide && (
                <span className={styles.cause}>
                  {server.online ? (
                    server.cause
                  ) : (
                    <>
                      Last check-in <Time at={new Date(server.last_seen)} now={now} />
                    </>
                  )}
                </span>
              )}{" "}
              <b>{need === "never" ? <NoScore /> : (SILENT[need] ?? server.score)}</b>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

/** What stands in the place of the score: it says nothing of a silent server. */
const SILENT: Partial<Record<Need, string>> = { offline: "offline" };

function needsSomebody(server: FleetServer): boolean {
  return server.need === "offline" || server.need === "attention";
}

function NoScore() {
  return (
    <>
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">never checked in</span>
    </>
  );
}

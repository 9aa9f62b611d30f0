import Link from "next/link";
import { serverPath } from "@/lib/page-paths";
import { levelOf } from "@/lib/servers/health-level";
import type { FleetServer } from "@/lib/servers/servers";
import styles from "./fleet.module.css";
import { groupOf } from "./fleet-query";

/** Shows every server with its score in a small tile: a hundred and twenty fit on a screen. */
export function FleetTiles({ servers }: { servers: readonly FleetServer[] }) {
  return (
    <ul className={styles.tiles} aria-labelledby="fleet">
      {servers.map((server) => {
        const group = groupOf(server);
        return (
          <li
            key={server.id}
            data-server={server.id}
            data-group={group}
            data-level={group === "never" ? undefined : levelOf(server.score)}
          >
            <Link href={serverPath(server.id)} prefetch={false} title={server.cause ?? undefined}>
              <bdi>{server.label}</bdi> <b>{stateText(server)}</b>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function stateText(server: FleetServer): string {
  if (!server.hasCheckedIn) return "new";
  return server.online ? String(server.score) : "offline";
}

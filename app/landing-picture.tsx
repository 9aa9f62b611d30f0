import styles from "./landing-picture.module.css";
import { Cell, DataTable, Row, RowTitle } from "./ui/data-table";
import { OnlineState } from "./ui/online-state";
import { Score } from "./ui/score";

const SERVERS = [
  {
    label: "Minecraft lobby",
    hostname: "mc-1.example.net",
    isOnline: false,
    score: 341,
    cause: "No check-in since 05:12",
  },
  { label: "Database primary", hostname: "db-1.example.net", isOnline: true, score: 712, cause: "Memory 91 % used" },
  { label: "Game node 3", hostname: "game-3.example.net", isOnline: true, score: 887, cause: "CPU 74 % busy" },
  { label: "Web front", hostname: "web-1.example.net", isOnline: true, score: 1000, cause: "" },
] as const;

/** The list of servers as somebody with four of them sees it, the one that needs attention first. */
export function FleetPicture() {
  return (
    <figure className={styles.picture} aria-labelledby="fleet-picture">
      <DataTable
        labelledBy="fleet-picture"
        columns={[{ title: "Server" }, { title: "Score" }, { title: "State" }]}
        className={styles.table}
      >
        {SERVERS.map(({ label, hostname, isOnline, score, cause }) => (
          <Row key={label}>
            <RowTitle>
              <strong>{label}</strong>
              <span className="soft">{hostname}</span>
            </RowTitle>
            <Cell>
              <Score value={score} />
            </Cell>
            <Cell className={styles.state}>
              <OnlineState isOnline={isOnline} />
              <span className="soft">{cause}</span>
            </Cell>
          </Row>
        ))}
      </DataTable>
      <figcaption id="fleet-picture" className="hint">
        Example: four servers, the one that needs attention first
      </figcaption>
    </figure>
  );
}

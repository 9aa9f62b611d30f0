import { levelOf } from "@/lib/servers/health-level";
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
    cause: "Last check-in 2 hours ago",
  },
  { label: "Database primary", hostname: "db-1.example.net", isOnline: true, score: 712, cause: "Memory: 91 % used" },
  { label: "Game node 3", hostname: "game-3.example.net", isOnline: true, score: 887, cause: "CPU: 74 % busy" },
  { label: "Web front", hostname: "web-1.example.net", isOnline: true, score: 1000, cause: "" },
] as const;

/** The list of servers as somebody with four of them sees it, the one that needs attention first. */
export function FleetPicture() {
  return (
    <figure className="stack tight" aria-labelledby="fleet-picture">
      <DataTable labelledBy="fleet-picture" columns={["Server", "Score", "State"]} className={styles.table}>
        {SERVERS.map(({ label, hostname, isOnline, score, cause }) => (
          <Row key={label}>
            <RowTitle>
              <strong>{label}</strong>
              <span className="hint block breaks">{hostname}</span>
            </RowTitle>
            <Cell>
              <Score value={score} />
            </Cell>
            <Cell className={styles.state}>
              <OnlineState isOnline={isOnline} needsAttention={levelOf(score) !== "healthy"} />
              <span className="hint block breaks">{cause}</span>
            </Cell>
          </Row>
        ))}
      </DataTable>
      <figcaption id="fleet-picture" className="hint center">
        Example: four servers, those that need somebody first
      </figcaption>
    </figure>
  );
}

/** Tens of sessions in each minute of half an hour: those that reached the server, and those that were dropped. */
const PASSED = [
  22, 24, 23, 25, 26, 24, 25, 27, 26, 25, 24, 26, 28, 27, 26, 25, 27, 28, 26, 27, 25, 26, 24, 25, 27, 26, 25, 24, 26,
  25,
];
const DROPPED = [1, 1, 0, 1, 2, 1, 1, 1, 2, 1, 18, 64, 92, 97, 88, 95, 90, 71, 33, 9, 2, 1, 1, 0, 1, 1, 2, 1, 1, 1];
const MOST = Math.max(...PASSED.map((passed, minute) => passed + (DROPPED[minute] ?? 0)));
const sum = (tens: readonly number[]) => (10 * tens.reduce((all, one) => all + one, 0)).toLocaleString("en");

/** A game service under attack, as its owner sees it: players go on playing. */
export function ProtectionPicture() {
  return (
    <figure className="stack tight" aria-labelledby="protection-picture">
      <div className={`card stack ${styles.service}`}>
        <p className="row close spread">
          <strong>mc.example.net</strong> <span className="badge good">Active on 3 edge nodes</span>
        </p>
        <svg className={styles.traffic} viewBox="0 0 300 80" preserveAspectRatio="none" aria-hidden="true">
          {PASSED.map((passed, minute) => {
            const [low, high] = [(80 * passed) / MOST, (80 * (DROPPED[minute] ?? 0)) / MOST];
            const x = 10 * minute + 1;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: minutes are in order
              <g key={minute}>
                <rect className="good" x={x} width="8" y={80 - low} height={low} />
                <rect className="danger" x={x} width="8" y={80 - low - high} height={high} />
              </g>
            );
          })}
        </svg>
        <p className="row close spread">
          <span>{sum(PASSED)} sessions of players reached the server</span>
          <span className="danger tone">{sum(DROPPED)} sessions of an attack dropped</span>
        </p>
      </div>
      <figcaption id="protection-picture" className="hint center">
        Example: half an hour of a protected Minecraft server
      </figcaption>
    </figure>
  );
}

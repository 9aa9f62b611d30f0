import { Bar } from "@/app/ui/bar";
import { Section } from "@/app/ui/section";
import { API_REFERENCE } from "@/lib/page-paths";
import { unbroken } from "@/lib/quantities";
import { momentText } from "@/lib/relative-time";
import { ADVICE } from "@/lib/servers/advice";
import { type ComponentLoss, explainHealth } from "@/lib/servers/health-breakdown";
import { HEALTH_LEVELS, levelOf } from "@/lib/servers/health-level";
import type { Component } from "@/lib/servers/health-score";
import type { ServerReport } from "@/lib/servers/servers";
import styles from "./health.module.css";
import { chartId } from "./history-charts";

/** The chart of each component, by its title. */
const CHARTS: Readonly<Record<Component, string>> = {
  cpu: "CPU",
  memory: "Memory",
  disk: "Fullest disk",
  network: "Network",
  stability: "Score",
  freshness: "Score",
};

type Props = { report: ServerReport; zone: string };

/** Why the score is not higher: what each component costs, the worst first, and what to do about the worst. */
export function Health({ report, zone }: Props) {
  const { server, health, scoreAt } = report;
  const rows = explainHealth(health);
  const [worst] = rows;
  return (
    <Section id="health" title={health.score === 1000 ? "The score" : `Why the score is ${health.score}`}>
      <div className={`card card-body ${styles.health}`}>
        {server.online ? (
          worst && worst.lost > 0 && <p className={styles.advice}>{ADVICE[worst.component]}</p>
        ) : (
          <p className={styles.advice}>
            <strong>
              No check-in since {momentText(new Date(server.last_seen), zone)}; the score was{" "}
              {scoreAt(server.last_seen)} before.
            </strong>{" "}
            {ADVICE.freshness}
          </p>
        )}
        <Losses rows={rows} score={health.score} isOpen={server.online} />
        <details className="disclosure">
          <summary>As the API says it</summary>
          <ul className={styles.notes} aria-label="Notes on the score">
            {health.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
          <p className="hint">
            {`Scores are ${HEALTH_LEVELS.map(({ name, from }) => `${name} from ${from} up`).join(", ")}. `}
            <a href={`${API_REFERENCE}#health-score`}>How the score comes about</a>
          </p>
        </details>
      </div>
    </Section>
  );
}

/** Collapsed for offline servers: there the numbers only reflect how long the server has been silent. */
function Losses({ rows, score, isOpen }: { rows: readonly ComponentLoss[]; score: number; isOpen: boolean }) {
  const table = <LossTable rows={rows} score={score} />;
  if (isOpen) return table;
  return (
    <details className="disclosure">
      <summary>The six components</summary>
      {table}
    </details>
  );
}

function LossTable({ rows, score }: { rows: readonly ComponentLoss[]; score: number }) {
  return (
    <table className={styles.losses}>
      <caption className="visually-hidden">The six components of the score, the worst first</caption>
      <thead>
        <tr>
          <th scope="col">Component</th>
          <th scope="col">Why</th>
          <th scope="col" colSpan={2}>
            Points lost
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ component, name, points, possible, lost, causes }) => (
          <tr key={component} data-component={component} data-level={levelOf(points)}>
            <th scope="row">
              <a href={`#${chartId(CHARTS[component])}`}>{name}</a>
            </th>
            <td className={styles.why}>
              {causes.length > 0 ? unbroken(causes.join(", ")) : <span className="soft">Full score</span>}
            </td>
            <td className={styles.bar}>
              <Bar share={lost === 0 ? 0 : Math.max(0.01, lost / possible)} level={levelOf(points)} />
            </td>
            <td className={styles.points}>
              <data value={points}>{lost === 0 ? "0" : `−${lost}`}</data> <span className="soft">of {possible}</span>
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Score</th>
          <td colSpan={3}>
            1000 − {1000 - score} = <b>{score}</b>
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

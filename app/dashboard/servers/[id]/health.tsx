import { Bar } from "@/app/ui/bar";
import { Section } from "@/app/ui/section";
import { unbroken } from "@/lib/format/quantities";
import { momentText } from "@/lib/format/relative-time";
import { zoneText } from "@/lib/format/time-zone";
import { ADVICE, worstCause } from "@/lib/servers/advice";
import { type ComponentLoss, explainHealth } from "@/lib/servers/health-breakdown";
import { levelOf } from "@/lib/servers/health-level";
import { COMPONENTS, type Component, FULL } from "@/lib/servers/health-score";
import type { ServerReport } from "@/lib/servers/servers";
import { listUnmeasured, unmeasuredText } from "@/lib/servers/unmeasured";
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
  const { server, health, lastScore } = report;
  const rows = explainHealth(health);
  const [worst] = rows;
  const unmeasured = unmeasuredText(listUnmeasured(report.current));
  const cause = worst && worst.lost > 0 ? worstCause(worst.causes) : null;
  const losses = <Losses rows={rows} score={health.score} />;
  return (
    <Section id="health" title={health.score === 1000 ? "The score" : `Why the score is ${health.score}`}>
      <div className="card card-body low">
        {server.online ? (
          cause && <p className={`text-md breaks ${styles.advice}`}>{ADVICE[cause.kind]}</p>
        ) : (
          <p className={`text-md breaks ${styles.advice}`}>
            <strong>
              No check-in since {momentText(new Date(server.last_seen), zone)} {zoneText(zone)}; the score was{" "}
              {lastScore} before.
            </strong>{" "}
            {ADVICE.lateCheckIn}
          </p>
        )}
        {server.online ? (
          losses
        ) : (
          // The numbers of a server that is offline only say how long it has been silent.
          <details className="disclosure">
            <summary>The six components</summary>
            {losses}
          </details>
        )}
        {unmeasured !== "" && (
          <p className="hint">Not measured on this server, so no points are lost for: {unmeasured}.</p>
        )}
      </div>
    </Section>
  );
}

function Losses({ rows, score }: { rows: readonly ComponentLoss[]; score: number }) {
  const full = rows.filter(({ points }) => points === FULL);
  const others = rows.filter((row) => !full.includes(row));
  if (others.length === 0) return <FullScores rows={full} />;
  return (
    <table className={`text-md ${styles.losses}`}>
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
        {others.map(({ component, name, points, possible, lost, causes }) => (
          <tr key={component} data-component={component} data-level={levelOf(points)}>
            <th scope="row">
              <a className="target" href={`#${chartId(CHARTS[component])}`}>
                {name}
              </a>
            </th>
            <td className={`breaks ${styles.why}`}>{unbroken(causes.map(({ text }) => text).join(", "))}</td>
            <td className={styles.bar}>
              <Bar share={lost === 0 ? 0 : Math.max(0.01, lost / possible)} level={levelOf(points)} />
            </td>
            <td className={`end nowrap ${styles.points}`}>
              <data className="tone" value={points} translate="no">
                {lost === 0 ? "0" : `−${lost}`}
              </data>{" "}
              <span className="soft">
                of <span>{possible}</span>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Score</th>
          <td className={styles.full}>{full.length > 0 && <FullScores rows={full} />}</td>
          <td colSpan={2} className="end nowrap">
            1000 − <span>{1000 - score}</span> = <b>{score}</b>
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

/** One line for the components that lost nothing. */
function FullScores({ rows }: { rows: readonly ComponentLoss[] }) {
  return (
    <span className="soft">
      {rows.length === COMPONENTS.length ? "All six components are at full score: " : "Full score: "}
      {rows.map(({ component, name, points }, index) => (
        <span key={component} data-component={component}>
          {index > 0 && ", "}
          <data value={points}>{name}</data>
        </span>
      ))}
      .
    </span>
  );
}

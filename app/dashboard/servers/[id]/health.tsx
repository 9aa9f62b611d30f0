import { Score, toneOf } from "@/app/ui/score";
import type { ServerDetail } from "@/lib/api/schemas";
import { COMPONENTS, type Component, WEIGHTS } from "@/lib/servers/health-score";
import styles from "./health.module.css";
import { Section } from "./section";

const NAMES: Readonly<Record<Component, string>> = {
  cpu: "CPU",
  memory: "Memory",
  disk: "Disk",
  network: "Network",
  stability: "Stability",
  freshness: "Freshness",
};

type Props = { score: number; components: ServerDetail["score_components"]; notes: readonly string[] };

/** The score, what it is made of, and why it is not higher. */
export function Health({ score, components, notes }: Props) {
  return (
    <Section id="health" title="Health">
      <div className={`card ${styles.health}`}>
        <p className={styles.score} data-tone={toneOf(score)}>
          <data value={score} data-score>
            {score}
          </data>
          <span className="soft">of 1000</span>
        </p>
        <table className={styles.components}>
          <caption className="visually-hidden">The six components of the score</caption>
          <thead>
            <tr>
              <th scope="col">Component</th>
              <th scope="col">Weight</th>
              <th scope="col">Points</th>
            </tr>
          </thead>
          <tbody>
            {COMPONENTS.map((name) => (
              <tr key={name} data-component={name}>
                <th scope="row">{NAMES[name]}</th>
                <td className={styles.weight}>{WEIGHTS[name]} %</td>
                <td>
                  <Score value={components[name]} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <ul className={styles.notes} aria-label="Notes on the score">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      </div>
    </Section>
  );
}

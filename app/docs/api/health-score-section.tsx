import { HEALTH_LEVELS } from "@/lib/servers/health-level";
import {
  COMPONENT_CURVES,
  COMPONENTS,
  type Component,
  DEDUCTION_CURVES,
  STABILITY_DEDUCTIONS,
  STALENESS,
  WEIGHTS,
} from "@/lib/servers/health-score";
import { CurveChart } from "./curve-chart";
import styles from "./page.module.css";
import { Section } from "./section";

const COMPONENT_TITLES: Record<keyof typeof COMPONENT_CURVES, [title: string, unit: string]> = {
  cpuPct: ["cpu: CPU use of all cores together", "%"],
  memoryPct: ["memory: memory in use", "%"],
  diskPct: ["disk: the fullest file system", "%"],
  lossPct: ["network: packets lost", "%"],
  retransmitPct: ["network: packets sent again", "%"],
  coveragePct: ["stability: minutes with a check-in, 24 hours", "%"],
  lastSeenSeconds: ["freshness: since the last check-in", "s"],
};

const DEDUCTION_TITLES: Record<keyof typeof DEDUCTION_CURVES, [title: string, unit: string]> = {
  stealPct: ["cpu: stolen by other guests", "%"],
  iowaitPct: ["cpu: waiting for disks", "%"],
  loadPerCore: ["cpu: load per core", "of one"],
  swapPct: ["memory: swap in use", "%"],
};

type Props = { label: string; score: number; components: Record<Component, number>; notes: readonly string[] };

/** How the score comes about: the formula on a real answer, and each curve drawn from the table that the console uses. */
export function HealthScoreSection({ label, score, components, notes }: Props) {
  const sum = COMPONENTS.reduce((total, name) => total + WEIGHTS[name] * components[name], 0);
  const [fadesFrom, goneAt] = [STALENESS[0]?.[0], STALENESS.at(-1)?.[0]];
  return (
    <Section id="health-score" title="The health score">
      <p>
        Six components, each an integer from 0 to 1000 and part of the answer, add up to the score by their weights.
        Nothing else goes into it, so anyone can recompute it:{" "}
        <code>score = round((20·cpu + 20·memory + 20·disk + 15·network + 15·stability + 10·freshness) / 100)</code>.
      </p>
      <h3 id="worked-example">A worked example</h3>
      <p>“{label}” in the examples above:</p>
      <table className={styles.sum}>
        <thead>
          <tr>
            <th scope="col">Component</th>
            <th scope="col">Points</th>
            <th scope="col">Weight</th>
            <th scope="col">Product</th>
          </tr>
        </thead>
        <tbody>
          {COMPONENTS.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{components[name]}</td>
              <td>{WEIGHTS[name]}</td>
              <td>{WEIGHTS[name] * components[name]}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              Sum
            </th>
            <td>{sum}</td>
          </tr>
          <tr>
            <th scope="row" colSpan={3}>
              Divided by 100 and rounded: the score
            </th>
            <td>{score}</td>
          </tr>
        </tfoot>
      </table>
      <p>
        Its <code>score_notes</code> say why: what was measured, where full score ends, and the points that it costs,
        worst first.
      </p>
      <ul className={styles.notes}>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      <h3 id="curves">The curves of the components</h3>
      <p>Linear between the points and constant beyond them. Of the two for the network the worse one counts.</p>
      <div className={styles.curves}>
        {keysOf(COMPONENT_CURVES).map((name) => (
          <CurveChart
            key={name}
            title={COMPONENT_TITLES[name][0]}
            unit={COMPONENT_TITLES[name][1]}
            curve={COMPONENT_CURVES[name]}
            top={1000}
          />
        ))}
      </div>
      <h3 id="deductions">What is taken off</h3>
      <p>
        Of the three for the CPU only the largest counts. Memory is at most 300 for 30 minutes after a process was
        killed for lack of it. Stability loses {STABILITY_DEDUCTIONS.reboots.each} points per restart (at most{" "}
        {STABILITY_DEDUCTIONS.reboots.most}), {STABILITY_DEDUCTIONS.oomKills.each} per process killed for lack of memory
        ({STABILITY_DEDUCTIONS.oomKills.most}) and {STABILITY_DEDUCTIONS.failedUnits.each} per failed system service (
        {STABILITY_DEDUCTIONS.failedUnits.most}).
      </p>
      <div className={styles.curves}>
        {keysOf(DEDUCTION_CURVES).map((name) => (
          <CurveChart
            key={name}
            title={DEDUCTION_TITLES[name][0]}
            unit={DEDUCTION_TITLES[name][1]}
            curve={DEDUCTION_CURVES[name]}
            top={1000}
          />
        ))}
      </div>
      <h3 id="old-samples">Old samples, and what was not reported</h3>
      <p>
        CPU, memory, disk and network rest on the latest sample. They count fully until it is {fadesFrom} seconds old
        and fade to nothing at {goneAt} seconds. What was not reported counts 500: proof neither of health nor of
        illness, never left out.
      </p>
      <h3 id="levels">Healthy, strained, critical</h3>
      <p>
        The console says the same words, in the same colours, of a score and of each component:{" "}
        {HEALTH_LEVELS.map(({ name, from }) => `${name} from ${from} up`).join(", ")}. The API answers the numbers
        alone.
      </p>
    </Section>
  );
}

function keysOf<Key extends string>(record: Record<Key, unknown>): Key[] {
  return Object.keys(record) as Key[];
}

import Link from "next/link";
import { benchmarkPath } from "@/app/paths";
import tables from "@/app/ui/data-table.module.css";
import { Time } from "@/app/ui/time";
import type { BenchmarkRun } from "@/lib/api/schemas";
import type { OpenBenchmark } from "@/lib/servers/benchmarks";
import styles from "./benchmarks.module.css";
import { Section } from "./section";

const SECTIONS = [
  ["total", "Total"],
  ["cpu", "CPU"],
  ["disk", "Disk"],
  ["network", "Network"],
  ["stability", "Stability"],
] as const;

type Props = { serverId: number; runs: readonly BenchmarkRun[]; open: readonly OpenBenchmark[]; now: Date };

/** The finished runs, newest first, and the way to another. */
export function Benchmarks({ serverId, runs, open, now }: Props) {
  return (
    <Section
      id="benchmarks"
      title="Benchmarks"
      aside={
        <Link className="button quiet small" href={benchmarkPath(serverId)} prefetch={false}>
          Run a benchmark
        </Link>
      }
    >
      {open.length > 0 && (
        <p className="soft">
          Without a result yet:{" "}
          {open.map(({ id, label, status, isExpired }, index) => (
            <span key={id}>
              {index > 0 && ", "}
              <bdi>{label}</bdi> ({isExpired ? "expired" : status})
            </span>
          ))}
          .
        </p>
      )}
      {runs.length === 0 ? (
        <p className="soft">No finished run yet.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
        <section className={`card ${styles.frame}`} aria-label="Benchmark runs" tabIndex={0}>
          <table className={`${tables.table} ${styles.table}`}>
            <caption className="visually-hidden">Finished benchmark runs, scores of 0 to 100</caption>
            <thead>
              <tr>
                <th scope="col">Run</th>
                {SECTIONS.map(([name, title]) => (
                  <th key={name} scope="col" className={styles.number}>
                    {title}
                  </th>
                ))}
                <th scope="col">Hardware</th>
                <th scope="col">Finished</th>
              </tr>
            </thead>
            <tbody>
              {runs.map((run) => (
                <tr key={run.id} data-run={run.id}>
                  <th scope="row">
                    <bdi>{run.label}</bdi>
                  </th>
                  {SECTIONS.map(([name]) => (
                    <td key={name} className={styles.number} data-section={name}>
                      <Points value={run.scores[name]} />
                    </td>
                  ))}
                  <td>
                    <data value={String(run.verified)}>{run.verified ? "Verified" : "Not verified"}</data>
                  </td>
                  <td>
                    <Time at={new Date(run.finished_at)} now={now} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Section>
  );
}

/** Nothing measured is said as such, and never looks like zero. */
function Points({ value }: { value: number | null }) {
  if (value !== null) return <data value={value}>{value}</data>;
  return (
    <span className="soft">
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">not measured</span>
    </span>
  );
}

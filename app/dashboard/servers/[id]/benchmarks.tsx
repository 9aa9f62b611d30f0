import { type FleetQuery, serverInList } from "@/app/dashboard/fleet-query";
import { ListPages } from "@/app/dashboard/list-pages";
import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Link } from "@/app/ui/link";
import { Name } from "@/app/ui/name";
import { NoValue } from "@/app/ui/no-value";
import { Section } from "@/app/ui/section";
import { Time } from "@/app/ui/time";
import type { BenchmarkRun } from "@/lib/api/schemas";
import { benchmarkPath } from "@/lib/page-paths";
import type { OpenBenchmark } from "@/lib/servers/benchmarks";
import styles from "./benchmarks.module.css";

const SECTIONS = [
  ["total", "Total"],
  ["cpu", "CPU"],
  ["disk", "Disk"],
  ["network", "Network"],
  ["stability", "Stability"],
] as const;

const COLUMNS = ["Run", ...SECTIONS.map(([, title]) => ({ title, isNumber: true })), "Hardware", "Finished"];

/** Finished runs that a page shows at a time. */
const RUNS_A_PAGE = 20;

type Props = {
  serverId: number;
  /** The parameters of the history above, which the links keep. */
  time: Readonly<Record<string, string>>;
  list: FleetQuery;
  /** All of them, newest first. */
  finished: readonly BenchmarkRun[];
  open: readonly OpenBenchmark[];
  /** Which page of the finished ones, from 1. Of one beyond the last the last is shown. */
  asked: number;
  now: Date;
};

/** The finished runs, newest first, a page of them, and the way to another. */
export function Benchmarks({ serverId, time, list, finished, open, asked, now }: Props) {
  const pages = Math.max(1, Math.ceil(finished.length / RUNS_A_PAGE));
  const page = Math.min(asked, pages);
  const runs = finished.slice((page - 1) * RUNS_A_PAGE, page * RUNS_A_PAGE);
  return (
    <Section
      id="benchmarks"
      title="Benchmarks"
      note={runs.length > 0 ? undefined : open.length > 0 ? "None finished yet." : "None yet."}
      aside={
        <Link className="button quiet small" href={benchmarkPath(serverId)}>
          Run a benchmark
        </Link>
      }
    >
      {open.map(({ id, label, status, isExpired, createdAt }) => (
        <p key={id} className="soft">
          {isExpired ? "No result came" : status === "running" ? "Running" : "Waiting for the result"}: “
          <Name>{label}</Name>”, {status === "running" ? "started" : "requested"} <Time at={createdAt} now={now} />.
        </p>
      ))}
      {runs.length > 0 && (
        <DataTable
          label="Finished benchmark runs, scores of 0 to 100"
          columns={COLUMNS}
          narrow="scroll"
          className={styles.table}
        >
          {runs.map((run) => (
            <Row key={run.id} data-run={run.id}>
              <RowTitle>
                <Name>{run.label}</Name>
              </RowTitle>
              {SECTIONS.map(([name]) => (
                <Cell key={name} isNumber data-section={name}>
                  <Points value={run.scores[name]} />
                </Cell>
              ))}
              <Cell>
                <data value={String(run.verified)}>{run.verified ? "Verified" : "Not verified"}</data>
              </Cell>
              <Cell>
                <Time at={new Date(run.finished_at)} now={now} />
              </Cell>
            </Row>
          ))}
        </DataTable>
      )}
      <ListPages
        page={page}
        pages={pages}
        pathOf={(to) => `${serverInList(serverId, list, { ...time, runs: String(to) })}#benchmarks`}
      />
    </Section>
  );
}

/** Says explicitly when nothing was measured, so that it does not look like zero. */
function Points({ value }: { value: number | null }) {
  return value === null ? (
    <NoValue why="not measured" />
  ) : (
    <data value={value} translate="no">
      {value}
    </data>
  );
}

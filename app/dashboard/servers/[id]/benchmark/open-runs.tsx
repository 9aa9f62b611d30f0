import { FieldsForm } from "@/app/dashboard/fields-form";
import { Name, StrongName } from "@/app/ui/name";
import { Time } from "@/app/ui/time";
import type { OpenBenchmark } from "@/lib/servers/benchmarks";
import { cancelBenchmarkAction } from "../../actions";

type Props = { serverId: number; runs: readonly OpenBenchmark[]; now: Date };

/** Runs that wait for their result, and those whose result never came. */
export function OpenRuns({ serverId, runs, now }: Props) {
  return (
    <ul className="card card-body stack">
      {runs.map((run) => (
        <li key={run.id} className="row spread">
          <div>
            <StrongName>{run.label}</StrongName>
            <p className="soft">
              <State run={run} now={now} /> Asked for <Time at={run.createdAt} now={now} />.
            </p>
          </div>
          {run.status === "pending" && (
            <FieldsForm
              action={cancelBenchmarkAction}
              label={`Cancel the run ${run.label}`}
              hidden={{ serverId, id: run.id }}
              tone="button quiet small"
              submit="Cancel"
              about={
                <>
                  {" "}
                  the run <Name>{run.label}</Name>
                </>
              }
              pending="Cancelling…"
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function State({ run, now }: { run: OpenBenchmark; now: Date }) {
  if (run.status === "running") return <>Running.</>;
  if (run.isExpired) return <>No result came within 24 hours; its key is refused now.</>;
  return (
    <>
      Pending: its key ends <Time at={run.expiresAt} now={now} />.
    </>
  );
}

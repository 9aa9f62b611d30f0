import { Outcome } from "@/app/dashboard/outcome";
import { PageHeader } from "@/app/ui/page-header";
import { pageOrigin } from "@/app/ui/page-origin";
import { Section } from "@/app/ui/section";
import { serverPath } from "@/lib/page-paths";
import { findVerificationGaps, listOpenBenchmarks } from "@/lib/servers/benchmarks";
import { ownServer, serverMetadata } from "../own-server";
import { OpenRuns } from "./open-runs";
import { RunBenchmark } from "./run-benchmark";
import { Unverifiable } from "./unverifiable";

const CANCELLED = { cancelled: "The run is cancelled, and its key is refused." };
const UNCHANGED = { unchanged: "Nothing was changed: there is no such pending run." };

export const generateMetadata = serverMetadata((label) => `Run a benchmark on ${label}`);

export default async function Page({ params, searchParams }: PageProps<"/dashboard/servers/[id]/benchmark">) {
  const { account, server } = await ownServer((await params).id);
  const now = new Date();
  const [runs, gaps, origin, { done }] = await Promise.all([
    listOpenBenchmarks(account.id, server.id, now),
    findVerificationGaps(account.id, server.id),
    pageOrigin(),
    searchParams,
  ]);
  const hasPending = runs.some(({ status }) => status === "pending");
  return (
    <main id="main" className="page parts">
      <Outcome done={done} sentences={hasPending ? {} : CANCELLED} unchanged={UNCHANGED} />
      <PageHeader title="Run a benchmark on" of={{ name: server.label, href: serverPath(server.id) }}>
        One line, run on the server, measures its processors, disks and network with YABS, a script that many people
        compare machines with, and sends the result here. It takes about ten minutes and keeps the machine busy
        meanwhile.
      </PageHeader>
      {gaps && <Unverifiable serverId={server.id} gaps={gaps} />}
      <RunBenchmark id={server.id} origin={origin} hasPending={hasPending} />
      {runs.length > 0 && (
        <Section id="open" title="Runs without a result yet">
          <OpenRuns serverId={server.id} runs={runs} now={now} />
        </Section>
      )}
    </main>
  );
}

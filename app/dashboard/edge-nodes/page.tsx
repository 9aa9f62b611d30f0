import type { Metadata } from "next";
import { Outcome } from "@/app/dashboard/outcome";
import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { From } from "@/app/ui/ip";
import { Link } from "@/app/ui/link";
import { Code, Name } from "@/app/ui/name";
import { NameLink } from "@/app/ui/name-link";
import { PageHeader } from "@/app/ui/page-header";
import { pageOrigin } from "@/app/ui/page-origin";
import { Section } from "@/app/ui/section";
import { Time } from "@/app/ui/time";
import { counted, quantity, unbroken } from "@/lib/format/quantities";
import {
  type EdgeNodeRecord,
  type Failing,
  isHeardLately,
  listFailing,
  listNodes,
} from "@/lib/game-services/edges/nodes";
import { FAR_ABOVE, listOutliers, type Outlier } from "@/lib/game-services/edges/outliers";
import { listGoingOn } from "@/lib/game-services/events/service-events";
import { describeStandings } from "@/lib/game-services/standing";
import { edgeNodeSettingsPath, GAME_SERVICES, NEW_EDGE_NODE, servicePath } from "@/lib/page-paths";
import { requireAdmin } from "./require-admin";

export const metadata: Metadata = { title: "Edge nodes" };

const COLUMNS = ["Node", "State", "Last heard", "Program", "Services", "Refused", "Figures"];

/** Those that need somebody first: silent ones, then those that cannot serve something; otherwise by id. */
function byNeed(nodes: readonly EdgeNodeRecord[]): EdgeNodeRecord[] {
  const need = ({ lastHeardAt, services }: EdgeNodeRecord) => {
    if (lastHeardAt !== null && !isHeardLately(lastHeardAt)) return 0;
    return services.failed > 0 ? 1 : 2;
  };
  return [...nodes].sort((a, b) => need(a) - need(b) || a.id - b.id);
}

/** The edge nodes, for administrators; everybody else is sent to the game services. */
export default async function Page({ searchParams }: PageProps<"/dashboard/edge-nodes">) {
  const account = await requireAdmin();
  const { done } = await searchParams;
  const [nodes, failing, origin] = await Promise.all([listNodes(), listFailing(account), pageOrigin()]);
  const goingOn = await listGoingOn(failing.map(({ id }) => id));
  const now = new Date();
  const perMinute = nodes.reduce(
    (sum, { services: { current, behind, failed } }) => sum + current + behind + failed,
    0,
  );
  const outliers = await listOutliers(perMinute, now);
  const live = nodes.filter(({ lastHeardAt }) => isHeardLately(lastHeardAt));
  return (
    <main id="main" className="page parts">
      <Outcome done={done} sentences={{ removed: "The edge node is removed. What it counted stays." }} />
      <PageHeader
        title="Edge nodes"
        back={{ href: GAME_SERVICES, label: "Game services" }}
        actions={
          <Link className="button" href={NEW_EDGE_NODE}>
            Add an edge node
          </Link>
        }
      >
        The machines that protect game services. They run <Code>{origin}/edge.mjs</Code>.
      </PageHeader>
      <Section id="nodes" title={`${counted(nodes.length, "node")}, ${live.length} live`}>
        {nodes.length === 0 ? (
          <p className="soft">There are no edge nodes yet.</p>
        ) : (
          <DataTable labelledBy="nodes" columns={COLUMNS}>
            {byNeed(nodes).map((node) => (
              <NodeRow
                key={node.id}
                failing={failing.filter(({ nodeId }) => nodeId === node.id)}
                {...{ node, goingOn, outliers, now }}
              />
            ))}
          </DataTable>
        )}
        <p className="hint">
          Refused connections belong to no service: they were above the limits of one ip, sent no handshake within two
          seconds, or asked for an unknown hostname when over 200 a second did.
        </p>
      </Section>
    </main>
  );
}

type Outliers = Awaited<ReturnType<typeof listOutliers>>;

type RowProps = {
  node: EdgeNodeRecord;
  /** The services that it cannot serve. */
  failing: readonly Failing[];
  goingOn: Awaited<ReturnType<typeof listGoingOn>>;
  outliers: Outliers;
  now: Date;
};

function NodeRow({ node, failing, goingOn, outliers, now }: RowProps) {
  const { id, name, lastHeardAt, lastHeardIp, agent, services, refused } = node;
  return (
    <Row id={`node-${id}`} data-node={id}>
      <RowTitle>
        <NameLink href={edgeNodeSettingsPath(id)} name={name} />{" "}
        <span className="soft">
          node{"\u00a0"}
          {id}
        </span>
      </RowTitle>
      <Cell label="State">
        {lastHeardAt === null ? (
          "Waiting for its first fetch"
        ) : isHeardLately(lastHeardAt) ? (
          "Live"
        ) : (
          <span className="badge warning">Silent</span>
        )}
      </Cell>
      <Cell label="Last heard">
        {lastHeardAt === null ? <span className="soft">Never</span> : <Time at={lastHeardAt} now={now} />}
        <span className="soft">
          <From ip={lastHeardIp} />
        </span>
      </Cell>
      <Cell label="Program">{agent === null ? <span className="soft">Unknown</span> : <Name>{agent}</Name>}</Cell>
      <Cell label="Services">
        {describeStandings(services)}
        {failing.map(({ id, name, isVisible }) => {
          const failedAt = goingOn.get(id)?.get("failed");
          return (
            <div key={id} className="hint">
              <NameLink className="inline-link" href={isVisible && servicePath(id)} name={name} />
              {failedAt !== undefined && ", failed "}
              {failedAt !== undefined && <Time at={new Date(failedAt)} now={now} />}
            </div>
          );
        })}
      </Cell>
      <Cell label="Refused">
        {refused === null ? (
          <span className="soft">–</span>
        ) : (
          <>
            <data value={refused}>{quantity(refused, "number")}</data> <span className="soft">in the last hour</span>
          </>
        )}
      </Cell>
      <Cell label="Figures">
        {isHeardLately(lastHeardAt) || outliers.byNode.has(id) ? (
          <Figures outlier={outliers.byNode.get(id)} minutes={outliers.minutes} now={now} />
        ) : (
          <span className="soft">–</span>
        )}
      </Cell>
    </Row>
  );
}

/** Marks a node whose figures lie far above those of the other nodes of a service. */
function Figures({ outlier, minutes, now }: { outlier: Outlier | undefined; minutes: number; now: Date }) {
  if (!outlier) return <span className="soft">Like other nodes in the last {minutes} minutes</span>;
  const { counter, value, median, serviceId, ts } = outlier;
  const unit = counter === "bytes" ? "bytes" : "number";
  return (
    <>
      <span className="badge warning">Over {FAR_ABOVE} times the others</span> {unbroken(quantity(value, unit))}
      {unit === "number" && ` ${counter}`} of service {serviceId} in a minute, <Time at={new Date(ts)} now={now} />; the
      median of its other nodes is {unbroken(quantity(median, unit))}
    </>
  );
}

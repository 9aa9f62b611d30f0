import { FieldsForm } from "@/app/dashboard/fields-form";
import type { Query } from "@/app/ui/chart/asked-time";
import { Copied } from "@/app/ui/copied";
import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Details } from "@/app/ui/details";
import { Ip } from "@/app/ui/ip";
import { Link } from "@/app/ui/link";
import { Name } from "@/app/ui/name";
import { NameLink } from "@/app/ui/name-link";
import { PageHeader } from "@/app/ui/page-header";
import { Section } from "@/app/ui/section";
import { Time } from "@/app/ui/time";
import type { Relation } from "@/lib/game-services/access";
import type { NodeState, ServiceDetails } from "@/lib/game-services/details";
import { nodeNames } from "@/lib/game-services/edges/nodes";
import { listServiceEvents } from "@/lib/game-services/events/service-events";
import { describeStanding } from "@/lib/game-services/standing";
import { getEarlierTraffic, getTraffic, hadPlayer, listLatencies } from "@/lib/game-services/traffic";
import { edgeNodePath, GAME_SERVICES, serviceAccessPath, serviceDnsPath, serviceSettingsPath } from "@/lib/page-paths";
import { retryServiceAction, setServiceWishAction } from "../actions";
import list from "../list.module.css";
import { nextStep, ServiceState } from "../service-status";
import { FirstSteps } from "./first-steps";
import { visibleService } from "./own-service";
import { ServiceEventList, serviceLane } from "./service-events";
import { Traffic } from "./traffic";
import { trafficTime } from "./traffic-time";

const REASONS: Readonly<Record<Exclude<Relation, "owner">, string>> = {
  shared: "This service is shared with you. Only its owner can change it.",
  support: "You see this service as support staff, because its owner allows support access.",
  ticket: "You see this service as support staff, because its owner has an open ticket about it.",
};

type Props = {
  /** The text of the path. */
  id: string;
  /** Says which time is shown. */
  query: Query;
  /** The chosen edge node. Null means all nodes together. */
  nodeId: number | null;
};

/** One game service: its state, what its owner can do with it, its traffic, and what the edge nodes have of it. */
export async function ServiceView({ id, query, nodeId }: Props) {
  const details = await visibleService(id);
  const { service, relation, account } = details;
  const now = new Date();
  const time = trafficTime(query, account.timeZone);
  const [traffic, names, isPlayed] = await Promise.all([
    getTraffic(service.id, time.shown, nodeId),
    nodeNames(),
    hadPlayer(service.id),
  ]);
  const shown = { from: traffic.from, to: traffic.isNow ? traffic.to + 1 : traffic.to };
  const [latencies, events, earlier] = await Promise.all([
    listLatencies(service.id, traffic, nodeId),
    listServiceEvents(service.id, shown),
    time.compare && getEarlierTraffic(service.id, traffic, nodeId, time.compare),
  ]);
  const happened = {
    ...{ events, relation, time: shown, createdAt: service.created_at },
    ...{ viewerId: account.id, now: now.getTime(), zone: account.timeZone },
  };
  const hasTraffic = isPlayed || details.wish !== "on" || traffic.nodeIds.length > 0 || time.asked.kind !== "none";
  return (
    <>
      <PageHeader
        title={<Name>{service.name}</Name>}
        back={{ href: GAME_SERVICES, label: "Game services" }}
        facts={<ServiceState status={service.status} goesOn={details.goesOn} now={now} />}
        actions={
          relation === "owner" && (
            <>
              <Switches details={details} />
              <Link className="button quiet" href={serviceAccessPath(service.id)}>
                Access
              </Link>
              <Link className="button quiet" href={serviceSettingsPath(service.id)}>
                Settings
              </Link>
            </>
          )
        }
      >
        {nextStep(details)}
      </PageHeader>
      {relation !== "owner" && <p className="soft">{REASONS[relation]}</p>}
      {service.error !== null && (
        <p className="notice danger">
          <span>
            <strong>Version {service.config_version} cannot be served:</strong> <bdi>{service.error}</bdi>
          </span>
        </p>
      )}
      <Warnings nodes={details.nodes} />
      {!isPlayed && details.wish === "on" && <FirstSteps details={details} />}
      {hasTraffic ? (
        <Traffic
          serviceId={service.id}
          createdAt={service.created_at}
          zone={account.timeZone}
          states={details.nodes}
          lane={serviceLane(happened)}
          {...{ nodeId, traffic, earlier, time, latencies, names, now }}
        />
      ) : (
        <Section id="events" title="Events">
          <ServiceEventList {...happened} />
        </Section>
      )}
      <Section id="configuration" title="Configuration">
        <Configuration details={details} now={now} />
      </Section>
      <Nodes details={details} isAdmin={account.role === "admin"} now={now} />
    </>
  );
}

/** What its owner can do with a service in one step. */
function Switches({ details: { service, wish } }: { details: ServiceDetails }) {
  if (wish === "gone") return null;
  const { id, status } = service;
  return (
    <>
      {status === "failed" && (
        <FieldsForm
          action={retryServiceAction}
          label="Try again"
          hidden={{ id }}
          submit="Try again"
          pending="Trying…"
        />
      )}
      {wish === "off" && (
        <FieldsForm
          action={setServiceWishAction}
          label="Enable the service"
          hidden={{ id, wish: "on" }}
          submit="Enable"
          pending="Enabling…"
        />
      )}
    </>
  );
}

function Configuration({ details: { service, sendsRealIps }, now }: { details: ServiceDetails; now: Date }) {
  const { id, java_hostname, origin_host, origin_port } = service;
  return (
    <Details
      rows={[
        [
          "Public hostname",
          <span key="hostname" className="row">
            <Copied id="hostname" text={java_hostname} what="the public hostname" />
            <Link className="inline-link" href={serviceDnsPath(id)}>
              Check its DNS
            </Link>
          </span>,
        ],
        [
          "Origin",
          <Name key="origin">
            <Ip ip={origin_host} />
          </Name>,
        ],
        ["Port", String(origin_port)],
        [
          "Real ips",
          sendsRealIps ? "On: the origin is told them by PROXY protocol v2" : "Off: the origin sees edge nodes",
        ],
        ["Version", String(service.config_version)],
        ["Changed", <Time key="changed" at={new Date(service.updated_at)} now={now} />],
        ["Created", <Time key="created" at={new Date(service.created_at)} now={now} />],
      ]}
    />
  );
}

/** What the owner should know of nodes that serve the service all the same. Nodes that say the same are named together. */
function Warnings({ nodes }: { nodes: readonly NodeState[] }) {
  const live = nodes.filter(({ isLive }) => isLive);
  const texts = new Set(live.flatMap(({ warning }) => warning ?? []));
  return [...texts].map((text) => (
    <p key={text} className="notice warning">
      <span>
        <strong>
          <Name>{live.flatMap(({ name, warning }) => (warning === text ? name : [])).join(", ")}</Name>:
        </strong>{" "}
        <bdi>{text}</bdi>
      </span>
    </p>
  ));
}

const NODE_COLUMNS = ["Edge node", "State", "Service", "Error"];

/** What each edge node has of the service. */
function Nodes({ details, isAdmin, now }: { details: ServiceDetails; isAdmin: boolean; now: Date }) {
  const { nodes, newest, wish } = details;
  return (
    <Section id="nodes" title="Edge nodes">
      {nodes.length === 0 ? (
        <p className="soft">No edge node reports at the moment.</p>
      ) : (
        <DataTable labelledBy="nodes" columns={NODE_COLUMNS} className={`breaks ${list.table}`}>
          {nodes.map((node) => (
            <Row key={node.id} data-node={node.id}>
              <RowTitle>
                <NameLink href={isAdmin && edgeNodePath(node.id)} name={node.name} />
              </RowTitle>
              <Cell label="State">
                {node.isLive ? (
                  "Live"
                ) : (
                  <span className="badge warning">
                    Silent
                    {node.lastHeardAt && (
                      <>
                        , last heard <Time at={node.lastHeardAt} now={now} />
                      </>
                    )}
                  </span>
                )}
              </Cell>
              <Cell label="Service" className={list.wide}>
                {describeStanding(node, newest, wish === "on")}
              </Cell>
              <Cell label="Error" className={list.wide}>
                {node.error === null ? <span className="soft">None</span> : <bdi>{node.error}</bdi>}
              </Cell>
            </Row>
          ))}
        </DataTable>
      )}
    </Section>
  );
}

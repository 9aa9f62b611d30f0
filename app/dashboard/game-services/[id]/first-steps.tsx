import { isIPv6 } from "node:net";
import { Copied } from "@/app/ui/copied";
import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Link } from "@/app/ui/link";
import { Code, Name } from "@/app/ui/name";
import { Section } from "@/app/ui/section";
import { counted } from "@/lib/format/quantities";
import type { ServiceDetails } from "@/lib/game-services/details";
import { listEnds, type NodeEnd, USUAL_PORT } from "@/lib/game-services/edges/nodes";
import { standingOf } from "@/lib/game-services/standing";
import { serviceDnsPath } from "@/lib/page-paths";
import list from "../list.module.css";

/** Seconds; short, so that a mistake is soon mended. */
const TTL = 300;
const COLUMNS = ["Record", "Name", "Value", "TTL"];

type DnsRecord = { kind: "A" | "AAAA" | "SRV"; name: string; value: string };

/** What leads from a new service to its first player. */
export async function FirstSteps({ details }: { details: ServiceDetails }) {
  const { service, nodes, newest } = details;
  const live = nodes.filter(({ isLive }) => isLive);
  const current = live.filter((node) => standingOf(node, newest) === "current").length;
  const records = recordsOf(service.java_hostname, await listEnds());
  const isFetched = live.length > 0 && current === live.length;
  return (
    <Section id="first-steps" title="Before players can join">
      <ol className={`card card-body bullets loose ${list.steps}`}>
        <li>
          {isFetched && <span className="badge good">✓ Done</span>} <strong>Fetched by edge nodes:</strong>{" "}
          {live.length === 0 ? "none reports at the moment" : `${current} of ${counted(live.length, "edge node")}`}
        </li>
        <li>
          <strong>Create these records</strong> where the DNS of {<Name>{service.java_hostname}</Name>} is managed, then{" "}
          <Link href={serviceDnsPath(service.id)}>check again</Link>.
          {records.length === 0 ? (
            <p className="soft">They are shown here once an edge node reports.</p>
          ) : (
            <DataTable labelledBy="first-steps" columns={COLUMNS} className={`breaks ${list.table}`}>
              {records.map(({ kind, name, value }, index) => (
                <Row key={`${kind} ${value}`}>
                  <RowTitle>{kind}</RowTitle>
                  <Cell label="Name" className={list.wide}>
                    <Copied id={`record-${index}-name`} text={name} what={`the name of the ${kind} record`} />
                  </Cell>
                  <Cell label="Value" className={list.wide}>
                    <Copied id={`record-${index}-value`} text={value} what={`the value of the ${kind} record`} />
                  </Cell>
                  <Cell label="TTL">{TTL}</Cell>
                </Row>
              ))}
            </DataTable>
          )}
        </li>
        <li>
          <strong>At the origin:</strong> its players come from the edge nodes’ ips, so a limit of connections by ip
          must be off: <Code>connection-throttle: -1</Code> in bukkit.yml, <Code>connection_throttle: -1</Code> in
          BungeeCord’s config.yml, <Code>login-ratelimit = 0</Code> in velocity.toml. Or switch real ips (PROXY
          protocol) on at both ends.
        </li>
        <li>
          <strong>First player seen:</strong> not yet. This page shows the first one within two minutes.
        </li>
      </ol>
    </Section>
  );
}

/** An address record for each node, and an SRV record where a node does not listen at Minecraft's own port. */
function recordsOf(hostname: string, ends: readonly NodeEnd[]): DnsRecord[] {
  const ips = [...new Set(ends.map(({ ip }) => ip))];
  const ports = [...new Set(ends.map(({ port }) => port))].filter((port) => port !== USUAL_PORT);
  return [
    ...ips.map((ip): DnsRecord => ({ kind: isIPv6(ip) ? "AAAA" : "A", name: hostname, value: ip })),
    ...ports.map((port): DnsRecord => {
      return { kind: "SRV", name: `_minecraft._tcp.${hostname}`, value: `0 5 ${port} ${hostname}.` };
    }),
  ];
}

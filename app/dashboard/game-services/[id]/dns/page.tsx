import { isIPv6 } from "node:net";
import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Ips } from "@/app/ui/ips";
import { Name } from "@/app/ui/name";
import { PageHeader } from "@/app/ui/page-header";
import { Section } from "@/app/ui/section";
import { lookUp, pointingText, RECORD_KINDS, type RecordKind, type SrvRecord } from "@/lib/game-services/dns-hint";
import { listEnds, type NodeEnd, USUAL_PORT } from "@/lib/game-services/edges/nodes";
import { servicePath } from "@/lib/page-paths";
import { serviceMetadata, visibleService } from "../own-service";

const COLUMNS = ["Record", "Now", "Should be"];

export const generateMetadata = serviceMetadata((name) => `DNS of ${name}`);

/** What the public hostname resolves to now, and what it should. */
export default async function Page({ params }: PageProps<"/dashboard/game-services/[id]/dns">) {
  const { service, account } = await visibleService((await params).id);
  const [records, ends] = await Promise.all([lookUp(account.id, service.java_hostname), listEnds()]);
  const wanted = wantedRecords(ends);
  return (
    <main id="main" className="page parts">
      <PageHeader title="DNS of" of={{ name: service.name, href: servicePath(service.id) }}>
        {records === null
          ? "Many names are looked up at the moment. Reload the page in a few seconds."
          : pointingText(service.java_hostname, records, ends)}
      </PageHeader>
      <Section id="records" title={<Name>{service.java_hostname}</Name>}>
        <DataTable labelledBy="records" columns={COLUMNS}>
          {RECORD_KINDS.map((kind) => (
            <Row key={kind}>
              <RowTitle>{kind}</RowTitle>
              <Cell label="Now">{nowText(records?.[kind])}</Cell>
              <Cell label="Should be">{wanted[kind]}</Cell>
            </Row>
          ))}
        </DataTable>
        <p className="hint">
          The ips are those of the edge nodes that report now. This page asks DNS once, from the console; a change takes
          some time to reach everybody.
        </p>
      </Section>
    </main>
  );
}

function wantedRecords(ends: readonly NodeEnd[]): Record<RecordKind, React.ReactNode> {
  const ips = [...new Set(ends.map(({ ip }) => ip))];
  const ports = [...new Set(ends.map(({ port }) => port))].filter((port) => port !== USUAL_PORT);
  const v4 = ips.filter((ip) => !isIPv6(ip));
  const v6 = ips.filter((ip) => isIPv6(ip));
  return {
    A: v4.length > 0 ? <Ips ips={v4} /> : "Not needed",
    AAAA: v6.length > 0 ? <Ips ips={v6} /> : "Not needed",
    CNAME: "Not needed; or a name with these ips",
    SRV: ports.length > 0 ? `This name, port ${ports.join(" or ")}` : `Not needed; or this name, port ${USUAL_PORT}`,
  };
}

function nowText(found: (string | SrvRecord)[] | null | undefined): React.ReactNode {
  if (found == null) return <span className="soft">No answer</span>;
  if (found.length === 0) return <span className="soft">None</span>;
  return <Ips ips={found.map((one) => (typeof one === "string" ? one : `${one.name}, port ${one.port}`))} />;
}

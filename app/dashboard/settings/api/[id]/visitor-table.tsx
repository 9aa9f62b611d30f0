import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Ip } from "@/app/ui/ip";
import { Time } from "@/app/ui/time";
import type { Visitor } from "@/lib/tokens/activity";
import { programName } from "../list/program-name";
import styles from "./visitor-table.module.css";

type Props = {
  labelledBy: string;
  visitors: readonly Visitor[];
  /** With how many requests each sent. */
  hasRequests?: boolean;
  now: Date;
};

const COLUMNS = ["IP", "Program", "First seen", "Last seen"];

/** Ips, each with the program that it said it was, and what is new among them. */
export function VisitorTable({ labelledBy, visitors, hasRequests = false, now }: Props) {
  return (
    <DataTable
      labelledBy={labelledBy}
      columns={[...COLUMNS, ...(hasRequests ? [{ title: "Requests", isNumber: true }] : [])]}
      className={`breaks ${styles.table}`}
    >
      {visitors.map(({ ip, agent, firstSeenAt, lastSeenAt, requests, isNew }) => (
        <Row key={ip}>
          <RowTitle className="mono whole">
            <Ip ip={ip} /> {isNew && <span className="badge warning">New</span>}
          </RowTitle>
          <Cell title={agent ?? undefined}>{programName(agent) ?? "Unknown"}</Cell>
          <Cell label="First seen">{firstSeenAt ? <Time at={firstSeenAt} now={now} /> : "–"}</Cell>
          <Cell label="Last seen">
            <Time at={lastSeenAt} now={now} />
          </Cell>
          {hasRequests && (
            <Cell label="Requests" isNumber>
              {requests?.toLocaleString("en") ?? "–"}
            </Cell>
          )}
        </Row>
      ))}
    </DataTable>
  );
}

import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Time } from "@/app/ui/time";
import type { Visitor } from "@/lib/tokens/activity";
import { programName } from "../list/program-name";
import styles from "./visitors.module.css";

/** The last different ips that a token came from, each with the program that it said it was. */
export function Visitors({ visitors, now }: { visitors: readonly Visitor[]; now: Date }) {
  if (visitors.length === 0) return <p className="soft">No request has been seen yet.</p>;
  return (
    <DataTable
      labelledBy="visitors"
      columns={[{ title: "IP" }, { title: "Program" }, { title: "Last seen" }]}
      className={styles.table}
    >
      {visitors.map(({ ip, agent, lastSeenAt }) => (
        <Row key={ip}>
          <RowTitle className="mono">{ip}</RowTitle>
          <Cell title={agent ?? undefined}>{programName(agent) ?? "Unknown"}</Cell>
          <Cell>
            <Time at={lastSeenAt} now={now} />
          </Cell>
        </Row>
      ))}
    </DataTable>
  );
}

import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Ip } from "@/app/ui/ip";
import { Time } from "@/app/ui/time";
import type { Visitor } from "@/lib/tokens/activity";
import { programName } from "../list/program-name";
import styles from "./visitors.module.css";

type Props = { labelledBy: string; visitors: readonly Visitor[]; now: Date };

/** Ips, each with the program that it said it was. */
export function Visitors({ labelledBy, visitors, now }: Props) {
  return (
    <DataTable
      labelledBy={labelledBy}
      columns={[{ title: "IP" }, { title: "Program" }, { title: "Last seen" }]}
      className={styles.table}
    >
      {visitors.map(({ ip, agent, lastSeenAt }) => (
        <Row key={ip}>
          <RowTitle className="mono">
            <Ip ip={ip} />
          </RowTitle>
          <Cell title={agent ?? undefined}>{programName(agent) ?? "Unknown"}</Cell>
          <Cell>
            <Time at={lastSeenAt} now={now} />
          </Cell>
        </Row>
      ))}
    </DataTable>
  );
}

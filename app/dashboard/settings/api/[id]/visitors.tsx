import { Time } from "@/app/ui/time";
import type { Visitor } from "@/lib/tokens/activity";
import { programName } from "../list/program-name";
import styles from "./visitors.module.css";

/** The last different ips that a token came from, each with the program that it said it was. */
export function Visitors({ visitors, now }: { visitors: readonly Visitor[]; now: Date }) {
  if (visitors.length === 0) return <p className="soft">No request has been seen yet.</p>;
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">IP</th>
          <th scope="col">Program</th>
          <th scope="col">Last seen</th>
        </tr>
      </thead>
      <tbody>
        {visitors.map(({ ip, agent, lastSeenAt }) => (
          <tr key={ip}>
            <th scope="row" className="mono">
              {ip}
            </th>
            <td title={agent ?? undefined}>{programName(agent) ?? "Unknown"}</td>
            <td>
              <Time at={lastSeenAt} now={now} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

import type { Sql } from "./run-sql";

/** Columns with the times of events and notices. What lies `ms` farther back is as if so much time had passed. */
const TIMES: Readonly<Record<string, readonly string[]>> = {
  events: ["started_at", "ended_at"],
  service_events: ["started_at", "ended_at"],
  token_events: ["started_at", "ended_at"],
  server_snoozes: ["until", "created_at"],
  maintenance_times: ["started_at", "ended_at"],
  notice_incidents: ["started_at", "ended_at", "told_at", "look_at"],
  notices: ["created_at"],
  notice_deliveries: ["due_at", "attempt_at", "leased_until", "ended_at"],
  notice_channels: ["confirmed_at", "failing_since", "off_at"],
};

/** Lets time pass for the notices of a database: they go by the database's clock, which nobody sets. */
export async function letPass(sql: Sql, ms: number): Promise<void> {
  const statements = Object.entries(TIMES).map(([table, columns]) => {
    const set = columns.map((column) => `${column} = ${column} - interval '${Math.round(ms)} ms'`).join(", ");
    return `update ${table} set ${set}`;
  });
  await sql(statements.join(";\n"));
}

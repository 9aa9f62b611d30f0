import { execute } from "@/lib/database/run-statement";
import { names, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";

const s = table("Server", "s");
const t = table("TelemetrySample", "t");

/** What `servers.latest_sample` holds of a row `t` of telemetry_samples; the trigger that keeps it says the same. */
export const LATEST_SAMPLE = `(to_jsonb(t) - '{${t.serverId.name},${t.ts.name}}'::text[])::json`;

// Raw, because the row of a table becomes JSON.
const FIND_AGAIN = statement({ id: s.id }, ({ id }) => ({
  sql: `update ${s} set (${names(s.latestSampleAt, s.latestSample)}) = (
      select ${t.ts}, ${LATEST_SAMPLE} from ${t} where ${t.serverId} = ${s.id} order by ${t.ts} desc limit 1)
    where ${s.id} = ${id}`,
}));

/** Sets the latest sample to the newest stored one. Needed after an operator has deleted wrong samples. */
export async function findLatestSampleAgain(serverId: number): Promise<void> {
  await execute(FIND_AGAIN, { id: serverId });
}

import type { GameService, MetricSeries } from "@/lib/api/schemas";
import { databaseNow } from "@/lib/database/clock";
import { query } from "@/lib/database/run-statement";
import { distinctOn, jsonArray, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { MINUTE } from "@/lib/format/time";
import { ownedOrGrantedTo } from "@/lib/game-services/game-services";
import { INTERVAL } from "@/lib/game-services/metrics";

/** A service in a glance: its state, and what each edge node last counted. */
export type ServiceReading = Pick<GameService, "id" | "name" | "status" | "java_hostname" | "config_version"> & {
  intervals: MetricSeries["series"];
};

/** How far back the newest interval of a node is looked for. Older intervals do not describe the present. */
const READING_WINDOW = 10 * MINUTE;

const s = table("GameService", "s");
const m = table("MetricSample", "m");

// Raw, and with the same rule as the list. PostgreSQL writes the JSON of the intervals.
const READINGS = statement({ accountId: s.accountId, after: m.ts, until: m.ts }, ({ accountId, after, until }) =>
  select(
    {
      id: s.id,
      name: s.name,
      status: s.status,
      java_hostname: s.javaHostname,
      config_version: s.configVersion,
      intervals: jsonArray(
        distinctOn(
          m.nodeId,
          select(
            INTERVAL,
            `from ${m} where ${m.serviceId} = ${s.id} and ${m.ts} > ${after} and ${m.ts} <= ${until}
            order by ${m.nodeId}, ${m.ts} desc`,
          ),
        ),
      ),
    },
    `from ${s} where ${ownedOrGrantedTo(accountId)} order by ${s.id}`,
  ),
);

/** The services that endpoint 5 lists, by id, each with the newest interval of every node, in one statement. */
export async function listServiceReadings(accountId: number): Promise<ServiceReading[]> {
  const now = databaseNow().getTime();
  const rows = await query(READINGS, { accountId, after: new Date(now - READING_WINDOW), until: new Date(now) });
  return rows.map((row) => ({ ...row, intervals: JSON.parse(row.intervals) }));
}

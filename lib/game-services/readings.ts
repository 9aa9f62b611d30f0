import type { GameService, MetricSeries } from "@/lib/api/schemas";
import { db } from "@/lib/database/client";
import { ownedOrGrantedTo } from "@/lib/game-services/game-services";
import { MINUTE } from "@/lib/time";

/** A service in a glance: its state, and what each edge node last counted. */
export type ServiceReading = Pick<GameService, "id" | "name" | "status" | "java_hostname" | "config_version"> & {
  intervals: MetricSeries["series"];
};

/** How far back the newest interval of a node is looked for: whoever said nothing for longer says nothing now. */
const READING_WINDOW = 10 * MINUTE;

/** The services that endpoint 5 lists, by id, each with the newest interval of every node, in one statement. */
export async function listServiceReadings(accountId: number): Promise<ServiceReading[]> {
  const now = Date.now();
  const rows = await db.$queryRaw<(Omit<ServiceReading, "intervals"> & { intervals: string })[]>`
    select s.id, s.name, s.status::text as status, s.java_hostname, s.config_version, (
      select coalesce(json_agg(i order by i.node_id), '[]')::text from (
        select distinct on (m.node_id) (extract(epoch from m.ts) * 1000)::bigint as ts, m.node_id, m.packets, m.bytes,
          m.dropped, m.connections, m.latency_ms
        from metric_samples m
        where m.service_id = s.id and m.ts > ${new Date(now - READING_WINDOW)} and m.ts <= ${new Date(now)}
        order by m.node_id, m.ts desc) i) as intervals
    from game_services s
    where ${ownedOrGrantedTo(accountId)}
    order by s.id`;
  return rows.map((row) => ({ ...row, intervals: JSON.parse(row.intervals) }));
}

import { query } from "@/lib/database/run-statement";
import { type Sql, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { HOUR, MINUTE } from "@/lib/format/time";
import { COUNTERS, type Counter } from "@/lib/game-services/counters";

/** A counter over this many times the median of the service's other nodes in the same minute is marked. */
export const FAR_ABOVE = 10;
/** A smaller median counts as this much, so that one player at night marks no node. */
const SMALLEST_MEDIAN: Readonly<Record<Counter, number>> = {
  connections: 100,
  packets: 10_000,
  bytes: 1_000_000,
  dropped: 100,
};

/** What a page compares at most, so that it opens within a second however many services and nodes there are. */
const MOST_INTERVALS = 200_000;
const LONGEST = HOUR;
/** Of the minutes of services in which the values lie far apart, those in which they lie furthest apart. */
const MOST_MINUTES = 1000;

/** The counter of a node that lies furthest above the median of the other nodes of its service. */
export type Outlier = {
  nodeId: number;
  serviceId: number;
  ts: number;
  counter: Counter;
  value: number;
  median: number;
};

const s = table("GameService", "s");
const m = table("MetricSample", "m");

/** How often the smallest value of a minute goes into the largest. No value is further above a median. */
const spread = (counter: Counter) =>
  `max(${m[counter]})::float8 / greatest(min(${m[counter]}), ${SMALLEST_MEDIAN[counter]})`;
/** What stands in the middle of the others for a value of the upper half: its own place does not move it. */
const medianOfOthers = (counter: Counter) =>
  `((array_agg(${m[counter]} order by ${m[counter]}))[count(*) / 2]
    + (array_agg(${m[counter]} order by ${m[counter]}))[(count(*) + 1) / 2]) / 2.0`;
const compared = COUNTERS.map(
  (counter) => `('${counter}', ${m[counter]}::float8, typical.${counter}::float8, ${SMALLEST_MEDIAN[counter]})`,
);

// Raw: medians of very many rows. Sorting every minute would take ten times as long as finding those in which the values lie
// far apart. The lateral joins read each service by its key; a condition on the time alone would read whole days.
const OUTLIERS = statement(
  { after: m.ts },
  ({ after }): Sql<Outlier> => ({
    sql: `select distinct on (${m.nodeId}) ${m.nodeId} as "nodeId", ${m.serviceId} as "serviceId",
      floor(extract(epoch from ${m.ts}) * 1000)::float8 as ts, worst.counter, worst.value, worst.median
    from (
      select ${s.id}, minute.ts from ${s} cross join lateral (
        select ${m.ts}, greatest(${COUNTERS.map(spread).join(", ")}) as spread
        from ${m} where ${m.serviceId} = ${s.id} and ${m.ts} > ${after} group by ${m.ts}) minute
      where minute.spread > ${FAR_ABOVE} order by minute.spread desc limit ${MOST_MINUTES}
    ) apart cross join lateral (
      select ${COUNTERS.map((counter) => `${medianOfOthers(counter)} as ${counter}`).join(", ")}
      from ${m} where ${m.serviceId} = apart.id and ${m.ts} = apart.ts
    ) typical
    join ${m} on ${m.serviceId} = apart.id and ${m.ts} = apart.ts
    cross join lateral (values ${compared.join(", ")}) as worst (counter, value, median, least)
    where worst.value > ${FAR_ABOVE} * greatest(worst.median, worst.least)
    order by ${m.nodeId}, worst.value / greatest(worst.median, worst.least) desc, ${m.ts} desc, ${m.serviceId}`,
  }),
);

/**
 * Finds the nodes whose counters lie far above those of the other nodes of a service in the same minute, in the last
 * `minutes`: an hour, or less where that would be too many intervals. `perMinute` is how many intervals a minute has.
 */
export async function listOutliers(
  perMinute: number,
  now: Date,
): Promise<{ minutes: number; byNode: ReadonlyMap<number, Outlier> }> {
  const minutes = Math.min(LONGEST / MINUTE, Math.max(2, Math.floor(MOST_INTERVALS / Math.max(1, perMinute))));
  const rows = await query(OUTLIERS, { after: new Date(now.getTime() - minutes * MINUTE) });
  return { minutes, byNode: new Map(rows.map((row) => [row.nodeId, row])) };
}

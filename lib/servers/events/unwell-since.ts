import { query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";
import { type Conditions, WELL_FOR } from "@/lib/servers/events/conditions";
import { RECORDED_SINCE } from "@/lib/servers/events/presence";
import type { HealthLevel } from "@/lib/servers/health-level";

/**
 * Since when a server is not well, and how it has been rated since: `healthy` of one whose score is, but not each component. `at`:
 * since then (epoch ms), as its events say. `before`: since a time before that, of which no events are recorded. `always`: it has
 * never been well for ten minutes.
 */
export type Since = { kind: "at" | "before" | "always"; at: number; level: HealthLevel };

const s = table("Server", "s");

// Raw, because what is recorded of the servers and since when are one statement.
const FOLLOWED = statement({ ids: parameter<readonly number[]>("int[]") }, ({ ids }) =>
  select(
    {
      id: s.id,
      conditions: new Expression<Conditions | null>(s.conditions.sql),
      heardSince: new Expression<Date>(`coalesce(${s.firstSeenAt}, ${s.createdAt})`, "instant"),
      recordedSince: RECORDED_SINCE,
    },
    `from ${s} where ${s.id} = any(${ids}) and ${s.conditions} is not null`,
  ),
);

/** Since when servers are not well that are not rated well now; without those of which their samples did not tell it. */
export async function listUnwellSince(serverIds: readonly number[]): Promise<Map<number, Since>> {
  if (serverIds.length === 0) return new Map();
  const rows = await query(FOLLOWED, { ids: serverIds });
  return new Map(
    rows.flatMap(({ id, conditions, heardSince, recordedSince }) => {
      const run = runOf(conditions ?? {});
      if (!run) return [];
      const isRecorded = recordedSince !== null && run.at >= recordedSince + WELL_FOR;
      const kind = run.at < heardSince + WELL_FOR ? "always" : isRecorded ? "at" : "before";
      return [[id, { ...run, kind } as const] as const];
    }),
  );
}

const e = table("ServerEvent", "e");
/** Of each server the latest events that are looked at: a page has 150 servers, each with up to 10,000 events. */
const LOOKED_AT = 40;

// Raw, because the typed client cannot bound what is read of each server.
const LAST_RESTARTS = statement({ ids: parameter<readonly number[]>("int[]"), since: e.startedAt }, ({ ids, since }) =>
  select(
    { id: s.id, at: new Expression<Date>(`max(${e.startedAt})`, "instant") },
    `from ${s} cross join lateral (
      select * from ${e} where ${e.serverId} = ${s.id} order by ${e.startedAt} desc limit ${LOOKED_AT}) e
    where ${s.id} = any(${ids}) and ${e.kind} = 'rebooted' and ${e.startedAt} >= ${since} group by ${s.id}`,
  ),
);

/** When servers restarted last, of the last 24 hours (epoch ms). */
export async function listLastRestarts(serverIds: readonly number[], now: number): Promise<Map<number, number>> {
  if (serverIds.length === 0) return new Map();
  const rows = await query(LAST_RESTARTS, { ids: serverIds, since: new Date(now - DAY) });
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** What goes on, as the lane of events says it; before it is told, what will be if it holds. */
function runOf({ critical, strained, unwell }: Conditions): Pick<Since, "at" | "level"> | null {
  if (critical?.told !== undefined) return { level: "critical", at: critical.told };
  if (strained?.told !== undefined) return { level: "strained", at: strained.told };
  if (critical?.is) return { level: "critical", at: critical.since };
  if (strained?.is) return { level: "strained", at: strained.since };
  return unwell ? { level: "healthy", at: unwell.told ?? unwell.since } : null;
}

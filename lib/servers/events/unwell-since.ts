import { db } from "@/lib/database/client";
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

/** An outage that ended in the last day and began before that is not looked for: the index is by beginnings. */
const LONGEST_OUTAGE = 31 * DAY;

/** When the last outage or restart of servers was over, of the last 24 hours (epoch ms). */
export async function listLastBreaks(serverIds: readonly number[], now: number): Promise<Map<number, number>> {
  if (serverIds.length === 0) return new Map();
  const rows = await db.serverEvent.groupBy({
    by: ["serverId"],
    where: {
      serverId: { in: [...serverIds] },
      kind: { in: ["offline", "rebooted"] },
      startedAt: { gte: new Date(now - LONGEST_OUTAGE) },
      endedAt: { gte: new Date(now - DAY) },
    },
    _max: { endedAt: true },
  });
  return new Map(rows.map(({ serverId, _max: { endedAt } }) => [serverId, Number(endedAt)]));
}

/** What goes on, as the lane of events says it; before it is told, what will be if it holds. */
function runOf({ critical, strained, unwell }: Conditions): Pick<Since, "at" | "level"> | null {
  if (critical?.told !== undefined) return { level: "critical", at: critical.told };
  if (strained?.told !== undefined) return { level: "strained", at: strained.told };
  if (critical?.is) return { level: "critical", at: critical.since };
  if (strained?.is) return { level: "strained", at: strained.since };
  return unwell ? { level: "healthy", at: unwell.told ?? unwell.since } : null;
}

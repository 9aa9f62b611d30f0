import { randomUUID } from "node:crypto";
import type { Prisma } from "@/lib/database/client";
import { execute, query } from "@/lib/database/run-statement";
import { parameter, type Sql, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { HOUR, MINUTE } from "@/lib/format/time";

// A row in the database lets one instance sweep at a time. A session lock would fail behind a pooler that shares
// connections and on the embedded database. Times come from the database, because the clocks of instances may differ.

/** The name of the sweep of all instances. */
export const HOURLY = "hourly";
/** The time between the beginnings of two sweeps. */
const EVERY = HOUR;
/** How long a lease holds without renewal. An instance that dies during a sweep blocks the others for this long. */
const LEASE = 2 * MINUTE;

export type Lease = {
  /** Extends the lease. False when it ran out and another instance took over. */
  renew(): Promise<boolean>;
  /** Returns the lease and stores the report. */
  finish(report: SweepReport): Promise<void>;
};

/** What a sweep did: rows and days by name, seconds, and the names of the steps that failed. */
export type SweepReport = { counts: Record<string, number>; seconds: number; failed: string[] };

const w = table("Sweep", "w");
const excluded = table("Sweep", "excluded");
const seconds = parameter<number>("float8");
const inSeconds = (seconds: string) => `now() + ${seconds} * interval '1 s'`;

// Raw, because one conditional update decides which instance gets the lease.
const BEGIN = statement(
  { name: w.name, holder: w.holder, lease: seconds, every: seconds },
  ({ name, holder, lease, every }): Sql<{ name: string }> => ({
    sql: `insert into sweeps as w (name, holder, leased_until, started_at)
    values (${name}, ${holder}, ${inSeconds(lease)}, now())
    on conflict (name) do update set
      holder = ${excluded.holder}, leased_until = ${excluded.leasedUntil}, started_at = ${excluded.startedAt}
    where (${w.holder} is null or ${w.leasedUntil} < now())
      and (${w.finishedAt} is null or ${w.startedAt} <= now() - ${every} * interval '1 s' or ${w.holder} is not null)
    returning ${w.name} as "name"`,
  }),
);

const RENEW = statement({ name: w.name, holder: w.holder, lease: seconds }, ({ name, holder, lease }) => ({
  sql: `update ${w} set leased_until = ${inSeconds(lease)} where ${w.name} = ${name} and ${w.holder} = ${holder}`,
}));

const FINISH = statement(
  { name: w.name, holder: w.holder, report: parameter<string>("jsonb") },
  ({ name, holder, report }) => ({
    sql: `update ${w} set holder = null, leased_until = now(), finished_at = now(), report = ${report}
    where ${w.name} = ${name} and ${w.holder} = ${holder}`,
  }),
);

/** Takes the lease if a sweep is due, or at once with "now". Null: none is due, or another instance is sweeping. */
export async function takeLease(when: "if-due" | "now", name = HOURLY): Promise<Lease | null> {
  const holder = randomUUID();
  const lease = LEASE / 1000;
  const every = when === "now" ? 0 : EVERY / 1000;
  if ((await query(BEGIN, { name, holder, lease, every })).length === 0) return null;
  return {
    renew: async () => (await execute(RENEW, { name, holder, lease })) === 1,
    async finish(report) {
      const row = { ...report.counts, seconds: report.seconds, failed: report.failed } satisfies Prisma.InputJsonObject;
      await execute(FINISH, { name, holder, report: JSON.stringify(row) });
    },
  };
}

import { randomUUID } from "node:crypto";
import type { Prisma } from "@/lib/database/client";
import { execute, query } from "@/lib/database/run-statement";
import { parameter, type Sql, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { HOUR, MINUTE } from "@/lib/time";

// One instance at a time, by a row: a lock of a session would not hold behind a pooler that shares connections, nor on
// the embedded database. The clock is the database's: those of the instances may differ.

const HOURLY = "hourly";
/** From the beginning of one to the beginning of the next. */
const EVERY = HOUR;
/** An instance that has died in the middle of it holds up the others for this long. */
const LEASE = 2 * MINUTE;

export type Lease = {
  /** False when another instance has taken over, which it may once the lease has run out. */
  renew(): Promise<boolean>;
  /** Gives the lease back, and keeps what was done. */
  finish(report: SweepReport): Promise<void>;
};

/** What a sweep did: rows and days by name, seconds, and the names of the steps that failed. */
export type SweepReport = { counts: Record<string, number>; seconds: number; failed: string[] };

const w = table("Sweep", "w");
const excluded = table("Sweep", "excluded");
const seconds = parameter<number>("float8");
const inSeconds = (given: string) => `now() + ${given} * interval '1 s'`;

// Raw, because who comes first is decided by the row itself.
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

/** The lease of a sweep that is due, or of one at once; null when it is not due, or another instance is at work. */
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

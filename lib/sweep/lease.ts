import { randomUUID } from "node:crypto";
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

export type Lease = NonNullable<Awaited<ReturnType<typeof takeLease>>>;

/** What a sweep did: rows and days by name, seconds, and the names of the steps that failed. */
export type SweepReport = { counts: Record<string, number>; seconds: number; failed: string[] };

const w = table("Sweep", "w");
const excluded = table("Sweep", "excluded");
const LEASED_UNTIL = `now() + interval '${LEASE} ms'`;

// Raw, because one conditional update decides which instance gets the lease.
const BEGIN = statement(
  { name: w.name, holder: w.holder, isForced: parameter<boolean>("boolean") },
  ({ name, holder, isForced }): Sql<{ name: string }> => ({
    sql: `insert into sweeps as w (name, holder, leased_until, started_at)
    values (${name}, ${holder}, ${LEASED_UNTIL}, now())
    on conflict (name) do update set
      holder = ${excluded.holder}, leased_until = ${excluded.leasedUntil}, started_at = ${excluded.startedAt}
    where (${w.holder} is null or ${w.leasedUntil} < now())
      and (${isForced} or ${w.finishedAt} is null or ${w.holder} is not null
        or ${w.startedAt} <= now() - interval '${EVERY} ms')
    returning ${w.name} as "name"`,
  }),
);

const RENEW = statement({ name: w.name, holder: w.holder }, ({ name, holder }) => ({
  sql: `update ${w} set leased_until = ${LEASED_UNTIL} where ${w.name} = ${name} and ${w.holder} = ${holder}`,
}));

const FINISH = statement(
  { name: w.name, holder: w.holder, report: parameter<string>("jsonb") },
  ({ name, holder, report }) => ({
    sql: `update ${w} set holder = null, leased_until = now(), finished_at = now(), report = ${report}
    where ${w.name} = ${name} and ${w.holder} = ${holder}`,
  }),
);

/** Takes the lease if a sweep is due, or at once with "now". Null: none is due, or another instance is sweeping. */
export async function takeLease(when: "if-due" | "now", name = HOURLY) {
  const holder = randomUUID();
  if ((await query(BEGIN, { name, holder, isForced: when === "now" })).length === 0) return null;
  return {
    /** Extends the lease. False when it ran out and another instance took over. */
    renew: async () => (await execute(RENEW, { name, holder })) === 1,
    /** Returns the lease and stores the report. */
    async finish({ counts, ...rest }: SweepReport): Promise<void> {
      await execute(FINISH, { name, holder, report: JSON.stringify({ ...counts, ...rest }) });
    },
  };
}

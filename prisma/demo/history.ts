import { listDays, makeDay } from "@/lib/database/partitions";
import { execute, query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY, MINUTE } from "@/lib/format/time";
import { presentScore, rateSample } from "@/lib/servers/health-score";
import { HISTORY_MEASURES, rolledUpRows, rolledUpValues } from "@/lib/servers/telemetry/measurements";
import type { Machine } from "./data";
import { isOfFullness, type Moment, sampleAt } from "./machines";

// What machines have reported, as series of rows. Whatever happens again and again does so at minutes since the
// epoch that divide by a number, so each statement can be run for any time, and again.

/** A machine in this database. It reports until it has stopped. */
export type DemoMachine = { id: number; machine: Machine; until: Date | null };
export type Period = { from: Date; until: Date };

/** In minutes: from one silence to the next, and how long it lasts; between two restarts; until the leaked memory is full. */
const SILENT = { every: 97, lasts: 6 };
const RESTARTS = 9 * 60;
const LEAKS = 3 * 60;
/** In milliseconds. */
export const RESTARTS_EVERY = RESTARTS * MINUTE;
export const LEAKS_EVERY = LEAKS * MINUTE;

export const json = parameter<string>("json");
export const PERIOD = { from: parameter<Date>("timestamptz"), until: parameter<Date>("timestamptz") };
const STEP = { ...PERIOD, step: parameter<string>("interval") };

/** SQL: whole minutes since the epoch. */
export const minuteOf = (time: string) => `floor(extract(epoch from ${time}) / 60)::int`;
/** SQL: 0 at eight in the morning, 1 at eight in the evening, so many hours ahead of UTC. */
export const evening = (time: string, offset: string) =>
  `((1 + cos((extract(epoch from ${time})::float8 / 3600 + ${offset} - 20) / 12 * pi())) / 2)`;

const machinesOf = (list: string) =>
  `json_to_recordset(${list}) as m (id int, stops timestamptz, restarts boolean, leaks boolean, quiet float8[], busiest float8[], scores int[])`;
// How busy and how full each machine is, 0 to 1, at the moments at which its daemon says something.
const moments = ({ machines, from, until, step }: Record<"machines" | keyof typeof STEP, string>) => `(
  select m.*, at,
    0.5 * ${evening("at", "1")} + 0.35 * wave + 0.15 * random() as busy,
    case when leaks then minute % ${LEAKS} / ${LEAKS}.0 else (1 + sin(minute / 900.0 + id)) / 2 end as filled
  from ${machinesOf(machines)}, generate_series(${from}, least(${until}, stops), ${step}) as at,
    lateral (select ${minuteOf("at")} as minute) as clock,
    lateral (select (1 + sin(minute / 23.0 + id) * sin(minute / 61.0 + 2 * id)) / 2 as wave) as curve
  where at < ${until} and not (restarts and minute % ${SILENT.every} < ${SILENT.lasts})) as moments`;

const MOMENT = statement({ machines: json, ...STEP }, (given) =>
  select({ busy: new Expression<number>("busy"), filled: new Expression<number>("filled") }, `from ${moments(given)}`),
);

/** How busy and full a machine is at that time (epoch ms). Undefined while its daemon is silent. */
export async function momentOf(machine: DemoMachine, at: number): Promise<Moment | undefined> {
  const period = { from: new Date(at), until: new Date(at + 1), step: "1 minute" };
  const [moment] = await query(MOMENT, { machines: JSON.stringify([rowOf(machine)]), ...period });
  return moment;
}

const t = table("TelemetrySample", "t");
const h = table("TelemetryHour", "h");

/** A score is looked up among those of so many steps from quiet to busy, or from empty to full memory. */
const STEPS = 20;
const followed = rolledUpRows.map(({ measurement, measure }, index) => ({
  name: t[measure].name,
  value: `quiet[${index + 1}] + (busiest[${index + 1}] - quiet[${index + 1}]) * ${isOfFullness(measurement) ? "filled" : "busy"}`,
}));
const SAMPLES = statement({ machines: json, ...STEP }, (given) => ({
  sql: `insert into telemetry_samples (server_id, at, score, ${followed.map(({ name }) => name).join(", ")})
    select id, at, scores[1 + round(case when leaks then filled else busy end * ${STEPS})::int], ${followed.map(({ value }) => value).join(", ")}
    from ${moments(given)} on conflict do nothing`,
}));

const bands = HISTORY_MEASURES.flatMap((measure) =>
  (["Min", "Avg", "Max"] as const).map((of) => [h[`${measure}${of}`].name, `${of}(${t[measure]})`] as const),
);
// Each hour of the clock in that time, as its samples are. One that check-ins have begun goes on by them alone.
const HOURS = statement({ machines: json, ...PERIOD }, ({ machines, from, until }) => ({
  sql: `insert into telemetry_hours (server_id, hour, seen, samples, reboots, oom_kills, oom_at, ${bands.map(([name]) => name).join(", ")})
    select id, hour, bit_or(1::bigint << extract(minute from ${t.at})::int), count(*),
      (restarts and ${minuteOf("hour")} % ${RESTARTS} = 0)::int, (leaks and ${minuteOf("hour")} % ${LEAKS} = 0)::int,
      case when leaks and ${minuteOf("hour")} % ${LEAKS} = 0 then hour end, ${bands.map(([, value]) => value).join(", ")}
    from ${machinesOf(machines)}, generate_series(date_bin('1 hour', ${from}, 'epoch'), ${until} - interval '1 second', '1 hour') as hour, ${t}
    where ${t.serverId} = id and ${t.at} >= hour and ${t.at} < hour + interval '1 hour' group by id, hour, restarts, leaks
    on conflict do nothing`,
}));

const EVENTS = statement({ machines: json, ...PERIOD }, ({ machines, from, until }) => ({
  sql: `insert into events (subject, subject_id, account_id, kind, started_at, ended_at, facts, notice_due)
    select 'server', s.id, s.account_id, kind, at + begins, at + ends, e.facts, false
    from ${machinesOf(machines)} join servers s on s.id = m.id, (values
        ('offline', true, false, interval '${SILENT.every} minutes', interval '2 minutes', interval '${SILENT.lasts} minutes', '{}'::jsonb),
        ('rebooted', true, false, interval '${RESTARTS} minutes', interval '0', interval '0', '{}'),
        ('process_killed', false, true, interval '${LEAKS} minutes', interval '0', interval '0', '{"count":1}')
      ) as e (kind, of_restarts, of_leaks, step, begins, ends, facts),
      generate_series(date_bin(step, ${from}, 'epoch') + step, ${until}, step) as at
    where at + ends < ${until} and (restarts and of_restarts or leaks and of_leaks)
    on conflict do nothing`,
}));

/** Writes what machines measured in a time, every so often, with its hours. What is there already stays. */
export async function writeSamples(machines: readonly DemoMachine[], period: Period, step = "1 minute"): Promise<void> {
  const days = await listDays("telemetry_samples");
  for (let day = Math.floor(period.from.getTime() / DAY) * DAY; day < period.until.getTime(); day += DAY) {
    if (!days.some(({ end }) => end === day + DAY)) await makeDay("telemetry_samples", day);
  }
  const rows = JSON.stringify(machines.map(rowOf));
  await execute(SAMPLES, { machines: rows, ...period, step });
  await execute(HOURS, { machines: rows, ...period });
}

/** Writes what happened to machines in a time. */
export async function writeEvents(machines: readonly DemoMachine[], period: Period): Promise<void> {
  await execute(EVENTS, { machines: JSON.stringify(machines.map(rowOf)), ...period });
}

/** A machine as statements read it. */
function rowOf({ id, machine, until }: DemoMachine) {
  const [restarts, leaks] = [machine.habit === "falls silent and restarts", machine.habit === "leaks memory"];
  const calm = { coveragePct: restarts ? 93.8 : 100, reboots: restarts ? 3 : 0, oomKills: leaks ? 8 : 0 };
  const scores = Array.from({ length: STEPS + 1 }, (_, step) => {
    const part = step / STEPS;
    const sample = sampleAt(machine, leaks ? { busy: 0.5, filled: part } : { busy: part, filled: 0.5 });
    // Its last process was killed when the memory was full.
    const lastOomAt = leaks ? -part * LEAKS_EVERY : null;
    const stability = { ...calm, failedUnits: machine.failedUnits, lastOomAt };
    const rated = rateSample({ ...sample, ts: 0 }, machine.facts.cores, stability);
    return presentScore({ rated, sampledAt: 0, lastSeenAt: 0 }, 0).score;
  });
  const valuesAt = (part: number) => Object.values(rolledUpValues(sampleAt(machine, { busy: part, filled: part })));
  return { id, stops: until, restarts, leaks, quiet: valuesAt(0), busiest: valuesAt(1), scores };
}

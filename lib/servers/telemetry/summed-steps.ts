import { query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY, HOUR, MINUTE, SECOND, startOfHour } from "@/lib/format/time";
import { type Bands, type HistoryMeasure, parseBands, type SerializedBands } from "@/lib/servers/telemetry/bands";
import { listHours, type SummedHour } from "@/lib/servers/telemetry/roll-ups";

/** One step of summed hours. `at` is its beginning in epoch milliseconds, `late` as that of `SummedHour`. */
export type SummedStep = {
  at: number;
  bands: Bands;
  /** The hour (epoch ms) in which each value was worst: the least score, the greatest of any other. One number: in all of them. */
  worst: number | Partial<Record<HistoryMeasure, number>>;
  /** How many minutes have a score. */
  minutes: number;
  late: number;
};

/** The hours of a longer time are joined by PostgreSQL. */
const MOST_READ = 42 * DAY;

const h = table("TelemetryHour", "h");
const ms = (time: string) => `(date_part('epoch', ${time}) * 1000)`;

// Raw, because PostgreSQL joins the hours: 400 days have 9,600 of them, and a chart a tenth of that.
const SUMMED_STEPS = statement(
  { serverId: h.serverId, from: h.hour, until: h.hour, stepS: parameter<number>("float8") },
  ({ serverId, from, until, stepS }) => {
    const steps = select(
      {
        at: new Expression<number>(ms("hours.step")),
        bands: new Expression<SerializedBands>("coalesce(bands.bands, '{}')"),
        worst: new Expression<Partial<Record<HistoryMeasure, number>>>("coalesce(bands.worst, '{}')"),
        minutes: new Expression<number>("coalesce(bands.minutes, 0)::int"),
        late: new Expression<number>("hours.late::int"),
      },
      `from (select step, sum(late) as late from known group by step) hours
      left join (
        select step, jsonb_object_agg(name, band) as bands, jsonb_object_agg(name, worst) as worst,
          max(minutes) filter (where name = 'score') as minutes
        from (
          select step, name, jsonb_build_array(min(least), sum(mean * count) / nullif(sum(count), 0), max(greatest), sum(count)) as band,
            sum(least(60, count)) as minutes,
            case when name = 'score' then (min(array[least, at]))[2] else -(max(array[greatest, -at]))[2] end as worst
          from measured group by step, name) by_name
        group by step) bands using (step)
      order by 1`,
    );
    return {
      ...steps,
      sql: `with known as materialized (
        select ${h.hour} as hour, ${h.late} as late,
          case jsonb_typeof(${h.bands}) when 'object' then ${h.bands} else '{}' end as bands,
          date_bin(make_interval(secs => ${stepS}), ${h.hour}, 'epoch') as step
        from ${h} where ${h.serverId} = ${serverId} and ${h.hour} >= ${from} and ${h.hour} < ${until}
          and (${h.samples} > 0 or ${h.bands} -> 'score' is not null)),
      measured as (
        select step, ${ms("hour")} as at, band.key as name, (band.value ->> 0)::float8 as least,
          (band.value ->> 1)::float8 as mean, (band.value ->> 2)::float8 as greatest, (band.value ->> 3)::float8 as count
        from known cross join lateral jsonb_each(known.bands) band)
      ${steps.sql}`,
    };
  },
);

/**
 * What is kept of the hours of a server in `[from, until)`, joined to steps of so many milliseconds (whole hours, counted
 * from the epoch), in order; a step of which nothing is known is absent. Of a short time the hours of a step stand beside each other.
 * All times in epoch milliseconds.
 */
export async function listSummedSteps(
  serverId: number,
  { from, until, step }: { from: number; until: number; step: number },
): Promise<SummedStep[]> {
  // Joining hours costs PostgreSQL ten times as much as reading them: those of a month are joined by whom they are for.
  if (until - from <= MOST_READ) {
    const hours = await listHours(serverId, from, until);
    return hours.map((hour) => stepOfHour(hour, step));
  }
  const values = { serverId, from: new Date(from), until: new Date(until), stepS: step / SECOND };
  const rows = await query(SUMMED_STEPS, values);
  return rows.map(({ bands, ...rest }) => ({ ...rest, bands: parseBands(bands) }));
}

const t = table("TelemetrySample", "t");

// Raw, because it is one look-up in the primary key for each hour.
const SUMS_ALONE = statement({ serverId: h.serverId, from: h.hour, to: h.hour }, ({ serverId, from, to }) =>
  select({
    found: new Expression<boolean>(`exists (
      select from ${h} where ${h.serverId} = ${serverId} and ${h.hour} >= ${from} and ${h.hour} < ${to} and ${h.samples} > 0
        and not exists (select from ${t} where ${t.serverId} = ${serverId}
          and ${t.ts} >= ${h.hour} and ${t.ts} < ${h.hour} + interval '1 hour'))`),
  }),
);

/**
 * Whether an hour of a time of a day or so (epoch ms) had samples that are not stored any more, or never were: those of a backup
 * without them.
 */
export async function hasSumsAlone(serverId: number, { from, to }: { from: number; to: number }): Promise<boolean> {
  const [row] = await query(SUMS_ALONE, { serverId, from: new Date(startOfHour(from)), to: new Date(to) });
  return row?.found === true;
}

function stepOfHour({ hour, bands, late }: SummedHour, step: number): SummedStep {
  const minutes = Math.min(HOUR / MINUTE, bands.score?.count ?? 0);
  return { at: Math.floor(hour / step) * step, bands, worst: hour, minutes, late };
}

import { names, parameter, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { scoreSql } from "@/lib/servers/health-score-sql";
import { measuredColumns } from "@/lib/servers/telemetry/measured-columns";
import { rolledUpRows } from "@/lib/servers/telemetry/measurements";

// PostgreSQL sums up hours from their samples: a flooded server has thousands of them in an hour.

/** The stability component looks back on this many hours of the clock before the current one. */
export const HOURS_BEFORE = 23;

const t = table("TelemetrySample", "t");
const h = table("TelemetryHour", "h");
const kept = table("TelemetryHour", "kept");
const excluded = table("TelemetryHour", "excluded");

const measured = measuredColumns(t);

/** The sums that `rows` selects replace those that are kept, unless samples of the hour have been deleted since. */
function keep(serverId: string, rows: string): Sql<never> {
  return {
    sql: `insert into telemetry_hours as kept (${names(kept.serverId, kept.hour, kept.samples, kept.bands)})
    select ${serverId}, ${rows}
    on conflict (${names(kept.serverId, kept.hour)}) do update set
      ${kept.stale.name} = false,
      ${kept.samples.name} = greatest(${kept.samples}, ${excluded.samples}),
      ${kept.bands.name} = case when ${excluded.samples} >= ${kept.samples} then ${excluded.bands} else ${kept.bands} end`,
  };
}

// Raw, because one statement writes a whole batch, with a condition that the typed client's upsert cannot express.
export const KEEP = statement({ serverId: kept.serverId, rows: parameter<string>("json") }, ({ serverId, rows }) =>
  keep(
    serverId,
    `to_timestamp(hour / 1000.0), samples, bands from json_to_recordset(${rows}) as row (hour bigint, samples int, bands jsonb)`,
  ),
);

/** How many samples the hours of a time have, hours without samples left out. `hour` is in hours since the epoch. */
export const COUNT = statement({ serverId: t.serverId, from: t.ts, until: t.ts }, ({ serverId, from, until }) =>
  select(
    {
      hour: new Expression<number>(`floor(date_part('epoch', ${t.ts}) / 3600)::int`),
      samples: new Expression<number>("count(*)::int"),
    },
    `from ${t} where ${t.serverId} = ${serverId} and ${t.ts} >= ${from} and ${t.ts} < ${until} group by 1`,
  ),
);

const MEASURED = Object.fromEntries(Object.entries(measured).map(([name, { name: column }]) => [name, `r.${column}`]));

/** A sample, the hour and the minute (since the epoch) that it lies in, and whether it begins a minute or shows a restart. */
const KNOWN = `${t.ts} as ts, ${Object.values(measured).join(", ")},
    floor(date_part('epoch', ${t.ts}) / 3600)::int as hour, floor(date_part('epoch', ${t.ts}) / 60)::int as minute,
    (date_trunc('minute', ${t.ts}) is distinct from date_trunc('minute', lag(${t.ts}) over (order by ${t.ts})))::int as minutes,
    coalesce(${t.uptimeS} < lag(${t.uptimeS}) over (order by ${t.ts}), false)::int as restarts`;

/** The sum over the 24 hours of the clock up to a sample: the hours before its own, and its own up to it. */
const inADay = (count: string) => `coalesce(sum(${count}) over earlier, 0) + sum(${count}) over own`;

/** The record behind the stability component as each sample found it: see `withCheckIn` and `summariseStability`. */
const stabilityOf = (countsFrom: string) => `
    ${inADay("minutes")} as minutes_in_a_day,
    ${inADay("restarts")} as restarts_in_a_day,
    ${inADay(`coalesce(${t.oomKills.name}, 0)`)} as kills_in_a_day,
    date_part('epoch', ts - max(case when ${t.oomKills.name} > 0 then ts end) over so_far) * 1000 as since_oom,
    coalesce((max(case when ${t.failedUnits.name} is not null then array[date_part('epoch', ts), ${t.failedUnits.name}] end)
      over so_far)[2], 0) as failed_last,
    greatest(1, minute - greatest(60 * (hour - ${HOURS_BEFORE}), floor(date_part('epoch', ${countsFrom}) / 60))) as minutes_expected`;

const scoreOf = (cores: string) =>
  scoreSql({
    ...(MEASURED as Record<keyof typeof measured, string>),
    cores,
    sinceOom: "r.since_oom",
    coveragePct: "(least(r.minutes_in_a_day, r.minutes_expected)::float8 / r.minutes_expected * 100)",
    reboots: "r.restarts_in_a_day",
    oomKills: "r.kills_in_a_day",
    failedUnits: "r.failed_last",
  });

const MEASURES = rolledUpRows.map(({ measure, measurement, of }) => {
  const [value, whole] = [MEASURED[measurement], of && MEASURED[of]];
  // `least` ignores what is null.
  const share = `case when ${value} is not null and ${whole} <> 0 then least(100, ${value} / ${whole} * 100) end`;
  return [measure, whole ? share : value] as const;
});

/** As `serializeBands` writes a band: rounded to three decimals; null where no sample has the value. */
function bandSql(value: string): string {
  const rounded = (figure: string) => `floor(${figure}(${value}) * 1000 + 0.5) / 1000`;
  const band = ["min", "avg", "max"].map(rounded).join(", ");
  return `case when count(${value}) > 0 then jsonb_build_array(${band}, count(${value})) end`;
}

const BANDS = ["score", ...MEASURES.map(([measure]) => `"${measure}"`)].map(
  (column) => `'${column.replaceAll('"', "")}', ${bandSql(`rated.${column}`)}`,
);

/**
 * Sums up these hours, which are all within `[since + HOURS_BEFORE hours, until)`. Each sample counts with the score that
 * `rateSamples` gives it.
 */
export const SUM_UP = statement(
  {
    serverId: h.serverId,
    since: t.ts,
    until: t.ts,
    hours: parameter<readonly number[]>("int[]"),
    cores: parameter<number | null>("float8"),
    countsFrom: parameter<Date>("timestamptz"),
  },
  ({ serverId, since, until, hours, cores, countsFrom }) => {
    const { sql } = keep(
      serverId,
      `to_timestamp(due.hour * 3600.0), count(rated.hour), jsonb_strip_nulls(jsonb_build_object(${BANDS.join(", ")}))
    from unnest(${hours}) as due (hour) left join rated on rated.hour = due.hour group by due.hour`,
    );
    return {
      sql: `with known as (
      select ${KNOWN} from ${t} where ${t.serverId} = ${serverId} and ${t.ts} >= ${since} and ${t.ts} < ${until}),
    r as (
      select *, ${stabilityOf(countsFrom)}
      from known
      window earlier as (order by hour range between ${HOURS_BEFORE} preceding and 1 preceding),
        own as (partition by hour order by ts),
        so_far as (order by ts)),
    rated as (
      select hour, ${scoreOf(cores)} as score, ${MEASURES.map(([measure, value]) => `${value} as "${measure}"`).join(", ")}
      from r where hour = any(${hours}))
    ${sql}`,
    };
  },
);

import { names, parameter, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { COMPONENTS, type Component } from "@/lib/servers/health-score";
import { componentsSql, scoreSql } from "@/lib/servers/health-score-sql";
import type { SerializedBand } from "@/lib/servers/telemetry/bands";
import { measuredColumns } from "@/lib/servers/telemetry/measured-columns";
import { type RolledUpMeasure, rolledUpRows } from "@/lib/servers/telemetry/measurements";

// PostgreSQL rates the minutes of the past and sums them up: a flooded server has thousands of samples in an hour.

/** The stability component looks back on this many hours of the clock before the current one. */
export const HOURS_BEFORE = 23;

/** The version of the rule that makes the sums: each full minute has a score. An hour of another one is summed up again. */
export const RULE = 1;

const t = table("TelemetrySample", "t");
const s = table("Server", "s");
const kept = table("TelemetryHour", "kept");
const excluded = table("TelemetryHour", "excluded");

const measured = measuredColumns(t);

/** The sums that `rows` selects replace those that are kept, unless samples of the hour have been deleted since. */
function keep(serverId: string, rows: string): Sql<never> {
  const stays = `${excluded.samples} < ${kept.samples}`;
  return {
    sql: `insert into telemetry_hours as kept (
      ${names(kept.serverId, kept.rule, kept.hour, kept.samples, kept.bands, kept.late)})
    select ${serverId}, ${RULE}, ${rows}
    on conflict (${names(kept.serverId, kept.hour)}) do update set
      ${kept.stale.name} = false,
      ${kept.rule.name} = ${RULE},
      ${kept.samples.name} = greatest(${kept.samples}, ${excluded.samples}),
      ${kept.late.name} = case when ${stays} then ${kept.late} else ${excluded.late} end,
      ${kept.bands.name} = case when ${stays} then ${kept.bands} else ${excluded.bands} end`,
  };
}

// Raw, because one statement writes a whole batch, with a condition that the typed client's upsert cannot express.
export const KEEP = statement({ serverId: kept.serverId, rows: parameter<string>("json") }, ({ serverId, rows }) =>
  keep(
    serverId,
    `to_timestamp(hour / 1000.0), samples, bands, 0 from json_to_recordset(${rows}) as row (hour bigint, samples int, bands jsonb)`,
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

/** A silence may be older than this: then the server's own row holds its last sample. */
const LOOKED_BACK = "32 days";

const CARRIED = [t.ts, t.cores, t.arrivedAt, ...Object.values(measured)];
const COLUMNS = CARRIED.map(({ name }) => name).join(", ");

/** The samples in `[since, until)` and the last one before them, because a silence may reach back to it. */
const known = ({ serverId, since, until }: Placeholders) => `
    select ${COLUMNS}, row_number() over in_order as place, lead(ts) over in_order is null as is_last,
      (date_trunc('minute', ts) is distinct from date_trunc('minute', lag(ts) over in_order))::int as begins,
      coalesce(${t.uptimeS.name} < lag(${t.uptimeS.name}) over in_order, false)::int as restarted
    from (
      select ${COLUMNS} from ${t} where ${t.serverId} = ${serverId} and ${t.ts} >= ${since} and ${t.ts} < ${until}
      union all (
        select ${COLUMNS} from (
          (select ${COLUMNS} from ${t}
            where ${t.serverId} = ${serverId} and ${t.ts} < ${since} and ${t.ts} >= ${since} - interval '${LOOKED_BACK}'
            order by ${t.ts} desc limit 1)
          union all
          (select ${CARRIED.map(({ name }) => (name === t.ts.name ? s.latestSampleAt.sql : `l.${name}`)).join(", ")}
            from ${s} cross join jsonb_populate_record(null::telemetry_samples, ${s.latestSample}::jsonb) l
            where ${s.id} = ${serverId} and ${s.latestSampleAt} < ${since})) before
        order by ts desc limit 1)) samples
    window in_order as (order by ts)`;

const epoch = (time: string) => `date_part('epoch', ${time})`;
/** Whole milliseconds between two times. */
const milliseconds = (later: string, earlier: string) => `round(${epoch(`${later} - ${earlier}`)} * 1000)`;

/** What the record behind the stability component counts of a sample. */
const COUNTED = ["begins", "restarted", t.oomKills.name, t.failedUnits.name];

/** A row for each sample, and one for each full minute that is due. */
const moments = ({ from, until }: Placeholders, isDue: string) => `
    select false as is_minute, ts as at, floor(${epoch("ts")} / 60)::int as minute, place, ${COUNTED.join(", ")} from known
    union all
    select true, to_timestamp(minute * 60.0), minute, null, 0, 0, null, null
    from generate_series(${from}, ceil(${epoch(until)} / 60)::int - 1) minute where ${isDue}`;

/** The sum over the 24 hours of the clock up to a moment: the hours before its own, and its own up to it. */
const inADay = (count: string) => `coalesce(sum(${count}) over earlier, 0) + coalesce(sum(${count}) over own, 0)`;

/** The record behind the stability component as each moment found it: see `withCheckIn` and `summariseStability`. */
const stabilityOf = (countsFrom: string) => `
    ${inADay("begins")} as minutes_in_a_day,
    ${inADay("restarted")} as restarts_in_a_day,
    ${inADay(t.oomKills.name)} as kills_in_a_day,
    ${milliseconds("at", `max(at) filter (where ${t.oomKills.name} > 0) over so_far`)} as since_oom,
    coalesce((max(array[${epoch("at")}, ${t.failedUnits.name}]) filter (where ${t.failedUnits.name} is not null)
      over so_far)[2], 0) as failed_last,
    greatest(1, minute - greatest(60 * (hour - ${HOURS_BEFORE}), floor(${epoch(countsFrom)} / 60))) as minutes_expected`;

const STABILITY = [
  "minutes_in_a_day",
  "restarts_in_a_day",
  "kills_in_a_day",
  "since_oom",
  "failed_last",
  "minutes_expected",
];

const MEASURED = Object.fromEntries(Object.entries(measured).map(([name, { name: column }]) => [name, `r.${column}`]));

const componentsOf = (cores: string) =>
  componentsSql({
    ...(MEASURED as Record<keyof typeof measured, string>),
    cores: `coalesce(nullif(r.${t.cores.name}, 0), ${cores})`,
    age: "r.age",
    sinceOom: "r.since_oom",
    coveragePct: "(least(r.minutes_in_a_day, r.minutes_expected)::float8 / r.minutes_expected * 100)",
    reboots: "r.restarts_in_a_day",
    oomKillsOfDay: "r.kills_in_a_day",
    failedUnits: "r.failed_last",
  });

/** What the sums keep of a sample, each with its SQL; `columns` are those of the sample. */
export function measuresSql(columns: Readonly<Record<string, string>>): [measure: RolledUpMeasure, sql: string][] {
  return rolledUpRows.map(({ measure, measurement, of }) => {
    const [value, whole] = [columns[measurement], of && columns[of]];
    // `least` ignores what is null.
    const share = `case when ${value} is not null and ${whole} <> 0 then least(100, ${value} / ${whole} * 100) end`;
    return [measure, whole ? share : String(value)];
  });
}

const MEASURES = measuresSql(MEASURED);

/**
 * What rating minutes needs: of which server, from which minute (since the epoch) until when, the samples since when (a day
 * before), and what holds for all.
 */
const RATED = {
  serverId: t.serverId,
  since: t.ts,
  from: parameter<number>("int"),
  until: t.ts,
  cores: parameter<number | null>("float8"),
  countsFrom: parameter<Date>("timestamptz"),
};
type Placeholders = { [Name in keyof typeof RATED]: string };

/**
 * `rated`: a row for each minute with its score, and for each sample with what it measured. This is the one implementation
 * of past scores: what `getServer` answered at each full minute, from the samples that are known now. A minute finds
 * the last sample before it by its place in order: PostgreSQL cannot guess how many rows a join by time has. The steps are
 * materialized because it would otherwise write out the score each time that something refers to it.
 */
const rated = (given: Placeholders, isDue: string, isKnown = "true") => `with known as materialized (${known(given)}),
  moments as materialized (
    select is_minute, at, minute, max(place) over so_far as last_place, ${stabilityOf(given.countsFrom)}
    from (select *, minute / 60 as hour from (${moments(given, isDue)}) moments) moments
    window earlier as (order by hour range between ${HOURS_BEFORE} preceding and 1 preceding),
      own as (partition by hour order by at, is_minute),
      so_far as (order by hour, at, is_minute)),
  r as materialized (
    select is_minute, at, minute, ${STABILITY.join(", ")}, ${COLUMNS}, ${milliseconds("at", "ts")} / 1000 as age
    from moments join known on known.place = last_place
    where ${isDue} and minute >= ${given.from} and ${isKnown}),
  points as materialized (
    select minute, at, is_minute, arrived_at > at as is_late,
      ${Object.entries(componentsOf(given.cores))
        .map(([name, points]) => `case when is_minute then ${points} end as ${name}`)
        .join(",\n      ")},
      ${MEASURES.map(([measure, value]) => `case when not is_minute then ${value} end as "${measure}"`).join(", ")}
    from r),
  rated as materialized (select *, ${scoreSql(POINTS)} as score from points)`;

const POINTS = Object.fromEntries(COMPONENTS.map((name) => [name, `points.${name}`])) as Record<Component, string>;

const HISTORY = ["score", ...MEASURES.map(([measure]) => `"${measure}"`)].map((column) => ({
  name: column.replaceAll('"', ""),
  value: `rated.${column}`,
}));

const rounded = (figure: string) => `floor((${figure}) * 1000 + 0.5) / 1000`;

/** As `serializeBands` writes a band: rounded to three decimals; null where nothing has the value. */
function bandSql(value: string, build: "json_build_array" | "jsonb_build_array"): string {
  const band = ["min", "avg", "max"].map((figure) => rounded(`${figure}(${value})`)).join(", ");
  return `case when count(${value}) > 0 then ${build}(${band}, count(${value})) end`;
}

const BANDS = `jsonb_strip_nulls(jsonb_build_object(${HISTORY.map(
  ({ name, value }) => `'${name}', ${bandSql(value, "jsonb_build_array")}`,
).join(", ")}))`;
const SAMPLES = "count(rated.at) filter (where not rated.is_minute)";
const LATE = "count(rated.at) filter (where rated.is_minute and rated.is_late)";

/** Sums up these hours (since the epoch), which are all within `[since + HOURS_BEFORE hours, until)`, and keeps them. */
export const SUM_UP = statement({ ...RATED, hours: parameter<readonly number[]>("int[]") }, ({ hours, ...given }) => {
  const { sql } = keep(
    given.serverId,
    `to_timestamp(due.hour * 3600.0), ${SAMPLES}, ${BANDS}, ${LATE}
    from unnest(${hours}) as due (hour) left join rated on rated.minute / 60 = due.hour group by due.hour`,
  );
  return { sql: `${rated(given, `minute / 60 = any(${hours})`)}\n${sql}` };
});

/** A step in a short form: its beginning in epoch milliseconds, `late`, and a band for each of `HISTORY_MEASURES`. */
type WrittenStep = readonly [at: number, late: number, ...bands: (SerializedBand | null)[]];
/** The worst value of a measurement, and when it was first (epoch ms). */
type WrittenPeak = readonly [value: number, at: number];

const inOrder = (value: (column: (typeof HISTORY)[number]) => string) => HISTORY.map(value).join(", ");

/**
 * The same of each step of so many minutes, in order, and of all of them the worst value of each of `HISTORY_MEASURES`, for
 * pages: the least score, or the greatest of any other. `heardAt`: what was heard after the last sample until then is not
 * known yet. As JSON and not as `jsonb`, which parses every number that it is made of.
 */
export const STEPS = statement(
  { ...RATED, step: parameter<number>("int"), heardAt: parameter<Date | null>("timestamptz") },
  ({ step, heardAt, ...given }) => {
    const steps = select(
      {
        steps: new Expression<WrittenStep[] | null>(`(
          select json_agg(step order by at) from (
            select rated.minute / ${step} as at, json_build_array(rated.minute / ${step} * ${step} * 60000::float8, ${LATE},
              ${inOrder(({ value }) => bandSql(value, "json_build_array"))}) as step
            from rated group by 1) steps)`),
        worst: new Expression<(WrittenPeak | null)[]>(`(
          select json_build_array(${inOrder(
            ({ name }) => `case when "at ${name}" is not null
              then json_build_array(${rounded(`worst."${name}"`)}, round(${epoch(`"at ${name}"`)} * 1000)) end`,
          )}) from (
            select ${inOrder(({ name, value }) => `min(rated.at) filter (where ${value} = worst."${name}") as "at ${name}"`)}
            from rated, worst) first, worst)`),
      },
      "",
    );
    const isKnown = `not (is_minute and is_last and at <= coalesce(${heardAt}, '-infinity'))`;
    const worst = inOrder(({ name, value }) => `${name === "score" ? "min" : "max"}(${value}) as "${name}"`);
    return {
      ...steps,
      sql: `${rated(given, "true", isKnown)},\n  worst as (select ${worst} from rated)\n${steps.sql}`,
    };
  },
);

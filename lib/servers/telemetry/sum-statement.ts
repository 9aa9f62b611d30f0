import { type JsonRowsOf, names, parameter, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { ONLINE_WINDOW } from "@/lib/servers/events/silence";
import { componentsSql, scoreSql } from "@/lib/servers/health-score-sql";
import { measuredColumns } from "@/lib/servers/telemetry/measured-columns";
import { type RolledUpMeasure, rolledUpRows } from "@/lib/servers/telemetry/measurements";

// PostgreSQL rates the minutes of the past and sums them up: a flooded server has thousands of samples in an hour.

/** The stability component looks back on this many hours of the clock before the current one. */
export const HOURS_BEFORE = 23;

/** The version of the rule that makes the sums: each full minute has a score. An hour of another one is summed up again. */
export const RULE = 1;

const t = table("TelemetrySample", "t");
const s = table("Server", "s");
const e = table("ServerEvent", "e");
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

const epoch = (time: string) => `date_part('epoch', ${time})`;
const minuteOf = (time: string) => `floor(${epoch(time)} / 60)::int`;
/** Whole milliseconds between two times. */
const milliseconds = (later: string, earlier: string) => `round(${epoch(`${later} - ${earlier}`)} * 1000)`;

/** The samples in `[since, until)` and the last one before them, because a silence may reach back to it. */
const samples = ({ serverId, since, until }: Placeholders) => `
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
        order by ts desc limit 1)`;

/** What the record behind the stability component counts, from the first known sample up to each one. */
const COUNTS = ["seen", "restarts", "kills"];

/**
 * The minutes up to an instant, since the sample before it, in which nobody was there to hear the daemon: see `withUnknown`.
 * They count once a check-in has ended the silence.
 */
const unknown = (serverId: string, sample: string, until: string) => `(
      select coalesce(sum(upper(run) - lower(run)), 0) from (
        select unnest(range_agg(int4range(first, greatest(first, next)))) as run from (
          select greatest(${minuteOf(e.startedAt.sql)} - 1, ${minuteOf(sample)} + 1) as first,
            least(${minuteOf(e.endedAt.sql)}, ${minuteOf(until)}) as next
          from ${e} where ${e.serverId} = ${serverId} and ${e.startedAt} >= ${sample} and ${e.startedAt} < ${until}
            and ${e.kind} = 'unknown' and ${e.endedAt} is not null) silences) runs)::int`;

/** With each sample, what is known at its time, and when the next one was. */
const known = (given: Placeholders) => `
    select *, sum(begins + case when ts - ts_before > interval '${ONLINE_WINDOW} ms'
        then ${unknown(given.serverId, "ts_before", "ts")} else 0 end) over so_far as seen, sum(restarted) over so_far as restarts,
      coalesce(sum(${t.oomKills.name}) over so_far, 0) as kills, max(ts) filter (where ${t.oomKills.name} > 0) over so_far as oom_at,
      coalesce(max(place << 32 | ${t.failedUnits.name}) over so_far & x'ffffffff'::bigint, 0) as failed_last
    from (
      select *, row_number() over in_order as place, lag(ts) over in_order as ts_before, lead(ts) over in_order as next_ts,
        (minute is distinct from lag(minute) over in_order)::int as begins,
        coalesce(${t.uptimeS.name} < lag(${t.uptimeS.name}) over in_order, false)::int as restarted
      from (select *, ${minuteOf("ts")} as minute from (${samples(given)}) samples) samples
      window in_order as (order by ts)) samples
    window so_far as (order by ts rows unbounded preceding)`;

/** What was counted before the day that ends with an hour of the clock. */
const days = ({ serverId, from, until }: Placeholders) => `
    select hour, restarts, kills,
      seen + case when last_ts < begins - interval '${ONLINE_WINDOW} ms'
        then ${unknown(serverId, "last_ts", "begins")} else 0 end as seen
    from (
      select day.hour, to_timestamp((day.hour - ${HOURS_BEFORE}) * 3600.0) as begins, max(counted.last_ts) as last_ts,
        ${COUNTS.map((count) => `coalesce(max(counted.${count}), 0) as ${count}`).join(", ")}
      from generate_series(${from} / 60, ${minuteOf(until)} / 60) day (hour)
      left join (
        select minute / 60 as hour, max(ts) as last_ts, ${COUNTS.map((count) => `max(${count}) as ${count}`).join(", ")}
        from known group by 1) counted
        on counted.hour < day.hour - ${HOURS_BEFORE}
      group by day.hour) days`;

/**
 * Each full minute that is due, and the place of the last sample before it. It is joined by that, not by time: PostgreSQL cannot
 * guess how many rows such a join has, and compiles a statement that it takes for large.
 */
const minutes = ({ from, until }: Placeholders) => `
    select due, to_timestamp(due * 60.0) as at, max(place) over (order by due) as last_place
    from generate_series(${from}, ceil(${epoch(until)} / 60)::int - 1) due
    left join (
      select greatest(${from}, ceil(${epoch("ts")} / 60)::int) as due, max(place) as place from known group by 1) last using (due)`;

/** The record behind the stability component as each minute found it: see `withCheckIn` and `summariseStability`. */
const stabilityOf = (countsFrom: string) => `
      ${COUNTS.map((count) => `greatest(0, known.${count} - days.${count}) as ${count}_in_a_day`).join(", ")},
      ${milliseconds("at", "oom_at")} as since_oom, failed_last,
      greatest(1, due - greatest(60 * (days.hour - ${HOURS_BEFORE}), floor(${epoch(countsFrom)} / 60))) as minutes_expected`;

const MEASURED = Object.fromEntries(
  Object.entries(measured).map(([name, { name: column }]) => [name, `known.${column}`]),
);
const RATED_BY = Object.fromEntries(Object.entries(measured).map(([name, { name: column }]) => [name, `r.${column}`]));

const componentsOf = (cores: string) =>
  componentsSql({
    ...(RATED_BY as Record<keyof typeof measured, string>),
    cores: `coalesce(nullif(r.${t.cores.name}, 0), ${cores})`,
    age: "r.age",
    sinceOom: "r.since_oom",
    coveragePct: "r.coverage_pct",
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

const HISTORY = ["score", ...MEASURES.map(([measure]) => measure)];
/** The figures of a band, by the names that `sums` gives them. */
const figuresOf = (measure: string) => ["min", "avg", "max", "count"].map((figure) => `"${figure} ${measure}"`);
const figuresSql = (
  measure: string,
  value: string,
) => `min(${value}) as "min ${measure}", avg(${value}) as "avg ${measure}",
      max(${value}) as "max ${measure}", count(${value}) as "count ${measure}"`;

/**
 * `sums`: what was measured in each step of so many minutes, and the scores of its full minutes. This is the one
 * implementation of past scores: what `getServer` answered at each full minute, from the samples that are known now.
 * PostgreSQL would otherwise write out the steps that are materialized each time that something refers to them.
 */
const rated = (
  given: Placeholders,
  step: string,
  isDue: (minute: string) => string,
) => `with known as materialized (${known(given)}),
  r as materialized (
    select *, least(seen_in_a_day, minutes_expected)::float8 / minutes_expected * 100 as coverage_pct from (
    select ${COLUMNS}, due, at, ${milliseconds("at", "ts")} / 1000 as age, ${stabilityOf(given.countsFrom)}
    from (${minutes(given)}) minutes
    join known on known.place = last_place
    join (${days(given)}) days on days.hour = due / 60
    where ${isDue("due")}) r),
  scores as materialized (
    select due as minute, at, arrived_at > at as is_late, ${scoreSql(componentsOf(given.cores))} as score from r),
  sums as materialized (
    select * from (
      select minute / ${step} as step, count(*) as samples,
        ${MEASURES.map(([measure, value]) => figuresSql(measure, value)).join(",\n        ")}
      from known where minute >= ${given.from} and ${isDue("minute")} group by 1) measured
    full join (
      select minute / ${step} as step, count(*) filter (where is_late) as late, ${figuresSql("score", "score")}
      from scores group by 1) scored using (step))`;

/** The hours of the clock as steps. */
const HOUR_LONG = "60";

const rounded = (figure: string) => `floor((${figure}) * 1000 + 0.5) / 1000`;

/** As `serializeBands` writes a band: rounded to three decimals; null where nothing has the value. */
function bandSql(measure: string): string {
  const [min, avg, max, count] = figuresOf(measure);
  return `case when ${count} > 0 then jsonb_build_array(${[min, avg, max].map((figure) => rounded(String(figure))).join(", ")}, ${count}) end`;
}

const BANDS = `jsonb_strip_nulls(jsonb_build_object(${HISTORY.map((name) => `'${name}', ${bandSql(name)}`).join(", ")}))`;

/** Sums up these hours (since the epoch), which are all within `[since + HOURS_BEFORE hours, until)`, and keeps them. */
export const SUM_UP = statement({ ...RATED, hours: parameter<readonly number[]>("int[]") }, ({ hours, ...given }) => {
  const { sql } = keep(
    given.serverId,
    `to_timestamp(due.hour * 3600.0), coalesce(samples, 0), ${BANDS}, coalesce(late, 0)
    from unnest(${hours}) as due (hour) left join sums on sums.step = due.hour`,
  );
  return { sql: `${rated(given, HOUR_LONG, (minute) => `${minute} / 60 = any(${hours})`)}\n${sql}` };
});

/**
 * A step in a short form: its number since the epoch, `late`, and for each of `HISTORY_MEASURES` the count, and unless that
 * is 0 the thousandths of the least, the mean and the greatest. `parseBandsInOrder` reads them.
 */
type WrittenStep = number[];
/** The worst value of a measurement, and when it was first (epoch ms). */
type WrittenPeak = readonly [value: number, at: number];

const inOrder = (value: (name: string) => string) => HISTORY.map(value).join(", ");
const thousandths = (figure: string) => `floor(${figure} * 1000 + 0.5)::bigint`;

/**
 * The same of each step of so many minutes, in order, and of all of them the worst value of each of `HISTORY_MEASURES`, for
 * pages: the least score, or the greatest of any other.
 */
export const STEPS = statement({ ...RATED, step: parameter<number>("int") }, ({ step, ...given }) => {
  const isScore = (name: string) => name === "score";
  const written = HISTORY.map((name) => {
    const [min, avg, max, count] = figuresOf(name);
    return `coalesce(${count}, 0), ${[min, avg, max].map((figure) => thousandths(String(figure))).join(", ")}`;
  });
  const first = (name: string) => `case when "at ${name}" is not null
      then json_build_array(${rounded(`worst."${name}"`)}, round(${epoch(`"at ${name}"`)} * 1000)) end`;
  const steps = select({
    steps: new Expression<JsonRowsOf<WrittenStep> | null>(`(
        select string_agg(concat_ws(',', step, coalesce(late, 0), ${written.join(", ")}), '],[' order by step) from sums)`),
    worst: new Expression<(WrittenPeak | null)[]>(`(
        select json_build_array(${inOrder(first)})
        from worst,
          (select min(at) filter (where scores.score = worst.score) as "at score" from scores, worst) scored,
          (select ${MEASURES.map(([name, value]) => `min(ts) filter (where ${value} = worst."${name}") as "at ${name}"`).join(", ")}
            from known, worst where minute >= ${given.from}) measured)`),
  });
  const worst = inOrder(
    (name) => `${isScore(name) ? "min" : "max"}("${isScore(name) ? "min" : "max"} ${name}") as "${name}"`,
  );
  return {
    ...steps,
    sql: `${rated(given, step, () => "true")},\n  worst as (select ${worst} from sums)\n${steps.sql}`,
  };
});

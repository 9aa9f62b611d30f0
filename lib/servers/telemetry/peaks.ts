import { query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { HOUR } from "@/lib/format/time";
import { type Bands, HISTORY_MEASURES, type HistoryMeasure } from "@/lib/servers/telemetry/bands";
import { measuredColumns } from "@/lib/servers/telemetry/measured-columns";
import type { RolledUpMeasure } from "@/lib/servers/telemetry/measurements";
import { listSteps, type RatedServer } from "@/lib/servers/telemetry/past-scores";
import { measuresSql } from "@/lib/servers/telemetry/sum-statement";

/** The worst value of a measurement: the least score, or the greatest value of any other measurement. */
type Peak = {
  value: number;
  /** When it was, in epoch milliseconds. */
  at: number;
  /** The uncertainty of `at` in milliseconds: an hour if the samples have been deleted, else 0. */
  within: number;
};
export type Peaks = Partial<Record<HistoryMeasure, Peak>>;

/** Keeps the worst value of each measurement. */
export class PeakSearch {
  readonly found: Peaks = {};

  /** Adds the bands of an hour, or of several; `worst`: the hour (epoch ms) in which each value was worst. */
  addHour(bands: Bands, worst: number | Partial<Record<HistoryMeasure, number>>): void {
    for (const name of HISTORY_MEASURES) {
      const [band, at] = [bands[name], typeof worst === "number" ? worst : worst[name]];
      if (band && at !== undefined) this.add(name, name === "score" ? band.least : band.greatest, at, HOUR);
    }
  }

  /** Adds a value, whose time (epoch ms) is known `within` so many milliseconds. The first of equal ones stays. */
  add(name: HistoryMeasure, value: number, at: number, within: number): void {
    const known = this.found[name];
    if (!known || isWorse(name, value, known.value)) this.found[name] = { value, at, within };
  }
}

const t = table("TelemetrySample", "t");
const at = `round(date_part('epoch', ${t.ts}) * 1000)`;
const rounded = (value: string) => `floor((${value}) * 1000 + 0.5) / 1000`;
const columns = Object.fromEntries(Object.entries(measuredColumns(t)).map(([name, { sql }]) => [name, sql]));

// Raw, because PostgreSQL finds them without rating anything: to rate one hour takes the samples of a day.
const GREATEST = statement(
  { serverId: t.serverId, hours: parameter<readonly Date[]>("timestamptz[]") },
  ({ serverId, hours }) => {
    const found = measuresSql(columns).map(
      ([name, value]) => `'${name}', max(array[${rounded(value)}, -${at}]) filter (where (${value}) is not null)`,
    );
    return select(
      {
        found: new Expression<Partial<Record<RolledUpMeasure, [value: number, minusAt: number]>>>(
          `jsonb_strip_nulls(jsonb_build_object(${found.join(", ")}))`,
        ),
      },
      // `offset 0`: the planner takes a join by times for large, and would read every sample of the server.
      `from unnest(${hours}) hour cross join lateral (
        select * from ${t} where ${t.serverId} = ${serverId} and ${t.ts} >= hour and ${t.ts} < hour + interval '1 hour' offset 0) t`,
    );
  },
);

/** Replaces the hour of each peak by its exact time, if the samples of that hour are still stored. */
export async function findPeaks(server: RatedServer, { found }: PeakSearch): Promise<Peaks> {
  const search = new PeakSearch();
  const { score, ...measured } = found;
  if (score && score.within > 0) {
    const { worst } = await listSteps(server, { from: score.at, until: score.at + HOUR, step: HOUR });
    for (const { measure, value, at } of worst) search.add(measure, value, at, 0);
  }
  const exact: Peaks = search.found.score ? { score: search.found.score } : {};
  const hours = new Set(Object.values(measured).flatMap((peak) => (peak.within > 0 ? [peak.at] : [])));
  if (hours.size > 0) {
    const times = [...hours].map((hour) => new Date(hour));
    const [row] = await query(GREATEST, { serverId: server.id, hours: times });
    for (const [name, [value, minusAt]] of Object.entries(row?.found ?? {})) {
      exact[name as HistoryMeasure] = { value, at: -minusAt, within: 0 };
    }
  }
  return Object.fromEntries(
    Object.entries(found).map(([name, peak]) => {
      const same = peak.within > 0 ? exact[name as HistoryMeasure] : undefined;
      return [name, same?.value === peak.value ? same : peak];
    }),
  );
}

function isWorse(name: HistoryMeasure, a: number, b: number): boolean {
  return name === "score" ? a < b : a > b;
}

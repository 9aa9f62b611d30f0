import type { Reader } from "@/lib/database/replica";
import { queryIn } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { HOUR } from "@/lib/format/time";
import type { Band, Bands, HistoryMeasure } from "@/lib/servers/telemetry/bands";
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

  /** Adds the bands of a step. `worst`: when each value was worst (epoch ms), which is known `within` so many milliseconds. */
  add(bands: Bands, worst: Partial<Record<HistoryMeasure, number>>, within: number): void {
    for (const [name, band] of Object.entries(bands) as [HistoryMeasure, Band][]) {
      const [value, at, known] = [worstOf(name, band), worst[name], this.found[name]];
      if (at === undefined || (known && !isWorse(name, value, known.value))) continue;
      this.found[name] = { value, at, within };
    }
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
      `from unnest(${hours}) hour join ${t} on ${t.serverId} = ${serverId} and ${t.ts} >= hour and ${t.ts} < hour + interval '1 hour'`,
    );
  },
);

/** Replaces the hour of each peak by its exact time, if the samples of that hour are still stored. */
export async function findPeaks(server: RatedServer, { found }: PeakSearch, client: Reader): Promise<Peaks> {
  const search = new PeakSearch();
  const { score, ...measured } = found;
  if (score && score.within > 0) {
    const steps = await listSteps(server, { from: score.at, until: score.at + HOUR, step: HOUR }, client);
    for (const { bands, worst } of steps) search.add(bands, worst, 0);
  }
  const exact: Peaks = search.found.score ? { score: search.found.score } : {};
  const hours = new Set(Object.values(measured).flatMap((peak) => (peak.within > 0 ? [peak.at] : [])));
  if (hours.size > 0) {
    const times = [...hours].map((hour) => new Date(hour));
    const [row] = await queryIn(client, GREATEST, { serverId: server.id, hours: times });
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

function worstOf(name: HistoryMeasure, { least, greatest }: Band): number {
  return name === "score" ? least : greatest;
}

function isWorse(name: HistoryMeasure, a: number, b: number): boolean {
  return name === "score" ? a < b : a > b;
}

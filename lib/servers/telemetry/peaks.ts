import type { Reader } from "@/lib/database/replica";
import type { Band, Bands, HistoryMeasure } from "@/lib/servers/telemetry/bands";
import { listSteps, type RatedServer } from "@/lib/servers/telemetry/past-scores";
import { HOUR } from "@/lib/time";

/** The worst value of a measurement: the least score, or the greatest value of any other measurement. */
export type Peak = {
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

  /** The bands of an hour that begins at `at` (ms), or of a step of which is known when each value was worst. */
  add(at: number, bands: Bands, worst?: Partial<Record<HistoryMeasure, number>>): void {
    for (const [name, band] of Object.entries(bands) as [HistoryMeasure, Band][]) {
      const value = worstOf(name, band);
      const known = this.found[name];
      if (known && !isWorse(name, value, known.value)) continue;
      this.found[name] = worst ? { value, at: worst[name] ?? at, within: 0 } : { value, at, within: HOUR };
    }
  }
}

/** Replaces the hour of each peak by its exact time, if the samples of that hour are still stored. */
export async function findPeaks(server: RatedServer, { found }: PeakSearch, client: Reader): Promise<Peaks> {
  const hours = [...new Set(Object.values(found).flatMap(({ at, within }) => (within > 0 ? [at] : [])))];
  const searches = await Promise.all(
    hours.map(async (from) => {
      const search = new PeakSearch();
      const steps = await listSteps(server, { from, until: from + HOUR, step: HOUR }, client);
      for (const { at, bands, worst } of steps) search.add(at, bands, worst);
      return search.found;
    }),
  );
  const exact = new Map(hours.map((hour, index) => [hour, searches[index]]));
  return Object.fromEntries(
    Object.entries(found).map(([name, peak]) => {
      const same = peak.within > 0 ? exact.get(peak.at)?.[name as HistoryMeasure] : undefined;
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

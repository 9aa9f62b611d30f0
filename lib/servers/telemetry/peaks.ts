import type { Reader } from "@/lib/database/replica";
import { type Band, type Bands, bandsOf, type HistoryMeasure } from "@/lib/servers/telemetry/bands";
import { type RatedServer, rateSamples } from "@/lib/servers/telemetry/past-scores";

/** The worst value of a measurement: the least score, or the greatest value of any other measurement. */
export type Peak = {
  value: number;
  /** When it was measured, in epoch milliseconds. */
  at: number;
  /** The uncertainty of `at` in milliseconds: an hour if the samples have been deleted, else 0. */
  within: number;
};
export type Peaks = Partial<Record<HistoryMeasure, Peak>>;

/** Keeps the worst value of each measurement. */
export class PeakSearch {
  readonly found: Peaks = {};

  /** The bands of a time that begins at `at` and lasts for `within` (ms). */
  add(at: number, within: number, bands: Bands): void {
    for (const [name, band] of Object.entries(bands) as [HistoryMeasure, Band][]) {
      const value = worstOf(name, band);
      const known = this.found[name];
      if (!known || isWorse(name, value, known.value)) this.found[name] = { value, at, within };
    }
  }
}

/** Replaces the hour of each peak by the exact time of its sample, if that sample is still stored. */
export async function findPeaks(server: RatedServer, { found }: PeakSearch, client: Reader): Promise<Peaks> {
  const hours = new Map(Object.values(found).flatMap(({ at, within }) => (within > 0 ? [[at, at + within]] : [])));
  const searches = await Promise.all([...hours].map(([from, to]) => searchSamples(server, from ?? 0, to ?? 0, client)));
  const exact = new Map([...hours.keys()].map((hour, index) => [hour, searches[index]]));
  return Object.fromEntries(
    Object.entries(found).map(([name, peak]) => [
      name,
      (peak.within > 0 && exact.get(peak.at)?.[name as HistoryMeasure]) || peak,
    ]),
  );
}

async function searchSamples(server: RatedServer, from: number, to: number, client: Reader): Promise<Peaks> {
  const search = new PeakSearch();
  for await (const { ts, values } of rateSamples(server, from, to, client)) {
    search.add(ts, 0, bandsOf(values));
  }
  return search.found;
}

function worstOf(name: HistoryMeasure, { least, greatest }: Band): number {
  return name === "score" ? least : greatest;
}

function isWorse(name: HistoryMeasure, a: number, b: number): boolean {
  return name === "score" ? a < b : a > b;
}

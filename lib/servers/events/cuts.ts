import { MINUTE } from "@/lib/format/time";

// Many servers that fall silent at once say that the way to the console was cut, not that they failed.

/** Servers that were last heard within so long of each other fell silent together. */
export const TOGETHER = MINUTE;
/** Fewer servers say nothing. */
const FEWEST = 10;

/** `from`: the first of the last check-ins before the cut, in epoch milliseconds. `fallen`: how many servers fell silent. */
export type Cut = { from: number; fallen: number };

/**
 * The first time within which more than half of all servers that reported until then, and at least ten, fell silent.
 * `fallen` are the last check-ins (epoch ms) of servers that are silent; `heard` servers are not.
 */
export function findCut(fallen: readonly number[], heard: number): Cut | null {
  const sorted = fallen.toSorted((a, b) => a - b);
  let next = 0;
  for (const [index, from] of sorted.entries()) {
    while ((sorted[next] ?? Number.POSITIVE_INFINITY) <= from + TOGETHER) next++;
    const together = next - index;
    const reporting = heard + sorted.length - index;
    if (together >= FEWEST && 2 * together > reporting) return { from, fallen: together };
  }
  return null;
}

/** How many of the servers of a cut are silent still. */
export function stillFallen({ from }: Cut, fallen: readonly number[]): number {
  return fallen.filter((at) => at >= from && at <= from + TOGETHER).length;
}

/** How many of them have to be heard again for the cut to be over. */
export function enoughBack({ fallen }: Cut): number {
  return Math.ceil(fallen / 2);
}

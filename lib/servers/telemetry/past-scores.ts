import { db } from "@/lib/database/client";
import { query } from "@/lib/database/run-statement";
import { parseRows } from "@/lib/database/statement";
import { NotFoundError } from "@/lib/failures";
import { HOUR, MINUTE } from "@/lib/format/time";
import { countsFrom } from "@/lib/servers/stability";
import { type Bands, HISTORY_MEASURES, type HistoryMeasure, parseBandsInOrder } from "@/lib/servers/telemetry/bands";
import { HOURS_BEFORE, STEPS } from "@/lib/servers/telemetry/sum-statement";

/** The facts besides samples that a score depends on. `cores`: of today, for samples that do not say how many there were. */
export type RatedServer = { id: number; countsFrom: Date; cores: number | null };

/** The columns of a server that `toRatedServer` needs. */
export const RATED = { id: true, createdAt: true, firstSeenAt: true, facts: true } as const;
type RatedRow = { id: number; createdAt: Date; firstSeenAt: Date | null; facts: unknown };

export function toRatedServer({ id, facts, ...times }: RatedRow): RatedServer {
  const { cores } = facts as { cores?: unknown };
  return { id, countsFrom: countsFrom(times), cores: typeof cores === "number" && cores > 0 ? cores : null };
}

/** @throws NotFoundError when there is no such server of this account. */
export async function getRatedServer(accountId: number, id: number): Promise<RatedServer> {
  const server = await db.server.findFirst({
    where: { id, accountId },
    select: RATED,
  });
  if (!server) throw new NotFoundError();
  return toRatedServer(server);
}

/** One step of time. `at` is its beginning in epoch milliseconds. */
type RatedStep = {
  at: number;
  bands: Bands;
  /** Minutes whose score was known only later, because a sample arrived late. */
  late: number;
};

/**
 * What the samples in `[from, until)` measured, and the scores of its full minutes: those that `getServer` answered then, if
 * all samples were in time. By steps of so many milliseconds (whole minutes), without those of which nothing is known; all
 * times in epoch milliseconds. `worst`: of all steps, the worst of each value (the least score, the greatest of any other), and when it was first.
 */
export async function listSteps(
  server: RatedServer,
  { from, until, step }: { from: number; until: number; step: number },
): Promise<{ steps: RatedStep[]; worst: { measure: HistoryMeasure; value: number; at: number }[] }> {
  const [row] = await query(STEPS, { ...minutesOf(server, from, until), step: step / MINUTE });
  return {
    steps: parseRows(row?.steps).map((figures) => {
      const [place = 0, late = 0] = figures;
      return { at: place * step, bands: parseBandsInOrder(figures, 2), late };
    }),
    worst: HISTORY_MEASURES.flatMap((measure, index) => {
      const [value, at] = row?.worst[index] ?? [];
      return value === undefined || at === undefined ? [] : [{ measure, value, at }];
    }),
  };
}

function minutesOf({ id, cores, countsFrom }: RatedServer, from: number, until: number) {
  const since = new Date((Math.floor(from / HOUR) - HOURS_BEFORE) * HOUR);
  return { serverId: id, since, until: new Date(until), cores, countsFrom, from: Math.floor(from / MINUTE) };
}

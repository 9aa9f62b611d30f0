import { db } from "@/lib/database/client";
import { bePresent } from "@/lib/servers/events/presence";
import { findDifference, historyOf } from "@/lib/servers/events/random-histories";
import { listServerEvents } from "@/lib/servers/events/server-events";
import { ONLINE_WINDOW } from "@/lib/servers/events/silence";
import { watchServers } from "@/lib/servers/events/watch";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { eachMeasurement } from "@/lib/servers/telemetry/measurements";
import { DAY, MINUTE } from "@/lib/time";

const NO_SAMPLE = eachMeasurement(() => null);

/**
 * Plays the histories of these seeds on the database of this process, each with a server of its own, and answers what
 * differs from the model; and how many events of each kind there were.
 */
export async function playHistories(accountId: number, first: number, last: number) {
  const wrong: string[] = [];
  const kinds: Record<string, number> = {};
  for (let seed = first; seed <= last; seed++) {
    await db.server.deleteMany({});
    await db.blindTime.deleteMany({});
    await db.consolePresence.deleteMany({});
    const difference = await play(accountId, seed, kinds);
    if (difference !== null) wrong.push(`seed ${seed}: ${difference}`);
  }
  return { wrong, kinds };
}

async function play(accountId: number, seed: number, kinds: Record<string, number>): Promise<string | null> {
  // Partitions are made for the days around today.
  const history = historyOf(seed, Math.floor(Date.now() / MINUTE) * MINUTE);
  const createdAt = new Date((history[0]?.now ?? 0) - DAY);
  const { id } = await db.server.create({
    data: { accountId, label: "l", hostname: "h", createdAt, lastSeenAt: createdAt },
    select: { id: true },
  });
  for (const step of history) {
    if (step.what === "check-in") {
      const arrival = { sampledAt: new Date(step.sampledAt), arrivedAt: new Date(step.now) };
      await storeCheckIn(id, { sample: NO_SAMPLE }, arrival);
    } else {
      // Two instances at once.
      const take = step.what === "present" ? bePresent : watchServers;
      await Promise.all([take(step.now), take(step.now)]);
    }
    if (step.what !== "watch") continue;
    const { lastSeenAt } = await db.server.findUniqueOrThrow({ where: { id }, select: { lastSeenAt: true } });
    if (lastSeenAt.getTime() === createdAt.getTime()) continue;
    const open = (await eventsOf(id, step.now)).filter(({ to }) => to === null);
    const wanted = step.now - lastSeenAt.getTime() > ONLINE_WINDOW ? 1 : 0;
    if (open.length !== wanted) return `at ${step.now}: ${JSON.stringify(open)}`;
  }
  const end = history.at(-1)?.now ?? 0;
  const events = await eventsOf(id, end);
  for (const { kind } of events) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return findDifference(history, events, end);
}

const eventsOf = async (id: number, now: number) =>
  (await listServerEvents(id, { from: 0, to: now + DAY }, now)).silences;

/** Stores a check-in of a server at `at` (epoch ms). */
export async function storeAt(id: number, at: number): Promise<void> {
  await storeCheckIn(id, { sample: NO_SAMPLE }, { sampledAt: new Date(at), arrivedAt: new Date(at) });
}

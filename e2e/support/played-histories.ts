import { findDifference, historyOf } from "@/e2e/support/random-histories";
import { db } from "@/lib/database/client";
import { DAY, MINUTE } from "@/lib/format/time";
import { bePresent } from "@/lib/servers/events/presence";
import { listServerEvents } from "@/lib/servers/events/server-events";
import { ONLINE_WINDOW } from "@/lib/servers/events/silence";
import { watchServers } from "@/lib/servers/events/watch";
import { getServer, listFleet } from "@/lib/servers/servers";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { eachMeasurement } from "@/lib/servers/telemetry/measurements";

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
    const [fleet] = await listFleet(accountId, step.now);
    const said = fleet?.need === "offline" || fleet?.need === "unknown" ? fleet.need : undefined;
    if (said !== open[0]?.kind)
      return `at ${step.now}: the fleet says ${fleet?.need}, the events ${JSON.stringify(open)}`;
    const wanted = step.now - lastSeenAt.getTime() > ONLINE_WINDOW ? 1 : 0;
    if (open.length !== wanted) return `at ${step.now}: ${JSON.stringify(open)}`;
    const { online } = await getServer(accountId, String(id), step.now);
    if (online === (wanted === 1) || fleet?.online !== online)
      return `at ${step.now}: the API says ${online}, the fleet ${fleet?.online}, the events ${JSON.stringify(open)}`;
  }
  const end = history.at(-1)?.now ?? 0;
  const { silences, others } = await listServerEvents(id, { from: 0, to: end + DAY }, end);
  for (const { kind } of [...silences, ...others]) kinds[kind] = (kinds[kind] ?? 0) + 1;
  // A server that measures nothing has a strained score whenever it is heard.
  const inSilence = others.find(
    ({ kind, from, to }) =>
      kind === "strained" && silences.some((silence) => silence.from < (to ?? end) && (silence.to ?? end) > from),
  );
  if (inSilence) return `strained in a silence: ${JSON.stringify({ inSilence, silences })}`;
  return findDifference(history, silences, end);
}

const eventsOf = async (id: number, now: number) =>
  (await listServerEvents(id, { from: 0, to: now + DAY }, now)).silences;

/** Stores a check-in of a server at `at` (epoch ms). */
export async function storeAt(id: number, at: number): Promise<void> {
  await storeCheckIn(id, { sample: NO_SAMPLE }, { sampledAt: new Date(at), arrivedAt: new Date(at) });
}

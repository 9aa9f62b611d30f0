import { setTimeout as sleep } from "node:timers/promises";
import { pauseTree } from "@/e2e/support/pause-tree";
import type { PostgresServer } from "@/e2e/support/postgres-server";
import type { RedisServer } from "@/e2e/support/redis-server";
import { SECOND } from "@/lib/format/time";
import type { Outage } from "./judge";

/** How long a store is away, and how long nothing is done to any of them after that. */
const AWAY = 4 * SECOND;
const CALM = 4 * SECOND;
const RECOVERY = 60 * SECOND;
/** Between two rounds: the limit's minute passes while all instances count together. */
const PEACE = 75 * SECOND;

export type Trouble = Outage & { what: string; store: "PostgreSQL" | "Redis" };

/** Freezes, kills and restarts the stores in turn until the time is up. The round that has begun is finished. */
export async function troubleStores(
  postgres: PostgresServer,
  redis: RedisServer,
  origins: readonly string[],
  until: number,
): Promise<Trouble[]> {
  const troubles: Trouble[] = [];
  const trouble = async (store: Trouble["store"], how: string, begin: () => unknown, end: () => unknown) => {
    await sleep(CALM);
    const [from, later] = [Date.now(), Number.POSITIVE_INFINITY];
    const span: Trouble = { what: `${store} ${how}`, store, from, goneAt: later, to: later };
    troubles.push(span);
    await begin();
    span.goneAt = Date.now();
    await sleep(AWAY);
    await end();
    if (store === "PostgreSQL") await untilReady(origins);
    span.to = Date.now();
  };
  for (let round = 0; round === 0 || Date.now() + PEACE < until; round++) {
    if (round > 0) await sleep(PEACE);
    await trouble(
      "Redis",
      "frozen",
      () => redis.process().kill("SIGSTOP"),
      () => redis.process().kill("SIGCONT"),
    );
    let paused: { resume(): void } | undefined;
    await trouble(
      "PostgreSQL",
      "frozen",
      () => {
        paused = pauseTree(postgres.process());
      },
      () => paused?.resume(),
    );
    await trouble("Redis", "killed", redis.kill, redis.restart);
    await trouble("PostgreSQL", "killed", postgres.kill, postgres.restart);
  }
  await sleep(Math.max(CALM, until - Date.now()));
  return troubles;
}

/** Waits until each instance says so itself. */
async function untilReady(origins: readonly string[]): Promise<void> {
  for (const end = Date.now() + RECOVERY; Date.now() < end; await sleep(100)) {
    const statuses = await Promise.all(origins.map(async (origin) => (await fetch(`${origin}/readyz`)).status));
    if (statuses.every((status) => status === 200)) return;
  }
}

import { HOUR, MINUTE, SECOND } from "@/lib/format/time";

/** How long an account is left out after its first fault, its second, and each further one, in milliseconds. */
const WAITS = [10 * SECOND, MINUTE, 10 * MINUTE];
/** Without a fault for so long since, the next one is the first again. */
const FORGOTTEN_AFTER = HOUR;

/** The accounts whose planning failed in this process, so that they do not hold up the others. */
export class SetAside {
  readonly #faults = new Map<number, { count: number; until: number }>();

  /** The accounts that are left out now. */
  accounts(now: number = performance.now()): number[] {
    for (const [accountId, { until }] of this.#faults) {
      if (until + FORGOTTEN_AFTER < now) this.#faults.delete(accountId);
    }
    return [...this.#faults].flatMap(([accountId, { until }]) => (until > now ? [accountId] : []));
  }

  /** Leaves an account out. Answers for how long, in milliseconds. */
  add(accountId: number, now: number = performance.now()): number {
    const count = this.#faults.get(accountId)?.count ?? 0;
    const wait = WAITS[Math.min(count, WAITS.length - 1)] ?? 0;
    this.#faults.set(accountId, { count: count + 1, until: now + wait });
    return wait;
  }

  /** Its planning succeeded. */
  clear(accountId: number): void {
    this.#faults.delete(accountId);
  }
}

import { attempt } from "@/lib/database/repeat";
import { SECOND } from "@/lib/format/time";
import { type Channel, type Claim, claimChannels } from "@/lib/notices/claims";
import type { Message, Outcome } from "@/lib/notices/message";
import { nextMessage } from "@/lib/notices/next-message";
import { endDelivered, endFailed } from "@/lib/notices/outcomes";
import { makeRows } from "@/lib/notices/rows";
import { keyId } from "@/lib/notices/secrets";
import { pause, runInBackground } from "@/lib/process/background";
import { env } from "@/lib/process/env";
import { perProcess } from "@/lib/process/per-process.mjs";

// The loop of each instance: makes rows of what has begun and ended, takes channels that have something due, and sends each one
// message of what is so. Nothing is held while it is on its way.

/** Sends one message through a channel. It never throws, and ends soon after the signal, and by itself within half a lease. */
export type Deliver = (channel: Channel, message: Message, signal: AbortSignal) => Promise<Outcome>;

/** How often an instance looks. With nothing to do, a look is five small statements. */
export const LOOK_EVERY = 2 * SECOND;
/** Messages that an instance has on their way at a time. All mail goes through one server: while that hangs, the others do not wait. */
const AT_ONCE = { mail: 30, others: 30 };

/** What has come to its end in this process: messages that were delivered, and that were given up. */
export const noticeCounts = perProcess("notice-counts", () => ({ delivered: 0, undelivered: 0 }));

export class Sending {
  readonly #running = { mail: new Set<Promise<void>>(), others: new Set<Promise<void>>() };
  readonly #ending = new AbortController();

  constructor(readonly deliver: Deliver) {}

  /** Begins to send what is due, as far as there is room. Does not wait for its end. Answers how many began. */
  async send(): Promise<number> {
    const keys = env.noticeKeys.map(keyId);
    let begun = 0;
    for (const by of ["mail", "others"] as const) {
      const running = this.#running[by];
      const claims = await claimChannels(by === "mail", AT_ONCE[by] - running.size, keys);
      begun += claims.length;
      for (const claim of claims) {
        // After a failure the lease runs out, and another attempt is made.
        const one = attempt("sending a notice", () => this.#attempt(claim)).finally(() => running.delete(one));
        running.add(one);
      }
    }
    return begun;
  }

  /** Gives up what is on its way: the process ends. Another attempt is made later. */
  end(): Promise<void> {
    this.#ending.abort();
    return this.idle();
  }

  /** Resolves when nothing is on its way. */
  async idle(): Promise<void> {
    const { mail, others } = this.#running;
    while (mail.size + others.size > 0) await Promise.all([...mail, ...others]);
  }

  async #attempt(claim: Claim): Promise<void> {
    const sent = await nextMessage(claim);
    if (!sent) return;
    const { channel, message } = sent;
    const outcome = await this.deliver(channel, message, this.#ending.signal);
    if (outcome.kind === "delivered") {
      noticeCounts.delivered++;
      await endDelivered(claim, sent, outcome.note ?? null);
    } else if (await endFailed(claim, sent, outcome)) noticeCounts.undelivered++;
  }
}

/** Looks every few seconds, and at once while there is more, until the process ends. */
export function startSending(deliver: Deliver): void {
  const sending = new Sending(deliver);
  runInBackground("notices", async () => {
    let wait = LOOK_EVERY;
    while (await pause(wait)) {
      wait = LOOK_EVERY;
      await attempt("making notices", async () => {
        if (await makeRows()) wait = SECOND / 10;
      });
      await attempt("notices", async () => {
        if ((await sending.send()) > 0) wait = SECOND / 10;
      });
    }
    await sending.end();
  });
}

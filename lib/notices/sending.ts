import { randomUUID } from "node:crypto";
import { attempt } from "@/lib/database/repeat";
import { transaction } from "@/lib/database/run-statement";
import { SECOND } from "@/lib/format/time";
import {
  type Channel,
  type Claim,
  claimChannels,
  drop,
  dropAll,
  endDelivered,
  endFailed,
  lockRows,
  putOff,
  type Row,
  readChannel,
  release,
  repeatMessage,
  storeMessage,
} from "@/lib/notices/claims";
import { readRules } from "@/lib/notices/kinds";
import type { Message, Outcome } from "@/lib/notices/message";
import { quietUntil } from "@/lib/notices/quiet-hours";
import { makeRows } from "@/lib/notices/rows";
import { keyId } from "@/lib/notices/secrets";
import { textOf } from "@/lib/notices/wording";
import { pause, runInBackground } from "@/lib/process/background";
import { env } from "@/lib/process/env";
import { perProcess } from "@/lib/process/per-process.mjs";

// The loop of each instance: makes rows of what has begun and ended, takes channels that have something due, and sends each one
// message of what is so. Nothing is held while it is on its way.

/** Sends one message through a channel. It never throws, and ends soon after the signal. */
export type Deliver = (
  channel: Pick<Channel, "id" | "accountId" | "kind" | "sealed" | "email">,
  message: Message,
  signal: AbortSignal,
) => Promise<Outcome>;

/** How often an instance looks. With nothing to do, a look is ten small statements. */
export const LOOK_EVERY = 2 * SECOND;
/** Messages that an instance has on their way at a time. */
const AT_ONCE = 50;
/** Of them by mail, which all goes through one server: while that hangs, the others do not wait. */
const MAILS_AT_ONCE = 30;
/** An attempt that takes longer is given up. Shorter than a lease. */
const ATTEMPT_WITHIN = 40 * SECOND;
const TOO_LATE: Outcome = { kind: "again", reason: `It did not end within ${ATTEMPT_WITHIN / SECOND} seconds.` };

/** What has come to its end in this process: messages that were delivered, and that were given up. */
export const noticeCounts = perProcess("notice-counts", () => ({ delivered: 0, undelivered: 0 }));

export class Sending {
  readonly #running = new Set<Promise<void>>();
  #mails = 0;
  readonly #ending = new AbortController();

  constructor(readonly deliver: Deliver) {}

  /** Begins to send what is due, as far as there is room. Does not wait for its end. Answers how many began. */
  async send(): Promise<number> {
    const room = AT_ONCE - this.#running.size;
    const keys = env.noticeKeys.map(keyId);
    const claims = room > 0 ? await claimChannels(room, MAILS_AT_ONCE - this.#mails, keys) : [];
    for (const claim of claims) {
      if (claim.isMail) this.#mails++;
      // After a failure the lease runs out, and another attempt is made.
      const running = attempt("sending a notice", () => this.#attempt(claim)).finally(() => {
        if (claim.isMail) this.#mails--;
        this.#running.delete(running);
      });
      this.#running.add(running);
    }
    return claims.length;
  }

  /** Gives up what is on its way: the process ends. Another attempt is made later. */
  end(): Promise<void> {
    this.#ending.abort();
    return this.idle();
  }

  /** Resolves when nothing is on its way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #attempt(claim: Claim): Promise<void> {
    const channel = await readChannel(claim);
    if (!channel) return;
    const { hindrance, repeat, freeAt, now } = channel;
    if (hindrance !== null) return dropAll(claim, hindrance);
    if (repeat) {
      const isMine = await repeatMessage(claim, repeat.id);
      return isMine ? this.#deliver(claim, channel, repeat.content, true) : undefined;
    }
    const quiet = quietUntil(channel)(now);
    if (quiet !== null) return release(claim, { wait: quiet - now, for: "quiet" });
    if (freeAt !== null) return release(claim, { wait: Math.max(SECOND, freeAt - now), for: "limit" });
    const message = await compose(claim, channel);
    if (message) await this.#deliver(claim, channel, message, false);
    else await release(claim);
  }

  async #deliver(claim: Claim, channel: Channel, message: Message, isRepeat: boolean): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(ATTEMPT_WITHIN), this.#ending.signal]);
    // A channel that does not obey the signal delays no other.
    const late = new Promise<Outcome>((resolve) => {
      signal.addEventListener("abort", () => setTimeout(resolve, SECOND, TOO_LATE).unref());
    });
    const outcome = await Promise.race([this.deliver(channel, message, signal), late]);
    if (outcome.kind === "delivered") {
      noticeCounts.delivered++;
      return endDelivered(claim, message.id, outcome.note ?? null);
    }
    const again = outcome.kind === "again" ? outcome : null;
    const isGivenUp = await endFailed(claim, {
      message: message.id,
      reason: outcome.reason,
      wait: again?.afterSeconds === undefined ? null : again.afterSeconds * SECOND,
      mayHaveArrived: isRepeat || again?.arrived !== "no",
      isRefused: again === null,
    });
    if (isGivenUp) noticeCounts.undelivered++;
  }
}

/** Writes one message of all that is due at a channel and so at this moment, and keeps it. Null: there is nothing to say now. */
function compose(claim: Claim, channel: Channel): Promise<Message | null> {
  const { now, zone, lastUntil, heldFor } = channel;
  const rules = readRules(channel.rules);
  return transaction(async (ask) => {
    const told: Row[] = [];
    const dropped = new Map<string, number[]>();
    const waiting = new Map<string, number[]>();
    for (const row of await lockRows(ask, channel.id, now)) {
      const reason = whyNot(row, rules.of(row.kind).isOn);
      if (reason !== null) add(dropped, reason, row.id);
      else if (row.wait) add(waiting, JSON.stringify(row.wait), row.id);
      else told.push(row);
    }
    for (const [reason, ids] of dropped) await drop(ask, ids, reason);
    for (const [wait, ids] of waiting) await putOff(ask, ids, JSON.parse(wait));
    if (told.length === 0) return null;
    const text = textOf(told, { now, zone, lastUntil, isLate: heldFor === "limit" });
    const message = { id: randomUUID(), ...text, at: new Date(now).toISOString() };
    const attempts = Math.max(...told.map((row) => row.attempts)) + 1;
    return (await storeMessage(ask, claim, { message, attempts, ids: told.map(({ id }) => id) })) ? message : null;
  });
}

function add(to: Map<string, number[]>, key: string, id: number): void {
  const ids = to.get(key);
  if (ids) ids.push(id);
  else to.set(key, [id]);
}

/** Why a row is told to nobody; null: it is told. */
function whyNot({ isAllowed, isEnd, begin, wait }: Row, isOn: boolean): string | null {
  if (!isAllowed) return "It is no longer shared with you, or you no longer want to be told of what is.";
  if (!isOn) return "You no longer want to be told of this.";
  if (!isEnd || begin === "told" || wait) return null;
  return begin === "due"
    ? "Its beginning was not told yet, and says that it is over."
    : "Its beginning was never told.";
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

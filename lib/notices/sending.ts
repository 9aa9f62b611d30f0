import { isDatabaseUnavailable } from "@/lib/database/health";
import { attempt } from "@/lib/database/repeat";
import { MINUTE, SECOND } from "@/lib/format/time";
import type { Outcome } from "@/lib/notices/message";
import {
  type Channel,
  type Claim,
  type Content,
  claimDeliveries,
  endDelivery,
  keepContent,
  type Loaded,
  loadDelivery,
  postpone,
  tryAgain,
} from "@/lib/notices/outbox";
import { planAccount } from "@/lib/notices/planning";
import { SetAside } from "@/lib/notices/set-aside";
import { heldBackLine, isOver, textOf } from "@/lib/notices/wording";
import { ACCOUNTS_AT_ONCE, disregardUntold, findAccountsWithWork } from "@/lib/notices/work";
import { pause, runInBackground } from "@/lib/process/background";
import { logFault } from "@/lib/process/faults.mjs";
import { perProcess } from "@/lib/process/per-process.mjs";

// The loop of each instance: considers events, claims what is due, and sends it. Between statements nothing is held.

/** Sends one message through a channel. It never throws, and ends soon after the signal. */
type Deliver = (
  channel: Channel,
  message: Content["message"],
  options: { id: string; signal: AbortSignal },
) => Promise<Outcome>;

/** How often an instance looks. With nothing to do, a look is three small statements. */
export const LOOK_EVERY = 2 * SECOND;
/** Deliveries that an instance has on their way at a time. */
const AT_ONCE = 50;
/** Of them by mail, which all goes through one server: while that hangs, the others do not wait. */
const MAILS_AT_ONCE = 30;
/** Waits between attempts, in milliseconds; after the last one a message is undelivered. */
const WAITS = [10 * SECOND, MINUTE, 10 * MINUTE, 60 * MINUTE, 360 * MINUTE];
/** Waits are longer by up to this part, so that what failed together does not come back together. */
const JITTER = 0.2;
/** An attempt that takes longer is given up. Shorter than a lease. */
const ATTEMPT_WITHIN = 40 * SECOND;

/** A statement of 2.5 s is cancelled, which looks as if the database were away. A plan that fails after this time is slow itself. */
const SLOW_PLAN = 2 * SECOND;

/** What has come to its end in this process: messages to channels that were delivered, and that were given up. */
export const noticeCounts = perProcess("notice-counts", () => ({ delivered: 0, undelivered: 0 }));

export class Sending {
  readonly #running = new Set<Promise<void>>();
  #mails = 0;
  readonly #ending = new AbortController();
  /** Those that are not planned for now. */
  readonly setAside = new SetAside();

  constructor(readonly deliver: Deliver) {}

  /** Considers what is new. True: not all of it. */
  async plan(): Promise<boolean> {
    await disregardUntold();
    const accounts = await findAccountsWithWork(this.setAside.accounts());
    for (const accountId of accounts) await this.#planOne(accountId);
    return accounts.length === ACCOUNTS_AT_ONCE;
  }

  /** An account whose plan fails is left out for a while, so that the others are planned. */
  async #planOne(accountId: number): Promise<void> {
    const began = performance.now();
    try {
      await planAccount(accountId);
      this.setAside.clear(accountId);
    } catch (error) {
      if (isDatabaseUnavailable(error) && performance.now() - began < SLOW_PLAN) throw error;
      const wait = this.setAside.add(accountId);
      logFault("planning notices failed", error, { accountId, nextInSeconds: wait / SECOND });
    }
  }

  /** Begins to send what is due, as far as there is room. Does not wait for its end. Answers how many began. */
  async send(): Promise<number> {
    const room = AT_ONCE - this.#running.size;
    const claims = room > 0 ? await claimDeliveries(room, MAILS_AT_ONCE - this.#mails) : [];
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
    const loaded = await loadDelivery(claim);
    if (!loaded) return;
    const ready = prepare(claim, loaded);
    if (ready.kind === "later") return postpone(claim, ready);
    if (ready.kind === "dropped") {
      return endDelivery(claim, { state: "dropped", reason: ready.reason, failed: false, turnOff: false });
    }
    if (ready.content !== loaded.content && !(await keepContent(claim, ready.content))) return;
    // What was kept may have arrived with an earlier attempt.
    await this.#settle(claim, await this.#deliver(claim, loaded, ready.content), loaded.content !== null);
  }

  async #deliver({ id }: Claim, { channel }: Loaded, { message }: Content): Promise<Outcome> {
    const signal = AbortSignal.any([AbortSignal.timeout(ATTEMPT_WITHIN), this.#ending.signal]);
    // A channel that does not obey the signal delays no other.
    const late = new Promise<Outcome>((resolve) => {
      signal.addEventListener("abort", () => setTimeout(resolve, SECOND, TOO_LATE).unref());
    });
    return Promise.race([this.deliver(channel, message, { id, signal }), late]);
  }

  async #settle(claim: Claim, outcome: Outcome, mayHaveArrived: boolean): Promise<void> {
    if (outcome.kind === "delivered") {
      noticeCounts.delivered++;
      return endDelivery(claim, { state: "delivered", reason: outcome.note ?? null, failed: false, turnOff: false });
    }
    const wait = WAITS[claim.attempt - 1];
    const { reason } = outcome;
    if (outcome.kind === "again" && wait !== undefined) {
      const { afterSeconds, arrived } = outcome;
      const jitter = 1 + Math.random() * JITTER;
      return tryAgain(claim, {
        wait: Math.max(wait * jitter, (afterSeconds ?? 0) * SECOND),
        reason,
        mayHaveArrived: mayHaveArrived || arrived !== "no",
        holdsChannel: afterSeconds !== undefined,
      });
    }
    noticeCounts.undelivered++;
    await endDelivery(claim, { state: "undelivered", reason, failed: true, turnOff: outcome.kind === "refused" });
  }
}

const TOO_LATE: Outcome = { kind: "again", reason: `It did not end within ${ATTEMPT_WITHIN / SECOND} seconds.` };

type Ready =
  | { kind: "ready"; content: Content }
  | { kind: "later"; wait: number; holdsChannel: boolean }
  | { kind: "dropped"; reason: string };

/** What is sent, in the moment before it is. What may have arrived is sent as it was, but for a line if it is the last of an hour. */
function prepare({ id }: Claim, loaded: Loaded): Ready {
  const { kind, content, facts, threadDelivery, freeAt, lastUntil, waiting, now, zone } = loaded;
  if (loaded.hindrance) return { kind: "dropped", reason: loaded.hindrance };
  if (freeAt !== null && kind !== "test") {
    // What waited for its receiver does not come all at once, and what is over leaves its place to what goes on.
    const isPast = kind === "begun" && loaded.incidents.length > 0 && loaded.incidents.every(isOver);
    const wait = Math.max(SECOND, freeAt - now);
    return isPast && !content && wait > MINUTE
      ? { kind: "dropped", reason: "It was over by then, and twenty messages an hour are the most." }
      : { kind: "later", wait, holdsChannel: true };
  }
  const heldBackUntil = Math.max(lastUntil ?? 0, facts.heldBackUntil ?? 0);
  const heldBack = kind !== "test" && heldBackUntil > now ? { until: heldBackUntil, waiting } : null;
  if (content) {
    if (!heldBack || content.saysHeld) return { kind: "ready", content };
    const lines = [...content.message.lines, heldBackLine(heldBack, now, zone)];
    return { kind: "ready", content: { ...content, message: { ...content.message, lines }, saysHeld: true } };
  }
  let incidents = loaded.incidents;
  if (kind === "ended") {
    const before = incidents.find(({ beginning }) => beginning?.state === "due")?.beginning;
    if (before) return { kind: "later", wait: Math.max(SECOND, before.at + SECOND - now), holdsChannel: false };
    incidents = incidents.filter(({ beginning }) => beginning?.state === "delivered" && !beginning.saidOver);
    if (incidents.length === 0)
      return {
        kind: "dropped",
        reason: "This channel was never told that it began, or was told at once that it is over.",
      };
  }
  if (kind === "still") {
    incidents = incidents.filter((one) => !isOver(one));
    if (incidents.length === 0) return { kind: "dropped", reason: "It was over by then." };
  }
  const { flapping = [], unsent = null } = facts;
  const text = textOf({ kind, incidents, flapping, unsent, heldBack }, now, zone);
  const over =
    kind === "begun" ? incidents.filter((one) => isOver(one) && !flapping.includes(one.id)).map((one) => one.id) : [];
  const message = {
    id,
    account: loaded.accountId,
    thread: threadDelivery ?? id,
    at: new Date(now).toISOString(),
    ...text,
  };
  return { kind: "ready", content: { message, over, ...(heldBack && { saysHeld: true }) } };
}

/** Looks every few seconds, and at once while there is more, until the process ends. */
export function startSending(deliver: Deliver): Sending {
  const sending = new Sending(deliver);
  runInBackground("notices", async () => {
    let wait = LOOK_EVERY;
    while (await pause(wait)) {
      wait = LOOK_EVERY;
      await attempt("notices", async () => {
        const isMore = await sending.plan();
        if ((await sending.send()) > 0) wait = SECOND;
        if (isMore) wait = SECOND / 10;
      });
    }
    await sending.end();
  });
  return sending;
}

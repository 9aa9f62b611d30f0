/** Who a share is charged to. A number is an account, an edge node or all nodes. A text is the network of an unknown caller. */
export type Payer = number | string;

/** The limits of a resource. */
export type Capacity = {
  /** In total. */
  all: number;
  /** Per payer. */
  each: number;
  /** Per payer while no other payer holds or waits for anything, and no other account did a moment ago. */
  alone?: number | undefined;
  /**
   * In milliseconds. A payer that worked for longer than this pauses as long before it gets more, a second at most, so it
   * is served for half of the time. Not while `alone` applies to it.
   */
  restsOver?: number;
  /** For all networks together. */
  networks: number;
};

/** An amount of each resource, in the order of the capacities. */
export type Amounts = readonly number[];

/** A kind of request: what it takes, how long it may wait, and how many of its kind may wait. */
export type Purpose = {
  name: string;
  takes: Amounts;
  /** In milliseconds. A refusal announces the same time. */
  longestWait: number;
  /** Places to wait: for one payer, and for all together. Networks get half of the latter. */
  waitingEach: number;
  waitingAll: number;
  counts: Counts;
};

/** How many were let in at once, let in after a wait, and refused since the process started; and how many wait now. */
type Counts = { atOnce: number; waited: number; refused: number; waiting: number };
export const noCounts = (): Counts => ({ atOnce: 0, waited: 0, refused: 0, waiting: 0 });

/** What a payer holds until it gives it back. */
export type Place = {
  /**
   * Keeps only these amounts. They may exceed what was taken; the payer then gets nothing new until it is within its
   * share. After `release` it does nothing.
   */
  keep(left: Amounts): void;
  /** Takes more, if that is there and within the share. False: nothing has changed. */
  more(needs: Amounts): boolean;
  /** Gives everything back. Calling it twice is harmless. `workedMs`: how long it was in use; by default since it was taken. */
  release(workedMs?: number): void;
};

/** A refusal. The payer's own queue has room again after `retryMs`. */
export type Refusal = { retryMs: number };

type Waiter = { needs: Amounts; own: string; end(isAdmitted: boolean): void };

/** The requests of one payer that wait for one purpose. */
type Queue = {
  id: string;
  payer: Payer;
  purpose: Purpose;
  length: number;
  /** By `own`. The first entry has the next turn within the payer. */
  waiters: Map<string, Waiter[]>;
};

/** In order of turns: the first queue is next. */
type QueuesByTurn = Map<string, Queue>;

/** In milliseconds: how long no other account may have taken anything until a payer counts as alone. */
const ALONE_AFTER = 100;

/** In milliseconds. A database that answers slowly is no reason to rest. */
const LONGEST_REST = 1000;

/** Expired entries of closed queues are removed when there are this many. */
const MANY_CLOSED = 1000;

/**
 * Shares scarce resources between payers. A payer holds at most its share and waits in a queue of its own. Queues take
 * turns, and so do accounts and networks. Networks together leave a part to the accounts. Asking more often gains
 * nothing: it fills the payer's own queue.
 */
export class Admission {
  readonly #capacities: readonly Capacity[];
  /** Payers that hold nothing are not in it. */
  readonly #held = new Map<Payer, number[]>();
  readonly #heldByAll: number[];
  readonly #heldByNetworks: number[];
  readonly #accounts: QueuesByTurn = new Map();
  readonly #networks: QueuesByTurn = new Map();
  #isNetworksTurn = false;
  #waiting = 0;
  /** By resource: whether a waiting request is within its share but lacks it. New requests must not take it first. */
  readonly #isWanted: boolean[];
  /** The account that took something last, and since when no other did. */
  #lastAccount: number | null = null;
  #lastAccountSince = Number.NEGATIVE_INFINITY;
  /** By resource that rests: the payers that do now, and until when. */
  readonly #resting: readonly (Map<Payer, number> | null)[];
  /** By queue: when a queue that was full opens again. All its waiters are out by then. */
  readonly #closedUntil = new Map<string, number>();

  constructor(capacities: readonly Capacity[]) {
    this.#capacities = capacities;
    this.#heldByAll = capacities.map(() => 0);
    this.#heldByNetworks = capacities.map(() => 0);
    this.#isWanted = capacities.map(() => false);
    this.#resting = capacities.map(({ restsOver }) => (restsOver === undefined ? null : new Map()));
  }

  /** Takes a place if one is free and no waiting request comes first. Else null. One map look-up while nobody waits. */
  enter(purpose: Purpose, payer: Payer, needs: Amounts = purpose.takes): Place | null {
    const held = this.#held.get(payer);
    if (this.#waiting > 0 && this.#turnsOf(payer).has(idOf(purpose, payer))) return null;
    const canWait = purpose.waitingAll > 0;
    if (!this.#isWithinShare(payer, held, needs, canWait) || this.#isShort(needs)) return null;
    purpose.counts.atOnce++;
    return this.#take(payer, held, needs);
  }

  /**
   * Waits for a place. Requests of one payer that differ in `own` take turns within the turn of the payer. A refusal
   * comes when the longest wait is over (that of the purpose, or `longest` in ms), when the payer's queue is full, or when
   * `signal` says that the client left.
   */
  wait(
    purpose: Purpose,
    payer: Payer,
    own: string,
    needs: Amounts = purpose.takes,
    { signal, longest = Infinity }: { signal?: AbortSignal | undefined; longest?: number } = {},
  ): Promise<Place | Refusal> {
    const { counts, longestWait } = purpose;
    const closedFor = this.#closedFor(purpose, payer);
    if (closedFor > 0 || longest <= 0 || signal?.aborted || !this.#findRoomToWait(purpose, payer)) {
      counts.refused++;
      return Promise.resolve({ retryMs: closedFor > 0 ? closedFor : longestWait });
    }
    return new Promise((resolve) => {
      const queue = this.#queueOf(purpose, payer);
      const waiter: Waiter = {
        needs,
        own,
        end: (isAdmitted) => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", giveUp);
          this.#leave(queue, waiter);
          counts[isAdmitted ? "waited" : "refused"]++;
          resolve(isAdmitted ? this.#take(payer, this.#held.get(payer), needs) : { retryMs: longestWait });
        },
      };
      const giveUp = () => {
        waiter.end(false);
        // Resources reserved for this request are free for others now.
        this.#admit();
      };
      const timer = setTimeout(giveUp, Math.min(longest, longestWait));
      signal?.addEventListener("abort", giveUp);
      this.#join(queue, waiter);
      this.#admit();
    });
  }

  /** Milliseconds for which another request would be refused. 0 if it could enter or wait. */
  refusedFor(purpose: Purpose, payer: Payer): number {
    const length = this.#turnsOf(payer).get(idOf(purpose, payer))?.length ?? 0;
    const { takes, waitingEach, longestWait } = purpose;
    const isFree = this.#isWithinShare(payer, this.#held.get(payer), takes) && !this.#isShort(takes);
    if (length === 0 && isFree) return 0;
    return this.#closedFor(purpose, payer) || (length >= waitingEach ? longestWait : 0);
  }

  /** Whether a waiting request is within its share but lacks this resource. */
  isWanted(resource: number): boolean {
    return this.#waiting > 0 && this.#isWanted[resource] === true;
  }

  /** How much of each resource is held now. */
  held(): Amounts {
    return [...this.#heldByAll];
  }

  /** How many payers hold something or have a queue. */
  get payers(): number {
    return new Set([...this.#held.keys(), ...this.#queues().map(({ payer }) => payer)]).size;
  }

  /** Admits every request that may enter: one of each queue, then the next of each. */
  #admit(): void {
    if (this.#waiting === 0) return;
    this.#isWanted.fill(false);
    // A served queue moves to the end of its map, so these live iterators reach it again.
    const [accounts, networks] = [this.#accounts.values(), this.#networks.values()];
    let isNetworks = this.#isNetworksTurn;
    let ended = 0;
    while (ended < 2) {
      const { value: queue } = (isNetworks ? networks : accounts).next();
      ended = queue ? 0 : ended + 1;
      const isAdmitted = queue !== undefined && this.#admitNext(queue);
      if (isAdmitted || !queue) isNetworks = !isNetworks;
      if (isAdmitted) this.#isNetworksTurn = isNetworks;
    }
  }

  /** Tries to admit the next request of a queue. */
  #admitNext(queue: Queue): boolean {
    const [[waiter] = []] = queue.waiters.values();
    if (!waiter || !this.#isWithinShare(queue.payer, this.#held.get(queue.payer), waiter.needs)) return false;
    if (this.#isShort(waiter.needs)) {
      for (const [index, need] of waiter.needs.entries()) {
        if (need > 0 && !this.#hasLeft(index, need)) this.#isWanted[index] = true;
      }
      return false;
    }
    waiter.end(true);
    const turns = this.#turnsOf(queue.payer);
    if (turns.delete(queue.id)) turns.set(queue.id, queue);
    return true;
  }

  #take(payer: Payer, held: number[] | undefined, needs: Amounts): Place {
    if (payer !== this.#lastAccount && typeof payer === "number") {
      if (this.#lastAccount !== null) this.#lastAccountSince = performance.now();
      this.#lastAccount = payer;
    }
    let taken = needs;
    const since = this.#resting.some((resting, index) => resting && needs[index]) ? performance.now() : null;
    this.#add(payer, held, taken, 1);
    const become = (left: Amounts, workedMs?: number) => {
      if (taken === NOTHING) return;
      const before = taken;
      taken = left;
      if (left !== NOTHING) this.#add(payer, this.#held.get(payer), left, 1);
      this.#add(payer, this.#held.get(payer), before, -1);
      if (since !== null) this.#rest(payer, before, left, workedMs ?? performance.now() - since);
      this.#admit();
    };
    const more = (further: Amounts) => {
      const isFree = this.#isWithinShare(payer, this.#held.get(payer), further, false) && !this.#isShort(further);
      if (taken === NOTHING || !isFree) return false;
      this.#add(payer, this.#held.get(payer), further, 1);
      taken = taken.map((amount, index) => amount + (further[index] ?? 0));
      return true;
    };
    return { keep: (left) => become(left), more, release: (workedMs) => become(NOTHING, workedMs) };
  }

  #add(payer: Payer, known: number[] | undefined, amounts: Amounts, sign: 1 | -1): void {
    const held = known ?? this.#heldByAll.map(() => 0);
    if (!known) this.#held.set(payer, held);
    let isHolding = false;
    for (let index = 0; index < held.length; index++) {
      const amount = sign * (amounts[index] ?? 0);
      held[index] = (held[index] ?? 0) + amount;
      this.#heldByAll[index] = (this.#heldByAll[index] ?? 0) + amount;
      if (typeof payer === "string") this.#heldByNetworks[index] = (this.#heldByNetworks[index] ?? 0) + amount;
      if (held[index] !== 0) isHolding = true;
    }
    if (!isHolding) this.#held.delete(payer);
  }

  /** Has a payer rest after what it gave back entirely, as long as it worked with that. */
  #rest(payer: Payer, before: Amounts, left: Amounts, workedMs: number): void {
    const ms = Math.min(LONGEST_REST, workedMs);
    const end = performance.now() + ms;
    for (const [index, resting] of this.#resting.entries()) {
      const { restsOver = 0 } = this.#capacities[index] as Capacity;
      if (!resting || !before[index] || left[index] || workedMs <= restsOver) continue;
      resting.set(payer, end);
      setTimeout(() => {
        if (resting.get(payer) === end) resting.delete(payer);
        this.#admit();
      }, ms);
    }
  }

  /** Whether the payer stays within its share. A payer that holds nothing of a resource may always take it once. */
  #isWithinShare(payer: Payer, held: number[] | undefined, needs: Amounts, canWait = true): boolean {
    for (let index = 0; index < this.#capacities.length; index++) {
      const { each, alone = 0, networks } = this.#capacities[index] as Capacity;
      const [own, need] = [held?.[index] ?? 0, needs[index] ?? 0];
      // A payer that holds too much of any resource waits. Arriving bytes cannot wait, so only the resources they need count.
      const isRefused = own > 0 && own + need > each && (canWait || need > 0);
      const isResting = need > 0 && this.#resting[index]?.has(payer);
      if ((isRefused || isResting) && (own + need > alone || !this.#isAlone(payer))) return false;
      const ofNetworks = typeof payer === "string" && need > 0 ? (this.#heldByNetworks[index] ?? 0) : 0;
      if (ofNetworks > 0 && ofNetworks + need > networks) return false;
    }
    return true;
  }

  /**
   * Whether no other payer holds or waits for anything, nor did another account a moment ago: one whose requests are
   * short is here as long as it sends them.
   */
  #isAlone(payer: Payer): boolean {
    const isOther = (other: Payer) => other !== payer;
    if (isOther(this.#lastAccount ?? payer) || performance.now() - this.#lastAccountSince < ALONE_AFTER) return false;
    for (const holder of this.#held.keys()) if (isOther(holder)) return false;
    return !this.#queues().some((queue) => isOther(queue.payer));
  }

  /** Whether a resource is exhausted or reserved for a waiting request. */
  #isShort(needs: Amounts): boolean {
    for (let index = 0; index < needs.length; index++) {
      const need = needs[index] ?? 0;
      if (need > 0 && (!this.#hasLeft(index, need) || (this.#waiting > 0 && this.#isWanted[index]))) return true;
    }
    return false;
  }

  #hasLeft(index: number, need: number): boolean {
    const held = this.#heldByAll[index] ?? 0;
    return held === 0 || held + need <= (this.#capacities[index] as Capacity).all;
  }

  /** Whether one more may wait. If all places are taken, the longest queue gives one to a shorter queue. */
  #findRoomToWait(purpose: Purpose, payer: Payer): boolean {
    const length = this.#turnsOf(payer).get(idOf(purpose, payer))?.length ?? 0;
    if (length >= purpose.waitingEach) {
      this.#close(purpose, payer);
      return false;
    }
    const rivals = this.#queues(payer).filter((queue) => queue.purpose === purpose);
    const most = typeof payer === "string" ? purpose.waitingAll / 2 : purpose.waitingAll;
    const waiting = rivals.reduce((sum, queue) => sum + queue.length, 0);
    if (waiting < most) return true;
    const longest = rivals.reduce((a, b) => (b.length > a.length ? b : a));
    if (longest.length <= length + 1) return false;
    this.#close(purpose, longest.payer);
    const crowd = [...longest.waiters.values()].reduce((a, b) => (b.length > a.length ? b : a));
    crowd.at(-1)?.end(false);
    return true;
  }

  /** The queues that compete for waiting places. Networks compete with networks only, accounts with all. */
  #queues(payer: Payer = 0): Queue[] {
    return [...(typeof payer === "string" ? [] : this.#accounts.values()), ...this.#networks.values()];
  }

  #close(purpose: Purpose, payer: Payer): void {
    const now = performance.now();
    if (this.#closedUntil.size >= MANY_CLOSED) {
      for (const [id, until] of this.#closedUntil) if (until <= now) this.#closedUntil.delete(id);
    }
    this.#closedUntil.set(idOf(purpose, payer), now + purpose.longestWait);
  }

  /** In milliseconds. */
  #closedFor(purpose: Purpose, payer: Payer): number {
    if (this.#closedUntil.size === 0) return 0;
    const id = idOf(purpose, payer);
    const left = (this.#closedUntil.get(id) ?? 0) - performance.now();
    if (left <= 0) this.#closedUntil.delete(id);
    return Math.max(0, left);
  }

  #queueOf(purpose: Purpose, payer: Payer): Queue {
    const [id, turns] = [idOf(purpose, payer), this.#turnsOf(payer)];
    const queue = turns.get(id) ?? { id, payer, purpose, length: 0, waiters: new Map() };
    turns.set(id, queue);
    return queue;
  }

  #join(queue: Queue, waiter: Waiter): void {
    const others = queue.waiters.get(waiter.own);
    if (others) others.push(waiter);
    else queue.waiters.set(waiter.own, [waiter]);
    queue.length++;
    queue.purpose.counts.waiting++;
    this.#waiting++;
  }

  #leave(queue: Queue, waiter: Waiter): void {
    const left = queue.waiters.get(waiter.own)?.filter((other) => other !== waiter) ?? [];
    queue.waiters.delete(waiter.own);
    if (left.length > 0) queue.waiters.set(waiter.own, left);
    queue.length--;
    queue.purpose.counts.waiting--;
    this.#waiting--;
    if (queue.length === 0) this.#turnsOf(queue.payer).delete(queue.id);
  }

  #turnsOf(payer: Payer): QueuesByTurn {
    return typeof payer === "string" ? this.#networks : this.#accounts;
  }
}

const NOTHING: Amounts = [];

function idOf({ name }: Purpose, payer: Payer): string {
  return `${name} ${payer}`;
}

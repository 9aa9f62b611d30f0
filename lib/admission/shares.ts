import { availableParallelism } from "node:os";
import { MINUTE, SECOND } from "@/lib/format/time";
import { env } from "@/lib/process/env";
import { perProcess } from "@/lib/process/per-process";
import { logRepeated } from "@/lib/process/repeated.mjs";
import { inTime, LONGEST_WAIT, waitingTime } from "@/lib/process/request-context.mjs";
import { shared } from "@/lib/process/shared-with-server.mjs";
import { Admission, type Amounts, type Capacity, noCounts, type Payer, type Place, type Purpose } from "./admission";
import { BusyError } from "./busy-error";

const KB = 2 ** 10;
const MB = 2 ** 20;
const CORES = availableParallelism();

/** Connections reserved for looking up credentials, which is done for many requests at once. */
export const LOOKUP_CONNECTIONS = { tokens: 2, serverKeys: 1 };
const OTHER_CONNECTIONS = env.databasePoolSize - LOOKUP_CONNECTIONS.tokens - LOOKUP_CONNECTIONS.serverKeys;

/** How many connections a page and a form use at once. */
const PAGE_CONNECTIONS = 3;
const FORM_CONNECTIONS = 2;

/**
 * When a request is refused, in milliseconds after it came: not before, and at most so much later. A thousand clients that
 * ask again when they are refused must not do so in the same moment.
 */
const REFUSED_AFTER = { least: 1 * SECOND, spread: 1 * SECOND };

/** Gives one payer a part of a resource, and all networks together the same part. */
function share(all: number, part: number): Capacity {
  const each = Math.ceil(all * part);
  return { all, each, networks: each };
}

const CONNECTIONS = share(Math.max(1, OTHER_CONNECTIONS), 1 / 2);
const REPORTS_EACH = Math.min(2, CONNECTIONS.all);
const MAKING = 8 * MB * Math.max(1, Math.floor(CORES / 2));

/** The first bytes of each body, which have a share of their own: small bodies arrive whatever large ones hold. */
export const FIRST_BYTES = 16 * KB;

/** What a request keeps of its waiting time for what it does in its place, in milliseconds. */
const TIME_TO_WORK = LONGEST_WAIT / 3;
const PLACE_WAIT = LONGEST_WAIT - TIME_TO_WORK;

/** Every resource that requests compete for. */
const CAPACITIES = {
  /** Of the database. A transaction that waits for a row keeps one. */
  connections: CONNECTIONS,
  /** Credentials whose account is being looked up. */
  lookups: share(400, 1 / 4),
  /** Bytes of long answers being made. Each answer keeps a core of the database busy. A single answer always fits. */
  making: { ...share(MAKING, 1), alone: MAKING, restsOver: 0 },
  /** Bytes of answers that their clients have not read yet. */
  unread: share(96 * MB, 1 / 4),
  /** Bytes of bodies that arrive or are not stored yet: the first ones of each, and those beyond. */
  firstBytes: { all: 32 * MB, each: 4 * MB, networks: 16 * MB },
  arriving: share(96 * MB, 1 / 4),
  /**
   * Bodies being unpacked and read, which keeps the one thread that answers everything. Only what takes long has to rest:
   * a thousand servers of one account report little each.
   */
  reading: { all: 1, each: 1, restsOver: 5, networks: 1 },
  /**
   * Long answers being made. Each keeps this process and the database busy, so an account gets them for half of the time.
   * An account that is alone has two on a machine with two cores: the database then works on the next one.
   */
  longAnswers: { all: 2, each: 1, alone: CORES >= 2 ? 2 : undefined, restsOver: 0, networks: 1 },
  /** Check-ins and the reports of agents and edge nodes being stored. Each keeps a core of the database busy for a moment. */
  reports: { ...CONNECTIONS, each: REPORTS_EACH, alone: CONNECTIONS.each },
  /** Connections that write or sum up after a response. Requests of the same account keep the rest of its share. */
  writes: { all: 3, each: 2, networks: 1 },
  sums: { all: 2, each: 1, networks: 1 },
  /** Pages being rendered. Rendering blocks the one thread that answers everything. */
  renders: { all: 2, each: 1, alone: 1, restsOver: 0, networks: 1 },
  /** Forms being processed. One per account, so that forms that lock the same row do not wait inside the database. */
  forms: { all: 4, each: 1, networks: 2 },
  /** Forms to sign in that are being processed: one waits for its password, others are answered. */
  signInForms: { all: 3, each: 2, networks: 3 },
  /** Attempts to sign in that are being judged or wait for that. Judging takes a fifth of a second. */
  signIns: { all: 1000, each: 4, networks: 1000 },
  /** Passwords that are being hashed, each on one of the four threads that files, DNS and compression need as well. */
  passwords: share(Math.min(2, Math.max(1, availableParallelism() - 1)), 1),
} as const satisfies Record<string, Capacity>;

export type Resource = keyof typeof CAPACITIES;
export const RESOURCES = Object.keys(CAPACITIES) as Resource[];

/** Builds amounts from some resources. The others are 0. */
export function amounts(of: Partial<Record<Resource, number>>): Amounts {
  return RESOURCES.map((name) => of[name] ?? 0);
}

const purposes = () =>
  ({
    lookup: purpose("lookup", { lookups: 1 }, PLACE_WAIT, 500, 2000),
    sessionLookup: purpose("session look-up", { connections: 1 }, PLACE_WAIT, 200, 1000),
    request: purpose("request", { connections: 1 }, PLACE_WAIT, 200, 1000),
    longAnswer: purpose("long answer", { connections: 1, longAnswers: 1 }, PLACE_WAIT, 200, 1000),
    series: purpose("series", { connections: 1 }, PLACE_WAIT, 50, 100),
    // Never waits: this is when bodies that arrive slowly are through.
    body: purpose("body", {}, 5 * SECOND, 0, 0),
    reading: purpose("reading", { reading: 1 }, PLACE_WAIT, 1000, 4000),
    checkIn: purpose("check-in", { connections: 1, reports: 1 }, PLACE_WAIT, 1000, 4000),
    agentReport: purpose("agent report", { connections: 1, reports: 1 }, PLACE_WAIT, 200, 1000),
    edgeReport: purpose("edge report", { connections: 1, reports: 1 }, PLACE_WAIT, 1000, 1000),
    upload: purpose("upload", { connections: 1 }, PLACE_WAIT, 20, 100),
    page: purpose("page", { renders: 1, connections: PAGE_CONNECTIONS }, PLACE_WAIT, 20, 400),
    form: purpose("form", { forms: 1, connections: FORM_CONNECTIONS }, PLACE_WAIT, 20, 200),
    write: purpose("write", { connections: 1, writes: 1 }, MINUTE, 100, 2000),
    sum: purpose("sum", { connections: 1, sums: 1 }, MINUTE, 20, 500),
    signInForm: purpose("sign-in form", { signInForms: 1 }, PLACE_WAIT, 20, 400),
    signIn: purpose("sign-in", { signIns: 1 }, PLACE_WAIT, 0, 0),
    signInLookup: purpose("sign-in look-up", { connections: 2 }, PLACE_WAIT, 20, 200),
    password: purpose("password", { passwords: 1 }, PLACE_WAIT, 4, 16),
    newPassword: purpose("new password", { passwords: 1 }, MINUTE, 100, 100),
  }) satisfies Record<string, Purpose>;

function purpose(
  name: string,
  takes: Partial<Record<Resource, number>>,
  longestWait: number,
  waitingEach: number,
  waitingAll: number,
): Purpose {
  return { name, takes: amounts(takes), longestWait, waitingEach, waitingAll, counts: noCounts() };
}

/** The kinds of requests that compete for resources. */
export const PURPOSES = perProcess("admission-purposes", purposes);

/** Who holds what now. */
export const admission = perProcess("admission", () => new Admission(Object.values(CAPACITIES)));

/** While a request waits for the memory that unread answers take, the server cuts off clients that do not read theirs. */
shared("isMemoryWanted", () => () => admission.isWanted(RESOURCES.indexOf("unread")));

/** Whether a request would have to wait for a connection, however little its payer holds. */
export function areConnectionsTaken(): boolean {
  const connections = RESOURCES.indexOf("connections");
  return admission.isWanted(connections) || (admission.held()[connections] ?? 0) >= CONNECTIONS.all;
}

/** The payer of an edge node. The negative id cannot collide with an account. */
export function payerOfNode(id: number): Payer {
  return -id;
}

/** All edge nodes together. They are the operator's, so they share one turn, however many of them report. */
export const ALL_NODES: Payer = Number.MIN_SAFE_INTEGER;

/** Takes a place without waiting, or returns null. */
export function enter(purpose: Purpose, payer: Payer, takes?: Amounts): Place | null {
  return admission.enter(purpose, payer, takes);
}

/**
 * Takes a place and waits if need be. Requests of one payer that differ in `own` take turns.
 * @throws BusyError when the wait was too long, too many of the payer wait already, or the client left (`signal`).
 */
export async function waitForPlace(
  purpose: Purpose,
  payer: Payer,
  own: string,
  takes?: Amounts,
  signal?: AbortSignal,
): Promise<Place> {
  const startedAt = performance.now();
  const longest = (waitingTime()?.left ?? Infinity) - TIME_TO_WORK;
  const outcome =
    admission.enter(purpose, payer, takes) ??
    (await inTime(() => admission.wait(purpose, payer, own, takes, { signal, longest })));
  if (!("retryMs" in outcome)) return outcome;
  if (!signal?.aborted) reportBusy(purpose.name, payer);
  return refuse(outcome.retryMs, startedAt);
}

/**
 * Refuses a request whose payer's queue is full, before anything is counted or read for it.
 * @throws BusyError
 */
export async function requireRoomToWait(purpose: Purpose, payer: Payer): Promise<void> {
  const retryMs = admission.refusedFor(purpose, payer);
  if (retryMs === 0) return;
  purpose.counts.refused++;
  reportBusy(purpose.name, payer);
  return refuse(retryMs, performance.now());
}

/** Delays the refusal, so that a client that retries at once cannot keep the process busy. @throws BusyError always. */
async function refuse(retryMs: number, startedAt: number): Promise<never> {
  const after = REFUSED_AFTER.least + Math.random() * REFUSED_AFTER.spread;
  const paused = Math.max(0, startedAt + after - performance.now());
  if (paused > 0) await inTime(() => new Promise((resolve) => setTimeout(resolve, paused))).catch(() => {});
  throw new BusyError(Math.max(1, Math.ceil((retryMs - paused) / SECOND)));
}

/** Milliseconds for which another request of the payer would be refused. 0 if it could enter or wait. */
export function refusedFor(purpose: Purpose, payer: Payer): number {
  return admission.refusedFor(purpose, payer);
}

/** Runs a task that takes what the purpose says. @throws BusyError as `waitForPlace`, and whatever the task throws. */
export async function withPlace<Result>(
  purpose: Purpose,
  payer: Payer,
  own: string,
  task: () => Promise<Result>,
): Promise<Result> {
  const place = admission.enter(purpose, payer) ?? (await waitForPlace(purpose, payer, own));
  try {
    return await task();
  } finally {
    place.release();
  }
}

/** Logs that a payer exceeded its share. This is not an outage: the database answers. */
export function reportBusy(what: string, payer: Payer | null): void {
  logRepeated({ level: "info", event: "busy", reason: what }, { what, ...payerFields(payer) });
}

function payerFields(payer: Payer | null) {
  if (payer === ALL_NODES) return { node: "all" };
  if (typeof payer !== "number") return { network: payer };
  return payer < 0 ? { node: -payer } : { account: payer };
}

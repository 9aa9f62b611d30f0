import { availableParallelism } from "node:os";
import { env } from "@/lib/process/env";
import { perProcess } from "@/lib/process/per-process";
import { logRepeated } from "@/lib/process/repeated";
import { MINUTE, SECOND } from "@/lib/time";
import { Admission, type Amounts, type Capacity, noCounts, type Payer, type Place, type Purpose } from "./admission";
import { BusyError } from "./busy-error";

const MB = 2 ** 20;
/** Cores of the machine for each process of the console. */
const CORES = availableParallelism() / env.workers;

/** Credentials are looked up for many requests at once, on so many connections that nothing else may use. */
export const LOOKUP_CONNECTIONS = { tokens: 2, serverKeys: 1 };
const OTHER_CONNECTIONS = env.databasePoolSize - LOOKUP_CONNECTIONS.tokens - LOOKUP_CONNECTIONS.serverKeys;

/** How many connections a page and a form use at once. */
const PAGE_CONNECTIONS = 3;
const FORM_CONNECTIONS = 2;

/** The earliest moment of a refusal, in milliseconds after the request. */
const REFUSED_AFTER = 1 * SECOND;

/** A part of what there is for one payer, and as much for all networks together. */
function share(all: number, part: number): Capacity {
  const each = Math.ceil(all * part);
  return { all, each, networks: each };
}

/** Everything that one request can take from another. */
const CAPACITIES = {
  /** Of the database. A transaction that waits for a row keeps one. */
  connections: share(Math.max(1, OTHER_CONNECTIONS), 1 / 2),
  /** Credentials whose account is being looked up. */
  lookups: share(400, 1 / 4),
  /** Bytes of long answers that are being made: each keeps a core of the database busy. One answer always fits. */
  making: share(8 * MB * Math.max(1, Math.floor(CORES / 2)), 1),
  /** Bytes of answers that their clients have not read yet. */
  unread: share(96 * MB, 1 / 4),
  /** Pages that are being rendered, which takes the one thread that answers everything. */
  renders: { all: 2, each: 1, networks: 1 },
  /** Forms that are being carried out. One of each account: forms that lock the same row do not wait inside the database. */
  forms: { all: 4, each: 1, networks: 2 },
  /** Attempts to sign in that are being judged or wait for that. Judging takes a fifth of a second. */
  signIns: { all: 1000, each: 4, networks: 1000 },
  /** Passwords that are being hashed, each on one of the four threads that files, DNS and compression need as well. */
  passwords: share(Math.min(2, Math.max(1, availableParallelism() - 1)), 1),
} as const satisfies Record<string, Capacity>;

export type Resource = keyof typeof CAPACITIES;
const RESOURCES = Object.keys(CAPACITIES) as Resource[];

/** So much of these resources, and nothing of the others. */
export function amounts(of: Partial<Record<Resource, number>>): Amounts {
  return RESOURCES.map((name) => of[name] ?? 0);
}

const purposes = () =>
  ({
    lookup: purpose("lookup", { lookups: 1 }, 4 * SECOND, 500, 2000),
    request: purpose("request", { connections: 1 }, 4 * SECOND, 200, 1000),
    series: purpose("series", { connections: 1 }, 4 * SECOND, 50, 100),
    checkIn: purpose("check-in", { connections: 1 }, 5 * SECOND, 1000, 4000),
    edgeReport: purpose("edge report", { connections: 1 }, 5 * SECOND, 100, 1000),
    upload: purpose("upload", { connections: 1 }, 5 * SECOND, 20, 100),
    page: purpose("page", { renders: 1, connections: PAGE_CONNECTIONS }, 5 * SECOND, 20, 400),
    form: purpose("form", { forms: 1, connections: FORM_CONNECTIONS }, 5 * SECOND, 20, 200),
    signIn: purpose("sign-in", { signIns: 1 }, 5 * SECOND, 0, 0),
    signInLookup: purpose("sign-in look-up", { connections: 2 }, 5 * SECOND, 20, 200),
    password: purpose("password", { passwords: 1 }, 5 * SECOND, 4, 16),
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

/** Why requests ask for something scarce. */
export const PURPOSES = perProcess("admission-purposes", purposes);

const admission = perProcess("admission", () => new Admission(Object.values(CAPACITIES)));

/** An edge node by its id: neither an account nor a stranger's network. */
export function payerOfNode(id: number): Payer {
  return -id;
}

/** A place, if there is one without waiting. */
export function enter(purpose: Purpose, payer: Payer, takes?: Amounts): Place | null {
  return admission.enter(purpose, payer, takes);
}

/**
 * A place, after a wait if need be. Requests of one payer that differ in `own` take turns.
 * @throws BusyError when the wait was too long, too many of the payer wait already, or the client left (`signal`).
 */
export async function waitForPlace(
  purpose: Purpose,
  payer: Payer,
  own: string,
  takes?: Amounts,
  signal?: AbortSignal,
): Promise<Place> {
  const asked = performance.now();
  const outcome = admission.enter(purpose, payer, takes) ?? (await admission.wait(purpose, payer, own, takes, signal));
  if (!("retryMs" in outcome)) return outcome;
  if (!signal?.aborted) reportBusy(purpose.name, payer);
  // A client that asks again at once would else keep the process busy with refusals.
  const paused = Math.max(0, asked + REFUSED_AFTER - performance.now());
  if (paused > 0) await new Promise((resolve) => setTimeout(resolve, paused));
  throw new BusyError(Math.max(1, Math.ceil((outcome.retryMs - paused) / SECOND)));
}

/** For how long, in milliseconds, one more request of the payer would be refused; 0: it would be let in or may wait. */
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

/** The numbers for the operator: payers, amounts held and there in all by resource, and counts by purpose. */
export function describeAdmission() {
  const held = admission.held();
  return {
    payers: admission.payers,
    held: Object.fromEntries(RESOURCES.map((name, index) => [name, held[index] ?? 0])) as Record<Resource, number>,
    capacity: Object.fromEntries(RESOURCES.map((name) => [name, CAPACITIES[name].all])) as Record<Resource, number>,
    purposes: Object.values(PURPOSES).map(({ name, counts }) => ({ name, ...counts })),
  };
}

/** Not an outage: the database answers, and somebody asks for more than their share. */
export function reportBusy(what: string, payer: Payer | null): void {
  const isNode = typeof payer === "number" && payer < 0;
  const who = isNode ? { node: -payer } : typeof payer === "number" ? { account: payer } : { network: payer };
  logRepeated({ level: "info", event: "busy", reason: what }, { what, ...who });
}

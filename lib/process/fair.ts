import { StacklessError } from "@/lib/failures";
import { MINUTE, SECOND } from "@/lib/format/time";
import { LONGEST_WAIT } from "@/lib/process/in-time";
import { perProcess } from "@/lib/process/per-process.mjs";
import { logRepeated } from "@/lib/process/repeated.mjs";

/** Who a request is charged to: an account, the network of a stranger, a name such as "node 7", or `EVERYBODY` together. */
export type Asker = number | string;
export const EVERYBODY: Asker = "all";

/**
 * Of one asker: how many run at once (`atOnce`), and how many wait for that (`waiting`) for how many milliseconds (`ms`).
 * `rests`: an asker that kept the process busy leaves it to others for as long. An asker that is alone gets twice as much and
 * needs no rest, unless everybody shares the line.
 */
type Share = { atOnce: number; rests?: boolean; waiting?: number; ms?: number };
const SHARES = {
  /** Requests of the API, and look-ups in their answers. */
  request: { atOnce: 4 },
  /** Answers that take long to make. */
  heavy: { atOnce: 1, rests: true },
  /** Of everybody together: long answers that are being made. */
  making: { atOnce: 3 },
  /** Bodies over 16 KB that arrive. */
  body: { atOnce: 4, waiting: 20 },
  /** Packed bodies of up to 16 KB being read. Each may unpack to as much as the largest. */
  unpacking: { atOnce: 1, rests: true, waiting: 1000 },
  /** Reports being stored. */
  report: { atOnce: 2, waiting: 1000 },
  /** Pages and forms. Rendering keeps the one thread that answers everybody. */
  page: { atOnce: 1, rests: true, waiting: 20 },
  /** Of all strangers together. */
  strangerPage: { atOnce: 2 },
  /** Attempts to sign in of one network, and the forms that make them, which wait. */
  signIn: { atOnce: 4, waiting: 0 },
  signInForm: { atOnce: 4, waiting: 20 },
  /** Hashing of passwords, on threads that everybody shares: of networks that the account does not know, and of others. */
  hashing: { atOnce: 2, waiting: 20 },
  knownHashing: { atOnce: 2, waiting: 200 },
  /** Of everybody together: look-ups of tokens and keys that have not worked yet, as many as one statement takes. */
  lookup: { atOnce: 100, waiting: 2000 },
  /** Of everybody together: writes after a response, and sums of hours that nobody waits for. */
  background: { atOnce: 3, waiting: 10_000, ms: MINUTE },
  sum: { atOnce: 2, waiting: 500, ms: MINUTE },
} as const satisfies Record<string, Share>;
export type Kind = keyof typeof SHARES;

/** More than the limit of a token lets through in one burst. */
const WAITING = 200;
/** When the line is full. A client that asks again at once must not keep the process busy with refusals. */
const REFUSED_AFTER = 1 * SECOND;
const LONGEST_REST = 1 * SECOND;
/** Less work than this needs no rest. */
const RESTS_OVER = 5;
/** For how long nobody else may have asked for anything. */
const ALONE_AFTER = 1 * SECOND;

/** The asker has more requests than its share. It may ask again after a whole number of seconds. */
export class BusyError extends StacklessError {
  override name = "BusyError";
  constructor(readonly retrySeconds: number) {
    super(`Busy. Try again in ${retrySeconds} ${retrySeconds === 1 ? "second" : "seconds"}.`);
  }
}

type Line = { kind: Kind; asker: Asker; running: number; waiting: Set<() => void> };
type Counts = { atOnce: number; waited: number; refused: number; waiting: number };

const state = perProcess("fair", () => ({
  lines: new Map<string, Line>(),
  /** Who asked last, and since when nobody else did. */
  last: null as Asker | null,
  since: 0,
  counts: Object.fromEntries(
    Object.keys(SHARES).map((kind) => [kind, { atOnce: 0, waited: 0, refused: 0, waiting: 0 }]),
  ) as Record<Kind, Counts>,
}));

/** How many were let in at once, let in after a wait, and refused since the start, and how many wait now, by kind. */
export function fairCounts(): Readonly<Record<Kind, Counts>> {
  return state.counts;
}

/** Runs a task in the share of its asker. @throws BusyError, and what the task throws. */
export async function fair<Result>(kind: Kind, asker: Asker, task: () => Promise<Result>): Promise<Result> {
  return leavingAfter(await enter(kind, asker), task);
}

/** Runs a task in a place that was taken. */
export async function leavingAfter<Result>(leave: () => void, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } finally {
    leave();
  }
}

/** Takes a place if one is free: returns how to leave it, else null. */
export function enterAtOnce(kind: Kind, asker: Asker): (() => void) | null {
  const line = lineOf(kind, asker);
  if (line.running >= most(line)) return null;
  line.running++;
  state.counts[kind].atOnce++;
  return leaving(line);
}

/**
 * Takes a place, after a wait if need be. Returns how to leave it; calling that twice is harmless. `signal`: the client left.
 * @throws BusyError
 */
export async function enter(kind: Kind, asker: Asker, signal?: AbortSignal): Promise<() => void> {
  const leave = enterAtOnce(kind, asker);
  if (leave) return leave;
  const line = lineOf(kind, asker);
  await takeTurn(line, signal);
  return leaving(line);
}

/** Logs that an asker exceeded its share. This is not an outage: the database answers. */
export function reportBusy(what: string, asker: Asker | null): void {
  const who = typeof asker === "number" ? { account: asker } : { network: asker };
  logRepeated({ level: "info", event: "busy", reason: what }, { what, ...who });
}

function lineOf(kind: Kind, asker: Asker): Line {
  if (asker !== EVERYBODY && asker !== state.last) [state.last, state.since] = [asker, performance.now()];
  const key = `${kind} ${asker}`;
  const line = state.lines.get(key) ?? { kind, asker, running: 0, waiting: new Set() };
  state.lines.set(key, line);
  return line;
}

function isAlone(asker: Asker): boolean {
  return asker === state.last && performance.now() - state.since > ALONE_AFTER;
}

function most({ kind, asker }: Line): number {
  return SHARES[kind].atOnce * (isAlone(asker) ? 2 : 1);
}

function leaving(line: Line): () => void {
  const startedAt = performance.now();
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    const { rests = false }: Share = SHARES[line.kind];
    const worked = performance.now() - startedAt;
    if (!rests || worked < RESTS_OVER || isAlone(line.asker)) pass(line);
    else setTimeout(pass, Math.min(LONGEST_REST, worked), line);
  };
}

/** Gives a place on to the next in line. */
function pass(line: Line): void {
  line.running--;
  for (const next of line.waiting) {
    if (line.running >= most(line)) break;
    line.running++;
    next();
  }
  if (line.running === 0 && line.waiting.size === 0) state.lines.delete(`${line.kind} ${line.asker}`);
}

/** Waits until another one leaves its place. @throws BusyError */
function takeTurn({ kind, asker, waiting }: Line, signal: AbortSignal | undefined): Promise<void> {
  const { waiting: mostWaiting = WAITING, ms = LONGEST_WAIT }: Share = SHARES[kind];
  const counts = state.counts[kind];
  const isFull = waiting.size >= mostWaiting;
  return new Promise((resolve, reject) => {
    const end = (outcome: "waited" | "refused") => {
      counts[outcome]++;
      if (waiting.delete(enterNow)) counts.waiting--;
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    };
    const enterNow = () => {
      end("waited");
      // What has arrived meanwhile is taken up first, or a long line of one asker would keep everybody else from being heard.
      setImmediate(resolve);
    };
    const giveUp = () => {
      end("refused");
      if (!signal?.aborted) reportBusy(kind, asker);
      reject(new BusyError(Math.ceil(ms / SECOND)));
    };
    const timer = setTimeout(giveUp, isFull ? REFUSED_AFTER : ms);
    signal?.addEventListener("abort", giveUp);
    if (signal?.aborted) return giveUp();
    if (isFull) return;
    waiting.add(enterNow);
    counts.waiting++;
  });
}

import { networkOf } from "@/lib/http/network";
import { perProcess } from "@/lib/process/per-process";
import { SECOND } from "@/lib/time";

/**
 * Attempts to sign in that this process judges or keeps waiting at once. Judging takes a fifth of a second of a core,
 * so the last of so many waits a few seconds; one more is told to come back instead of waiting longer.
 */
const MAX_INSIDE = 16;
/** From one network, so that a crowd from one place leaves room for everybody else. */
const MAX_INSIDE_PER_NETWORK = 4;
/** How long whoever finds no room is told to wait, in milliseconds: the crowd will have been judged by then. */
export const CROWD_WAIT = 5 * SECOND;

/** How many are inside, by network. */
const inside = perProcess("sign-in-attempts", () => new Map<string, number>());

/** Whether an attempt from this ip would find room now. */
export function hasRoom(ip: string | null): boolean {
  let all = 0;
  for (const count of inside.values()) all += count;
  return all < MAX_INSIDE && (inside.get(networkOf(ip)) ?? 0) < MAX_INSIDE_PER_NETWORK;
}

/** Runs the attempt of an ip if there is room for it; null, and nothing is run, when there is none. */
export async function ifRoom<Result>(ip: string | null, attempt: () => Promise<Result>): Promise<Result | null> {
  if (!hasRoom(ip)) return null;
  const network = networkOf(ip);
  inside.set(network, (inside.get(network) ?? 0) + 1);
  try {
    return await attempt();
  } finally {
    const left = (inside.get(network) ?? 1) - 1;
    if (left > 0) inside.set(network, left);
    else inside.delete(network);
  }
}

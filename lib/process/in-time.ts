import { SECOND } from "@/lib/format/time";

/**
 * In milliseconds: how long a request waits for a place, for a connection, for a statement and for the store of the limit,
 * each. Tests of other things set the variable: a busy machine may take longer, and that is no failure of what they test.
 */
export const LONGEST_WAIT = Number(process.env.CONSOLE_LONGEST_WAIT) || 3 * SECOND;

/** The time to wait for something was over. */
export class TimeUpError extends Error {
  override name = "TimeUpError";
  code = "ETIMEDOUT";
  constructor() {
    super("The time to wait for an answer is over.");
  }
}

/** Waits for `ms` milliseconds at most. @throws TimeUpError, and what `ask` throws. */
export async function inTime<Result>(ask: () => Promise<Result>, ms = LONGEST_WAIT): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeUpError()), ms);
  });
  return Promise.race([ask(), timeUp]).finally(() => clearTimeout(timer));
}

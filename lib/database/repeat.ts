import { isDatabaseUnavailable } from "@/lib/database/health";
import { pause, runInBackground } from "@/lib/process/background";
import { logFault } from "@/lib/process/faults.mjs";

/** Attempts a task. A failure is logged, but not that the database is away: requests already report that. */
export async function attempt(what: string, task: () => Promise<unknown>): Promise<void> {
  await task().catch((error: unknown) => {
    if (!isDatabaseUnavailable(error)) logFault(`${what} failed`, error, {});
  });
}

/** Attempts a task in the background after `first` milliseconds and `every` so many after its end, until the process ends. */
export function repeat(what: string, { first, every }: { first: number; every: number }, task: () => Promise<unknown>) {
  runInBackground(what, async () => {
    for (let wait = first; await pause(wait); wait = every) await attempt(what, task);
  });
}

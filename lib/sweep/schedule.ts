import { isDatabaseUnavailable } from "@/lib/database/health";
import { pause, runInBackground } from "@/lib/process/background";
import { logFault } from "@/lib/process/faults";
import { perProcess } from "@/lib/process/per-process";
import { MINUTE, SECOND } from "@/lib/time";
import { sweep } from "./sweep";

/** After a start, so that the first requests come first. */
const FIRST_LOOK = 2 * SECOND;
/** Every process looks this often whether a sweep is due; one of them finds that it is. */
const LOOK_EVERY = MINUTE;

const schedule = perProcess("sweep-schedule", () => ({ isStarted: false }));

/** From now on this process sweeps when it is due, until it ends. */
export function startSweeping(): void {
  if (schedule.isStarted) return;
  schedule.isStarted = true;
  runInBackground("sweeping", async () => {
    for (let wait = FIRST_LOOK; await pause(wait); wait = LOOK_EVERY) {
      await sweep("if-due").catch((error: unknown) => {
        // A database that is away is reported by those who need it now.
        if (!isDatabaseUnavailable(error)) logFault("sweep failed", error, {});
      });
    }
  });
}

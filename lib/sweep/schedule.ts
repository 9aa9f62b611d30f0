import { repeat } from "@/lib/database/repeat";
import { MINUTE, SECOND } from "@/lib/format/time";
import { perProcess } from "@/lib/process/per-process.mjs";
import { sweep } from "./sweep";

/** The delay after a start, so that the first requests are served first. */
const FIRST_LOOK = 2 * SECOND;
/** Every process checks this often whether a sweep is due. The lease lets only one of them sweep. */
const LOOK_EVERY = MINUTE;

/** Starts the timer that sweeps whenever a sweep is due, until the process ends. */
export function startSweeping(): void {
  perProcess("sweep-schedule", () => repeat("sweep", { first: FIRST_LOOK, every: LOOK_EVERY }, () => sweep("if-due")));
}

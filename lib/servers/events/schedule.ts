import { isDatabaseUnavailable } from "@/lib/database/health";
import { pause, runInBackground } from "@/lib/process/background";
import { logFault } from "@/lib/process/faults.mjs";
import { perProcess } from "@/lib/process/per-process";
import { bePresent, PRESENT_EVERY, takeLook } from "@/lib/servers/events/presence";
import { watchServers } from "@/lib/servers/events/watch";

const schedule = perProcess("watch-schedule", () => ({ isStarted: false }));

/** Says every few seconds that this instance is there, and looks for servers that fell silent, until the process ends. */
export function startWatching(): void {
  if (schedule.isStarted) return;
  schedule.isStarted = true;
  // Apart, so that a long look never makes the console seem away.
  repeat("being present", () => bePresent(Date.now()));
  repeat("watching servers", async () => {
    const now = Date.now();
    if (await takeLook(now)) await watchServers(now);
  });
}

function repeat(what: string, task: () => Promise<void>): void {
  runInBackground(what, async () => {
    do {
      await task().catch((error: unknown) => {
        // Requests already report a database that is away.
        if (!isDatabaseUnavailable(error)) logFault(`${what} failed`, error, {});
      });
    } while (await pause(PRESENT_EVERY));
  });
}

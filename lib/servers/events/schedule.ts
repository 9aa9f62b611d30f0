import { attempt, repeat } from "@/lib/database/repeat";
import { SECOND } from "@/lib/format/time";
import { watchNodes } from "@/lib/game-services/events/watch";
import { perProcess } from "@/lib/process/per-process.mjs";
import { logRepeated } from "@/lib/process/repeated.mjs";
import { bePresent, CLOCK_TOLERANCE, PRESENT_EVERY, takeLook } from "@/lib/servers/events/presence";
import { watchServers } from "@/lib/servers/events/watch";
import { endTwoDaemons } from "@/lib/servers/telemetry/two-daemons";
import { watchTokens } from "@/lib/tokens/events/endings";

/**
 * Says every few seconds that this instance is there, and looks for what is an absence or a date: servers and edge nodes that
 * fell silent, tokens that are about to end. Until the process ends.
 */
export function startWatching(): void {
  perProcess("watch-schedule", watchEverything);
}

function watchEverything(): void {
  // Apart, so that a long look never makes the console seem away.
  const waits = { first: 0, every: PRESENT_EVERY };
  repeat("being present", waits, async () => {
    const ahead = await bePresent(Date.now());
    // Instances that are each so near to PostgreSQL's clock are near enough to each other.
    if (Math.abs(ahead) > CLOCK_TOLERANCE / 2) {
      logRepeated(
        { level: "error", event: "clock differs from PostgreSQL's" },
        { aheadSeconds: Math.round(ahead / SECOND) },
      );
    }
  });
  repeat("watching what happens", waits, async () => {
    const now = Date.now();
    if (!(await takeLook(now))) return;
    await attempt("watching servers", () => watchServers(now));
    await attempt("watching daemons", () => endTwoDaemons(now));
    await attempt("watching tokens", () => watchTokens(now));
    await attempt("watching edge nodes", () => watchNodes(now));
  });
}

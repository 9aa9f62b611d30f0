import { databaseNow } from "@/lib/database/clock";
import { attempt, repeat } from "@/lib/database/repeat";
import { SECOND } from "@/lib/format/time";
import { watchNodes } from "@/lib/game-services/events/watch";
import { perProcess } from "@/lib/process/per-process.mjs";
import { beat, watchServers } from "@/lib/servers/events/watch";
import { watchTokens } from "@/lib/tokens/events/endings";

const EVERY = 10 * SECOND;

/**
 * Says every few seconds that this instance is there, and looks for what is an absence or a date: servers and edge nodes that
 * fell silent, tokens that are about to end. Until the process ends.
 */
export function startWatching(): void {
  perProcess("watch-schedule", watchEverything);
}

function watchEverything(): void {
  // Apart, so that a long look never makes the console seem away.
  repeat("being present", { first: 0, every: EVERY }, beat);
  repeat("watching what happens", { first: SECOND, every: EVERY }, async () => {
    await attempt("watching servers", watchServers);
    await attempt("watching tokens", () => watchTokens(databaseNow().getTime()));
    await attempt("watching edge nodes", watchNodes);
  });
}

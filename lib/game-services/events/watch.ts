import { settleSoon } from "@/lib/game-services/edges/configuration";
import { markSilent } from "@/lib/game-services/edges/nodes";
import { listBlindTimes } from "@/lib/servers/events/presence";
import { covers, withGrace } from "@/lib/servers/events/silence";
import { SILENT_AFTER } from "./node-silences";

/**
 * Notices edge nodes that are silent at `now` (epoch ms) where no other node asks for anything. After its own absence the
 * console gives them the time to be heard.
 */
export async function watchNodes(now: number): Promise<void> {
  const blind = await listBlindTimes(now - SILENT_AFTER, now);
  if (covers(withGrace(blind))(now)) return;
  if (await markSilent(new Date(now))) settleSoon();
}

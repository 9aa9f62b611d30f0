import { settleSoon } from "@/lib/game-services/edges/configuration";
import { markSilent } from "@/lib/game-services/edges/nodes";

/** Notices edge nodes that have fallen silent. */
export async function watchNodes(): Promise<void> {
  if (await markSilent()) settleSoon();
}

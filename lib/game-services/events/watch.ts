import { settleSoon } from "@/lib/game-services/edges/configuration";
import { markSilent } from "@/lib/game-services/edges/nodes";

/** Notices edge nodes that are silent at `now` (epoch ms) where no other node asks for anything. */
export async function watchNodes(now: number): Promise<void> {
  if (await markSilent(new Date(now))) settleSoon();
}

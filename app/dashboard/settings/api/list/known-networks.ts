import type { NewNetwork } from "@/lib/tokens/events/token-events";

/** A token, and a network from which it was used. */
export type SeenFrom = Pick<NewNetwork, "tokenId" | "network">;

/** The field in which a form names them, once for each. */
export const SEEN_FIELD = "seen";

/** The value of the field. */
export function seenText({ tokenId, network }: SeenFrom): string {
  return `${tokenId} ${network}`;
}

import { findTokens } from "@/lib/tokens/management";
import { tokenState } from "@/lib/tokens/state";
import { answeredToken } from "../answered-token";
import type { RevokeOutcome, TokenSelection } from "./revocation";

/** Says why none of these tokens can be revoked: one of them had ended, or there is no such token. */
export async function findOutcome(accountId: number, selection: TokenSelection, now: Date): Promise<RevokeOutcome> {
  const tokens = selection === "all" ? [] : await findTokens(accountId, { id: { in: [...selection] } });
  const ended = tokens.find((token) => tokenState(token, now) !== "active");
  return ended
    ? { kind: "had-ended", token: answeredToken(ended), now: now.getTime() }
    : { kind: "nothing", isAll: selection === "all" };
}

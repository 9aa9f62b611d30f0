import { endOf, findTokens, listTokens } from "@/lib/tokens/management";
import { tokenState } from "@/lib/tokens/state";
import type { RevokeOutcome, Step } from "./revocation";

/**
 * Returns the outcome of a step. The step only names tokens, and the database says what became of them, so that a
 * reloaded, copied or forged URL cannot show anything untrue. Null means that the named tokens are still active.
 */
export async function findOutcome(accountId: number, step: Step, now: Date): Promise<RevokeOutcome | null> {
  const selection = "revoked" in step ? step.revoked : step.unchanged;
  if (selection === "all") {
    const { active } = await listTokens(accountId, now);
    return active.length > 0 ? null : { kind: "nothing", isAll: true };
  }
  const tokens = await findTokens(accountId, selection);
  const revoked = tokens.filter(({ revokedAt }) => revokedAt !== null);
  if ("revoked" in step && revoked.length > 0) {
    const at = Math.max(...revoked.map(({ revokedAt }) => Number(revokedAt)));
    return { kind: "revoked", tokens: revoked.map(nameOf), at, now: now.getTime() };
  }
  const ended = tokens.find((token) => tokenState(token, now) !== "active");
  const at = ended && endOf(ended);
  if (!at) return tokens.length > 0 ? null : { kind: "nothing", isAll: false };
  const state = ended.revokedAt ? "revoked" : "expired";
  return { kind: "had-ended", token: nameOf(ended), state, at: at.getTime(), now: now.getTime() };
}

function nameOf({ name, hint }: { name: string; hint: string }) {
  return { name, hint };
}

import { endOf, findTokens, listTokens } from "@/lib/tokens/management";
import { tokenState } from "@/lib/tokens/state";
import type { RevokeOutcome, Step } from "./revocation";

/**
 * What became of a step. The step only names tokens; all that is said of them is read from the database, so a reloaded,
 * copied or forged URL says nothing untrue. Null when there is nothing to say: the tokens it names are active.
 */
export async function findOutcome(accountId: number, step: Step, now: Date): Promise<RevokeOutcome | null> {
  const which = "revoked" in step ? step.revoked : step.unchanged;
  if (which === "all") {
    const { active } = await listTokens(accountId, now);
    return active.length > 0 ? null : { kind: "nothing", isAll: true };
  }
  const tokens = await findTokens(accountId, which);
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

import { Notice } from "@/app/ui/notice";
import { Time } from "@/app/ui/time";
import { TokenName } from "../token-name";
import type { RevokeOutcome } from "./revocation";

/** Shows the result of a revocation and what it means. */
export function OutcomeNotice({ outcome }: { outcome: RevokeOutcome }) {
  return (
    <Notice on={outcome} tone={outcome.kind === "revoked" ? "done" : "warning"} isSticky>
      <Sentence outcome={outcome} />
    </Notice>
  );
}

function Sentence({ outcome }: { outcome: RevokeOutcome }) {
  if (outcome.kind === "nothing") {
    return outcome.isAll
      ? "Nothing was changed: there is no active token to revoke."
      : "Nothing was changed: you have no such token.";
  }
  const now = new Date(outcome.now);
  if (outcome.kind === "had-ended") {
    const { revokedAt, expiresAt } = outcome.token;
    return (
      <>
        Nothing was changed: <TokenName token={outcome.token} />{" "}
        {revokedAt ? "was already revoked" : "had already expired"}{" "}
        <Time at={new Date(revokedAt ?? expiresAt ?? now)} now={now} />.
      </>
    );
  }
  const [first, ...others] = outcome.tokens;
  const isOne = first && others.length === 0;
  return (
    <>
      {isOne ? <TokenName token={first} /> : `${outcome.tokens.length} tokens`} {isOne ? "was" : "were"} revoked{" "}
      <Time at={now} now={now} />. Requests with {isOne ? "it" : "them"} are refused.
    </>
  );
}

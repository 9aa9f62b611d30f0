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
  const time = <Time at={new Date(outcome.at)} now={new Date(outcome.now)} />;
  if (outcome.kind === "had-ended") {
    return (
      <>
        Nothing was changed: <TokenName token={outcome.token} />{" "}
        {outcome.state === "revoked" ? "was already revoked" : "had already expired"} {time}.
      </>
    );
  }
  const [first, ...others] = outcome.tokens;
  return (
    <>
      {first && others.length === 0 ? <TokenName token={first} /> : `${outcome.tokens.length} tokens`}{" "}
      {others.length === 0 ? "was" : "were"} revoked {time}. Requests with {others.length === 0 ? "it" : "them"} are
      refused.
    </>
  );
}

import { Fingerprint } from "@/app/ui/fingerprint";
import { Notice } from "@/app/ui/notice";
import { Time } from "@/app/ui/time";
import { findId } from "@/lib/http/ids";
import { findToken, type TokenRecord } from "@/lib/tokens/management";
import { tokenState } from "@/lib/tokens/state";

type Query = Record<string, string | string[] | undefined>;
type Props = { accountId: number; tokens: readonly TokenRecord[]; query: Query; now: Date };

/**
 * What became of the last step. The URL only names the step; all that is said here is read from the database, so a
 * reloaded, copied or forged URL says nothing untrue.
 */
export async function Outcome({ accountId, tokens, query, now }: Props) {
  const message = await findMessage(accountId, tokens, query, now);
  if (!message) return null;
  const [isChange, text] = message;
  return (
    <Notice
      on={`${query.revoked}/${query.unchanged}/${query.revoke}`}
      tone={isChange ? "done" : "warning"}
      role="status"
    >
      {text}
    </Notice>
  );
}

type Message = [isChange: boolean, text: React.ReactNode];

async function findMessage(
  accountId: number,
  tokens: readonly TokenRecord[],
  { revoked, unchanged, revoke }: Query,
  now: Date,
): Promise<Message | null> {
  if (revoked === "all") return allRevoked(tokens, now);
  if (unchanged === "all" || revoke === "all") {
    const hasActive = tokens.some((token) => tokenState(token, now) === "active");
    return hasActive ? null : [false, "Nothing was changed: there is no active token to revoke."];
  }
  const asked = [revoked, unchanged, revoke].find((value) => typeof value === "string");
  if (typeof asked !== "string") return null;
  const id = findId(asked);
  const token = id === null ? null : await findToken(accountId, id);
  if (!token) return [false, "Nothing was changed: you have no such token."];
  return aboutOne(token, revoked !== undefined, now);
}

function aboutOne(token: TokenRecord, wasRevokedNow: boolean, now: Date): Message | null {
  const state = tokenState(token, now);
  const name = (
    <>
      <strong>{token.name}</strong> (<Fingerprint hint={token.hint} />)
    </>
  );
  if (state === "active") return null;
  if (state === "revoked" && wasRevokedNow) {
    return [
      true,
      <>
        {name} is revoked since <Time at={token.revokedAt ?? now} now={now} />. Requests with it are refused.
      </>,
    ];
  }
  const at = state === "revoked" ? token.revokedAt : token.expiresAt;
  return [
    false,
    <>
      Nothing was changed: {name} {state === "revoked" ? "was already revoked" : "had already expired"}{" "}
      {at && <Time at={at} now={now} />}.
    </>,
  ];
}

/** Tokens that were revoked together share the instant. */
function allRevoked(tokens: readonly TokenRecord[], now: Date): Message | null {
  const latest = Math.max(...tokens.map((token) => Number(token.revokedAt)));
  const together = tokens.filter((token) => token.revokedAt && Number(token.revokedAt) === latest);
  const [first] = together;
  if (!first?.revokedAt) return null;
  return [
    true,
    <>
      {together.length === 1 ? "1 token was" : `${together.length} tokens were`} revoked{" "}
      <Time at={first.revokedAt} now={now} />. Requests with {together.length === 1 ? "it" : "them"} are refused.
    </>,
  ];
}

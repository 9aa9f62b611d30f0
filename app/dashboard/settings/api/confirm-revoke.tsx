import { Fingerprint } from "@/app/ui/fingerprint";
import { Time } from "@/app/ui/time";
import type { TokenRecord } from "@/lib/tokens/management";
import { revokeAllTokensAction, revokeTokenAction } from "./actions";
import { programName } from "./program-name";
import { RevokeDialog } from "./revoke-dialog";

type Props = {
  active: readonly TokenRecord[];
  query: Record<string, string | string[] | undefined>;
  now: Date;
};

/** The question that `?revoke=…` asks; nothing when there is no such active token, which `Outcome` says. */
export function ConfirmRevoke({ active, query, now }: Props) {
  if (query.revoke === "all" && active.length > 0) return <ConfirmAll active={active} now={now} />;
  const token = active.find(({ id }) => String(id) === query.revoke);
  return token ? <ConfirmOne token={token} now={now} /> : null;
}

function ConfirmOne({ token, now }: { token: TokenRecord; now: Date }) {
  return (
    <RevokeDialog
      key={token.id}
      title="Revoke this token?"
      confirmLabel="Revoke token"
      openerId={`revoke-${token.id}`}
      action={revokeTokenAction}
    >
      <input type="hidden" name="id" value={token.id} />
      <dl>
        <dt>Name</dt>
        <dd>
          <strong>{token.name}</strong>
        </dd>
        <dt>Token</dt>
        <dd>
          <Fingerprint hint={token.hint} />
        </dd>
        <dt>Last used</dt>
        <dd>
          <LastUse token={token} now={now} />
        </dd>
      </dl>
      <p>Programs that use it are refused from their next request on. This cannot be undone.</p>
    </RevokeDialog>
  );
}

function ConfirmAll({ active, now }: { active: readonly TokenRecord[]; now: Date }) {
  const lastUsed = active
    .filter((token) => token.lastUsedAt)
    .sort((a, b) => Number(b.lastUsedAt) - Number(a.lastUsedAt));
  const [latest] = lastUsed;
  return (
    <RevokeDialog
      key="all"
      title={active.length === 1 ? "Revoke your only active token?" : `Revoke all ${active.length} active tokens?`}
      confirmLabel="Revoke all"
      openerId="revoke-all"
      action={revokeAllTokensAction}
    >
      <dl>
        <dt>Used</dt>
        <dd>
          {lastUsed.length} of {active.length}
        </dd>
        {latest && (
          <>
            <dt>Latest use</dt>
            <dd>
              {latest.name} <Fingerprint hint={latest.hint} />, <LastUse token={latest} now={now} />
            </dd>
          </>
        )}
      </dl>
      <p>Every program that uses one of them is refused from its next request on. This cannot be undone.</p>
    </RevokeDialog>
  );
}

function LastUse({ token, now }: { token: TokenRecord; now: Date }) {
  if (!token.lastUsedAt) return <>Never</>;
  const program = programName(token.lastUsedAgent);
  return (
    <>
      <Time at={token.lastUsedAt} now={now} />
      {token.lastUsedIp && ` from ${token.lastUsedIp}`}
      {program && ` (${program})`}
    </>
  );
}

import { UnseenName } from "@/app/ui/name";
import { PageForm } from "@/app/ui/page-form";
import { tokenPath } from "@/lib/page-paths";
import { confirmNetworksAction } from "../actions";
import { RevokeLink } from "../revoke/revoke-questions";
import styles from "./notices.module.css";

/** `network`: the new one that it was used from. Without any, nobody is asked whether that was them. */
type Token = { id: number; name: string; network: string | null };

/** What a token that was used from a new network leads to: replace it, revoke it, or say that it was its owner. */
export function NewsActions({ tokens }: { tokens: readonly Token[] }) {
  const [token, ...others] = tokens;
  if (!token) return null;
  const isOne = others.length === 0;
  const names = <UnseenName>{tokens.map(({ name }) => name).join(", ")}</UnseenName>;
  const seen = tokens.flatMap(({ id, network }) => (network === null ? [] : `${id} ${network}`));
  return (
    <span className={`row ${styles.line} ${styles.actions}`}>
      {isOne && (
        <a className="target medium" href={`${tokenPath(token.id)}#replace`}>
          Replace {names}
        </a>
      )}
      <RevokeLink selection={tokens.map(({ id }) => id)} className="target medium">
        Revoke {isOne ? names : `${tokens.length} `}
        {!isOne && <span className="visually-hidden">tokens</span>}
      </RevokeLink>
      {seen.length > 0 && (
        <PageForm action={confirmNetworksAction}>
          {seen.map((one) => (
            <input key={one} type="hidden" name="seen" value={one} />
          ))}
          <button type="submit" className="plain-button medium">
            This was us {names}
          </button>
        </PageForm>
      )}
    </span>
  );
}

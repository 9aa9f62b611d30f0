import { UnseenName } from "@/app/ui/name";
import { PageForm } from "@/app/ui/page-form";
import { tokenPath } from "@/lib/page-paths";
import { confirmNetworksAction } from "../actions";
import { RevokeLink } from "../revoke/revoke-questions";
import { SEEN_FIELD, type SeenFrom, seenText } from "./known-networks";
import styles from "./notices.module.css";

type Props = {
  tokens: readonly { id: number; name: string }[];
  /** The new networks that they were used from; none: nobody is asked whether that was them. */
  seen: readonly SeenFrom[];
};

/** What a token that was used from a new network leads to: replace it, revoke it, or say that it was its owner. */
export function NewsActions({ tokens, seen }: Props) {
  const [token, ...others] = tokens;
  if (!token) return null;
  const names = tokens.map(({ name }) => name).join(", ");
  const count = others.length === 0 ? "" : ` ${tokens.length}`;
  return (
    <span className={`row ${styles.line} ${styles.actions}`}>
      {count === "" && (
        <a className="target medium" href={`${tokenPath(token.id)}#replace`}>
          Replace <UnseenName>{names}</UnseenName>
        </a>
      )}
      <RevokeLink selection={tokens.map(({ id }) => id)} className="target medium">
        Revoke{count}{" "}
        {count === "" ? <UnseenName>{names}</UnseenName> : <span className="visually-hidden">tokens</span>}
      </RevokeLink>
      {seen.length > 0 && (
        <PageForm action={confirmNetworksAction}>
          {seen.map((one) => (
            <input key={seenText(one)} type="hidden" name={SEEN_FIELD} value={seenText(one)} />
          ))}
          <button type="submit" className="plain-button medium">
            This was us <UnseenName>{names}</UnseenName>
          </button>
        </PageForm>
      )}
    </span>
  );
}

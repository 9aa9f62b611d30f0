import { Name } from "@/app/ui/name";
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
  const isOne = others.length === 0;
  const of = isOne ? <Name>{token.name}</Name> : "tokens";
  return (
    <span className={styles.actions}>
      {isOne && (
        <a className={styles.action} href={`${tokenPath(token.id)}#replace`}>
          Replace
          <span className="visually-hidden">
            {" "}
            <Name>{token.name}</Name>
          </span>
        </a>
      )}
      <RevokeLink selection={tokens.map(({ id }) => id)} className={styles.action}>
        Revoke{isOne ? "" : ` ${tokens.length}`}
        <span className="visually-hidden"> {of}</span>
      </RevokeLink>
      {seen.length > 0 && (
        <PageForm action={confirmNetworksAction}>
          {seen.map((one) => (
            <input key={seenText(one)} type="hidden" name={SEEN_FIELD} value={seenText(one)} />
          ))}
          <button type="submit" className={`plain-button ${styles.action}`}>
            This was us
            <span className="visually-hidden">
              {" "}
              <Name>{tokens.map(({ name }) => name).join(", ")}</Name>
            </span>
          </button>
        </PageForm>
      )}
    </span>
  );
}

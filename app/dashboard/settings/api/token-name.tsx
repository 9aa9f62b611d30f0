import { Fingerprint } from "@/app/ui/fingerprint";
import { StrongName } from "@/app/ui/name";
import { tokenPath } from "@/lib/page-paths";

type Token = { id: number; name: string; hint: string };

/** A token in a sentence: its name, which leads to its page, and its last characters. */
export function TokenName({ token: { id, name, hint } }: { token: Token }) {
  return (
    <>
      <a className="inline-link" href={tokenPath(id)}>
        <StrongName>{name}</StrongName>
      </a>{" "}
      (<Fingerprint hint={hint} />)
    </>
  );
}

/** A token of the same name as the one at hand: its last characters lead to its page. */
export function TokenLink({ token: { id, hint } }: { token: Pick<Token, "id" | "hint"> }) {
  return (
    <a className="inline-link" href={tokenPath(id)}>
      <Fingerprint hint={hint} />
    </a>
  );
}

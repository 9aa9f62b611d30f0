import { Fingerprint } from "@/app/ui/fingerprint";
import { StrongName } from "@/app/ui/name";
import { tokenPath } from "@/lib/page-paths";

type Props = { token: { id: number; name: string; hint: string }; isLink?: boolean };

/** A token in a sentence: its name and its last characters. `isLink`: the name leads to its page. */
export function TokenName({ token: { id, name, hint }, isLink = false }: Props) {
  const strong = <StrongName>{name}</StrongName>;
  return (
    <>
      {isLink ? (
        <a className="inline-link" href={tokenPath(id)}>
          {strong}
        </a>
      ) : (
        strong
      )}{" "}
      (<Fingerprint hint={hint} />)
    </>
  );
}

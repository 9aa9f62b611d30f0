import { CopyButton } from "./copy-button";
import { Name } from "./name";

type Props = {
  id: string;
  text: string;
  /** As in "Copied: the name of the record". */
  what: string;
  /** How the text is shown, if not as it is. */
  children?: React.ReactNode;
};

/** A value that is typed elsewhere, and a button that copies it. */
export function Copied({ id, text, what, children = text }: Props) {
  return (
    <>
      <Name id={id}>{children}</Name> <CopyButton text={text} what={what} sourceId={id} isSmall />
    </>
  );
}

import { CopyButton } from "./copy-button";
import { Name } from "./name";

type Props = {
  id: string;
  text: string;
  /** As in "Copied: the name of the record". */
  what: string;
  className?: string;
  /** How the text is shown, if not as it is. */
  children?: React.ReactNode;
};

/** A value that is typed elsewhere, with a button that copies it. */
export function Copied({ id, text, what, className = "line", children = text }: Props) {
  return (
    <span className={className}>
      <Name id={id}>{children}</Name> <CopyButton text={text} what={what} sourceId={id} isSmall />
    </span>
  );
}

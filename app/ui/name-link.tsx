import { Link } from "./link";
import { Name } from "./name";

type Props = {
  /** False: the reader may not see its page. */
  href: string | false;
  name: string;
  className?: string;
};

/** The name of a thing of the console, and the way to its page. */
export function NameLink({ href, name, className }: Props) {
  if (href === false) return <Name>{name}</Name>;
  return (
    <Link href={href} className={className}>
      <Name>{name}</Name>
    </Link>
  );
}

import { Link } from "@/app/ui/link";

type Props = {
  title?: string;
  className?: string;
  href: string;
  words: string;
  wordsClass: string;
  children: React.ReactNode;
};

/** A card that says what a page is for, and leads there. */
export function LinkCard({ title, className = "", href, words, wordsClass, children }: Props) {
  return (
    <div className={`card card-body ${className}`}>
      {title && <h2>{title}</h2>}
      {children}
      <p>
        <Link className={wordsClass} href={href}>
          {words}
        </Link>
      </p>
    </div>
  );
}

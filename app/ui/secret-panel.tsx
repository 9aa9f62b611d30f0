import { useId } from "react";
import { ButtonRow } from "./button-row";
import { FirstUse } from "./first-use";
import { FocusTarget } from "./focus-target";

type Props = {
  title: React.ReactNode;
  /** What the secret is for, and how long it works. */
  about: React.ReactNode;
  /** The secret, and what to do with it. */
  children: React.ReactNode;
  /** Waits for its first use. */
  firstUse?: React.ComponentProps<typeof FirstUse> | false;
  leave: {
    /** What is left: "key", "token". Without it there is none any more. */
    what?: string;
    href: string;
    words: string;
    /** It is kept elsewhere now, so that leaving is the next step. */
    isNext?: boolean;
    /** Leaves it in the browser, without loading a page. */
    onLeave?: (() => void) | undefined;
  };
};

/** A token, a key or the like, which is in this answer and in no other, and the way to leave it behind. */
export function SecretPanel({ title, about, children, firstUse, leave }: Props) {
  const id = useId();
  const { what, href, words, isNext = false, onLeave } = leave;
  const leaveHere = (event: React.MouseEvent) => {
    event.preventDefault();
    onLeave?.();
  };
  return (
    <section className="card card-body key" aria-labelledby={id}>
      <FocusTarget as="h2" id={id}>
        {title}
      </FocusTarget>
      <p className="soft">{about}</p>
      {children}
      {firstUse && <FirstUse {...firstUse} />}
      {/* A link, so that it works without JavaScript and leaves the answer behind. */}
      <ButtonRow>
        <a className={isNext ? "button" : "button quiet"} href={href} onClick={onLeave && leaveHere}>
          {words}
        </a>
        {what && <span className="hint">After this the {what} is gone from the page.</span>}
      </ButtonRow>
    </section>
  );
}

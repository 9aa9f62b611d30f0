"use client";

import { useEffect, useRef, useState } from "react";
import styles from "./page.module.css";

type Props = { id: string; title: string; children: React.ReactNode };

/**
 * A section with a name of its own in the URL of the page. On a phone it begins folded, unless the URL names something in it; the
 * style sheet does that, so that nothing moves when the script arrives. Without JavaScript it is always open.
 */
export function Section({ id, title, children }: Props) {
  const section = useRef<HTMLElement>(null);
  /** Null: it was neither opened nor folded. */
  const [isOpen, setOpen] = useState<boolean | null>(null);

  useEffect(() => {
    const open = () => {
      const target = document.getElementById(window.location.hash.slice(1));
      if (!target || !section.current?.contains(target)) return;
      setOpen(true);
      // Its place is known once it is shown.
      requestAnimationFrame(() => target.scrollIntoView());
    };
    // A link to where the URL points already changes nothing that could be heard.
    const openAgain = ({ target }: MouseEvent) => {
      const link = target instanceof Element ? target.closest("a") : null;
      if (link?.getAttribute("href") === window.location.hash) open();
    };
    if (window.location.hash !== "") open();
    window.addEventListener("hashchange", open);
    document.addEventListener("click", openAgain);
    return () => {
      window.removeEventListener("hashchange", open);
      document.removeEventListener("click", openAgain);
    };
  }, []);

  return (
    <section
      ref={section}
      className={`stack loose ${styles.section}`}
      aria-labelledby={id}
      data-open={isOpen ?? "unless-phone"}
    >
      <div className={`line spread ${styles.top}`}>
        <h2 id={id} className={styles.heading}>
          <a className="target plain" href={`#${id}`}>
            {title}
          </a>
        </h2>
        <button
          type="button"
          className={`button quiet small with-script ${styles.fold}`}
          aria-expanded={isOpen === true}
          onClick={() => setOpen(isOpen !== true)}
        >
          {isOpen ? "Hide" : "Show"}
          <span className="visually-hidden"> {title}</span>
        </button>
      </div>
      <div className={`stack loose ${styles.body}`}>{children}</div>
    </section>
  );
}

"use client";

import { useEffect, useRef, useState } from "react";
import styles from "./page.module.css";

type Props = { id: string; title: string; children: React.ReactNode };

/** As wide as a phone: there the page is long, and its sections begin folded. */
const NARROW = "(max-width: 44rem)";

/** A section with a name of its own in the URL of the page. On a phone it folds; without JavaScript it is always open. */
export function Section({ id, title, children }: Props) {
  const body = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(true);

  useEffect(() => {
    const element = body.current;
    const isAimedAt = () => {
      const target = document.getElementById(window.location.hash.slice(1));
      return target !== null && (target.id === id || element?.contains(target));
    };
    const open = () => {
      if (!isAimedAt()) return;
      setOpen(true);
      // Its place is known once it is shown.
      requestAnimationFrame(() => document.getElementById(window.location.hash.slice(1))?.scrollIntoView());
    };
    if (window.matchMedia(NARROW).matches && !isAimedAt()) setOpen(false);
    window.addEventListener("hashchange", open);
    return () => window.removeEventListener("hashchange", open);
  }, [id]);

  return (
    <section className={styles.section} aria-labelledby={id} data-open={isOpen}>
      <div className={styles.top}>
        <h2 id={id} className={styles.heading}>
          <a href={`#${id}`}>{title}</a>
        </h2>
        <button
          type="button"
          className={`button quiet small ${styles.fold}`}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Hide" : "Show"}
          <span className="visually-hidden">: {title}</span>
        </button>
      </div>
      <div ref={body} className={styles.body}>
        {children}
      </div>
    </section>
  );
}

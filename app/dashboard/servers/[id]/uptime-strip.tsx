"use client";

import styles from "./uptime.module.css";

/** What the worst of a day was, and its sign. */
const SIGNS = { offline: "✕", up: "", none: "" } as const;
export type DayState = keyof typeof SIGNS;

/**
 * The last days of a server, each a link to its charts; a line of `text` for each: its state, where the link leads, and what is
 * said of it, divided by tabs. One text, because React sends what a server component makes twice, and each page of a server
 * has ninety days.
 */
export function UptimeStrip({ label, text }: { label: string; text: string }) {
  return (
    <ol className={styles.strip} aria-label={label}>
      {text.split("\n").map((line) => {
        const [state = "", href, words] = line.split("\t");
        return (
          <li key={href} data-day={state}>
            <a href={href} title={words}>
              <span aria-hidden="true">{SIGNS[state as DayState]}</span>
              <span className="visually-hidden">{words}</span>
            </a>
          </li>
        );
      })}
    </ol>
  );
}

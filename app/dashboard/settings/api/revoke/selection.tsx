"use client";

import { useEffect, useRef, useState } from "react";
import { useScripts } from "@/app/ui/use-scripts";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { useFacts } from "../facts";
import { RevokeLink } from "./revoke-questions";
import styles from "./selection.module.css";

type Count = { selected: number; shown: number };

/** Around a list with a check box named "revoke" for each token: revokes several with one question. */
export function Selection({ children }: { children: React.ReactNode }) {
  const { ask } = useFacts();
  const hasScripts = useScripts();
  const form = useRef<HTMLFormElement>(null);
  const all = useRef<HTMLInputElement>(null);
  const [{ selected, shown }, setCount] = useState<Count>({ selected: 0, shown: 0 });
  const count = () => {
    const boxes = shownBoxes(form.current);
    const next = { selected: boxes.filter(({ checked }) => checked).length, shown: boxes.length };
    setCount((before) => (before.selected === next.selected && before.shown === next.shown ? before : next));
  };

  // Count after every render, because revoked rows disappear while they are selected.
  useEffect(count);
  useEffect(() => {
    if (all.current) all.current.indeterminate = selected > 0 && selected < shown;
  }, [selected, shown]);

  const onSubmit = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const ids = shownBoxes(form.current).flatMap(({ checked, value }) => (checked ? [Number(value)] : []));
    const button = event.currentTarget.querySelector<HTMLElement>("[type=submit]");
    if (ids.length > 0 && button) ask(ids, button);
    // Nothing is selected yet, so lead to the first check box.
    else event.currentTarget.querySelector<HTMLElement>("[name=revoke]")?.focus();
  };

  const selectAll = (event: React.ChangeEvent<HTMLInputElement>) => {
    for (const box of shownBoxes(form.current)) box.checked = event.target.checked;
  };

  return (
    <form
      ref={form}
      className="stack"
      method="get"
      action={TOKEN_PAGE}
      // The filter also triggers this when it hides rows, because hidden rows are not revoked.
      onChange={count}
      onSubmit={onSubmit}
    >
      <div className={`row ${styles.bar}`} data-has-selection={selected > 0}>
        <label className={`control small soft with-script ${hasScripts ? "" : "not-yet"} ${styles.all}`}>
          <input
            ref={all}
            type="checkbox"
            className="check"
            checked={shown > 0 && selected === shown}
            onChange={selectAll}
          />
          Select all
        </label>
        <span className={`control small medium ${styles.chosen}`}>
          <span role="status">{selected > 0 && `${selected} selected`}</span>
          <button type="submit" className="button quiet wary small">
            Revoke selected…
          </button>
          <RevokeLink selection="all" className="plain-button wary">
            Revoke all…
          </RevokeLink>
        </span>
      </div>
      {children}
    </form>
  );
}

/** The check boxes of rows that the filter shows. */
function shownBoxes(form: HTMLFormElement | null): HTMLInputElement[] {
  return [...(form?.querySelectorAll<HTMLInputElement>("tr:not([hidden]) [name=revoke]") ?? [])];
}

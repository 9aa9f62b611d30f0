"use client";

import { useEffect, useRef, useState } from "react";
import { useScripts } from "@/app/ui/use-scripts";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { useFacts } from "../facts";
import { RevokeLink } from "./revoke-questions";
import styles from "./selection.module.css";

/** Around a list with a check box named "revoke" for each token: revokes several with one question. */
export function Selection({ children }: { children: React.ReactNode }) {
  const { ask } = useFacts();
  const hasScripts = useScripts();
  const form = useRef<HTMLFormElement>(null);
  const [selected, setSelected] = useState(0);
  const [shown, setShown] = useState(0);
  /** The check boxes of rows that the filter shows. */
  const boxes = () => [...(form.current?.querySelectorAll<HTMLInputElement>("tr:not([hidden]) [name=revoke]") ?? [])];
  const selectedIds = () => boxes().flatMap(({ checked, value }) => (checked ? Number(value) : []));
  const count = () => {
    setSelected(selectedIds().length);
    setShown(boxes().length);
  };

  // Count after every render, because revoked rows disappear while they are selected.
  useEffect(count);

  const onSubmit = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const ids = selectedIds();
    const button = event.currentTarget.querySelector<HTMLElement>("[type=submit]");
    if (ids.length > 0 && button) ask(ids, button);
    // Nothing is selected yet, so lead to the first check box.
    else event.currentTarget.querySelector<HTMLElement>("[name=revoke]")?.focus();
  };

  const selectAll = (event: React.ChangeEvent<HTMLInputElement>) => {
    for (const box of boxes()) box.checked = event.target.checked;
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
            ref={(box) => {
              if (box) box.indeterminate = selected > 0 && selected < shown;
            }}
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

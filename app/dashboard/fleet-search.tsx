"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { isConsoleReady } from "@/app/ui/is-console-ready";
import { SECOND } from "@/lib/format/time";
import { DASHBOARD } from "@/lib/page-paths";
import styles from "./fleet.module.css";
import { type FleetQuery, fleetParams, fleetPath, isFound } from "./fleet-query";

/** Debounces typing, so that not every letter sends a request. */
const WAIT_MS = 250;
/** A console that did not answer is asked again after this. */
const AGAIN_MS = 5 * SECOND;

/**
 * Finds servers by their names and ips: with a button, and with JavaScript while one types. The rows that are there are
 * filtered at once. The console finds the others, and only where it answers: the router would leave the page otherwise.
 */
export function FleetSearch({ query }: { query: FleetQuery }) {
  const router = useRouter();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const asked = useRef(0);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      asked.current++;
    },
    [],
  );
  const { q: _, page: __, ...kept } = fleetParams(query);

  function find(search: string, wait: number): void {
    clearTimeout(timer.current);
    asked.current++;
    filterRows(search);
    timer.current = setTimeout(() => ask(search), wait);
  }

  async function ask(search: string): Promise<void> {
    const number = asked.current;
    const answers = await isConsoleReady(AGAIN_MS);
    // Something else was typed meanwhile, or the page was left.
    if (number !== asked.current) return;
    if (answers) router.replace(fleetPath({ ...query, search: search.trim(), page: 1 }), { scroll: false });
    else timer.current = setTimeout(() => ask(search), AGAIN_MS);
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers that run this may not know the search element
    <form
      className={`line ${styles.search}`}
      role="search"
      action={DASHBOARD}
      onSubmit={(event) => {
        event.preventDefault();
        find(String(new FormData(event.currentTarget).get("q")), 0);
      }}
    >
      {Object.entries(kept).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <label className="visually-hidden" htmlFor="search">
        Search servers
      </label>
      <input
        id="search"
        className="input small"
        type="search"
        name="q"
        placeholder="Name, hostname or ip"
        defaultValue={query.search}
        autoComplete="off"
        onInput={(event) => find(event.currentTarget.value, WAIT_MS)}
      />
      <button type="submit" className="button quiet small">
        Search
      </button>
    </form>
  );
}

/** Hides the rows that the search does not find. */
function filterRows(search: string): void {
  for (const row of document.querySelectorAll<HTMLElement>("[data-server][data-search]")) {
    row.hidden = !isFound(row.dataset.search ?? "", search);
  }
}

"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { DASHBOARD } from "@/lib/page-paths";
import styles from "./fleet.module.css";
import { type FleetQuery, fleetParams, fleetPath } from "./fleet-query";

/** Debounces typing, so that not every letter sends a request. */
const WAIT_MS = 250;

/** Finds servers by their names and ips: with a button, and with JavaScript while one types. */
export function FleetSearch({ query }: { query: FleetQuery }) {
  const router = useRouter();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const { q: _, page: __, ...kept } = fleetParams(query);

  function find(search: string, wait: number): void {
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => router.replace(fleetPath({ ...query, search: search.trim(), page: 1 }), { scroll: false }),
      wait,
    );
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers that run this may not know the search element
    <form
      className={styles.search}
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
        className="input"
        type="search"
        name="q"
        placeholder="Name, hostname or ip"
        defaultValue={query.search}
        autoComplete="off"
        onInput={(event) => find(event.currentTarget.value, WAIT_MS)}
      />
      <button type="submit" className="button quiet">
        Search
      </button>
    </form>
  );
}

import Link from "next/link";
import { NEEDS, type Need } from "@/lib/servers/health-level";
import styles from "./fleet.module.css";
import { type FleetQuery, fleetPath, type NeedCounts } from "./fleet-query";

const NAMES: Readonly<Record<Need, string>> = {
  offline: "Offline",
  attention: "Needs attention",
  well: "Healthy",
  never: "Never checked in",
};

/** Counts servers by need. Each chip filters the list by its need, and "All" clears the filter. */
export function FleetChips({ query, counts, total }: { query: FleetQuery; counts: NeedCounts; total: number }) {
  return (
    <nav className={styles.chips} aria-label="Show servers">
      <Chip
        href={fleetPath({ ...query, show: null, page: 1 })}
        name="All"
        count={total}
        isCurrent={query.show === null}
      />
      {NEEDS.filter((need) => counts[need] > 0 || query.show === need).map((need) => (
        <Chip
          key={need}
          need={need}
          href={fleetPath({ ...query, show: need, page: 1 })}
          name={NAMES[need]}
          count={counts[need]}
          isCurrent={query.show === need}
        />
      ))}
    </nav>
  );
}

type ChipProps = { href: string; name: string; count: number; isCurrent: boolean; need?: Need };

function Chip({ href, name, count, isCurrent, need }: ChipProps) {
  return (
    <Link
      className={styles.chip}
      href={href}
      prefetch={false}
      scroll={false}
      data-group={need}
      aria-current={isCurrent ? "true" : undefined}
    >
      {name} <b>{count.toLocaleString("en")}</b>
    </Link>
  );
}

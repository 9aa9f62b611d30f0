import Link from "next/link";
import styles from "./fleet.module.css";
import { FLEET_GROUPS, type FleetGroup, type FleetQuery, fleetPath, type GroupCounts } from "./fleet-query";

const NAMES: Readonly<Record<FleetGroup, string>> = {
  offline: "Offline",
  attention: "Needs attention",
  well: "Healthy",
  never: "Never checked in",
};

/** Counts servers by need. Each chip filters the list by its need, and "All" clears the filter. */
export function FleetChips({ query, counts, total }: { query: FleetQuery; counts: GroupCounts; total: number }) {
  return (
    <nav className={styles.chips} aria-label="Show servers">
      <Chip
        href={fleetPath({ ...query, show: null, page: 1 })}
        name="All"
        count={total}
        isCurrent={query.show === null}
      />
      {FLEET_GROUPS.filter((group) => counts[group] > 0 || query.show === group).map((group) => (
        <Chip
          key={group}
          group={group}
          href={fleetPath({ ...query, show: group, page: 1 })}
          name={NAMES[group]}
          count={counts[group]}
          isCurrent={query.show === group}
        />
      ))}
    </nav>
  );
}

type ChipProps = { href: string; name: string; count: number; isCurrent: boolean; group?: FleetGroup };

function Chip({ href, name, count, isCurrent, group }: ChipProps) {
  return (
    <Link
      className={styles.chip}
      href={href}
      prefetch={false}
      scroll={false}
      data-group={group}
      aria-current={isCurrent ? "true" : undefined}
    >
      {name} <b>{count.toLocaleString("en")}</b>
    </Link>
  );
}

import { Link } from "@/app/ui/link";
import { Name } from "@/app/ui/name";
import { NEEDS, type Need } from "@/lib/servers/health-level";
import type { FleetServer } from "@/lib/servers/servers";
import styles from "./fleet.module.css";
import { countTags, type FleetQuery, fleetPath, type NeedCounts } from "./fleet-query";

const NAMES: Readonly<Record<Need, string>> = {
  offline: "Offline",
  attention: "Needs attention",
  well: "Healthy",
  never: "Never checked in",
};

/** Counts servers by need. Each chip filters the list by its need, and "All" clears the filter. */
export function FleetChips({ query, counts, total }: { query: FleetQuery; counts: NeedCounts; total: number }) {
  return (
    <nav className="row tight" aria-label="Show servers">
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

/** This many tags are chips; the others are folded. */
const FEW_TAGS = 12;
/** More are found by the search alone. */
const MOST_TAGS = 200;

/** Counts servers by tag, once there is one. Each chip filters the list by its tag, and the chosen one clears the filter. */
export function TagChips({ query, servers }: { query: FleetQuery; servers: readonly FleetServer[] }) {
  const all = countTags(servers);
  if (all.length === 0 && query.tag === null) return null;
  const isChosen = ({ tag }: { tag: string }) => tag === query.tag;
  const known = all.some(isChosen) || query.tag === null ? all : [{ tag: query.tag, count: 0 }, ...all];
  const few = known.filter((one, index) => index < FEW_TAGS || isChosen(one));
  const rest = known.slice(0, MOST_TAGS).filter((one) => !few.includes(one));
  const chips = (some: typeof known) =>
    some.map(({ tag, count }) => (
      <Chip
        key={tag}
        href={fleetPath({ ...query, tag: tag === query.tag ? null : tag, page: 1 })}
        name={<Name>#{tag}</Name>}
        count={count}
        isCurrent={tag === query.tag}
      />
    ));
  return (
    <nav className="row tight" aria-label="Show servers by tag">
      {chips(few)}
      {rest.length > 0 && (
        <details>
          <summary className={`control small numbers ${styles.chip}`}>More tags</summary>
          <div className="row tight">{chips(rest)}</div>
        </details>
      )}
    </nav>
  );
}

const TONES: Partial<Record<Need, string>> = { offline: "danger tone", attention: "warning tone" };

type ChipProps = { href: string; name: React.ReactNode; count: number; isCurrent: boolean; need?: Need };

function Chip({ href, name, count, isCurrent, need }: ChipProps) {
  return (
    <Link
      className={`control small numbers ${styles.chip}`}
      href={href}
      scroll={false}
      aria-current={isCurrent ? "true" : undefined}
    >
      {name} <b className={need && TONES[need]}>{count.toLocaleString("en")}</b>
    </Link>
  );
}

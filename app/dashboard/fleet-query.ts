import { DASHBOARD } from "@/app/paths";
import type { ServerListItem } from "@/lib/api/schemas";

/** More would make a page that nobody reads to its end. */
export const SERVERS_PER_PAGE = 100;

export const FLEET_ORDERS = ["score", "name"] as const;
export type FleetOrder = (typeof FLEET_ORDERS)[number];
/** Pages count from 1. */
export type FleetQuery = { order: FleetOrder; page: number };

/** What the query of the page asks for; whatever it does not say right is as if it were absent. */
export function parseFleetQuery({ order, page }: Record<string, unknown>): FleetQuery {
  return {
    order: FLEET_ORDERS.find((known) => known === order) ?? "score",
    page: typeof page === "string" && /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1,
  };
}

export function fleetPath({ order, page }: FleetQuery): string {
  const query = new URLSearchParams();
  if (order !== "score") query.set("order", order);
  if (page > 1) query.set("page", String(page));
  return query.size > 0 ? `${DASHBOARD}?${query}` : DASHBOARD;
}

export type FleetPage = { servers: ServerListItem[]; page: number; pages: number };

/** One page of the servers, the worst or the first by name at the top. A page beyond the last is the last. */
export function pageOf(servers: readonly ServerListItem[], { order, page }: FleetQuery): FleetPage {
  const pages = Math.max(1, Math.ceil(servers.length / SERVERS_PER_PAGE));
  const shown = Math.min(page, pages);
  const sorted = [...servers].sort((a, b) => (order === "score" && a.score - b.score) || byName(a, b));
  return { servers: sorted.slice((shown - 1) * SERVERS_PER_PAGE, shown * SERVERS_PER_PAGE), page: shown, pages };
}

const collator = new Intl.Collator("en", { numeric: true });

function byName(a: ServerListItem, b: ServerListItem): number {
  return collator.compare(a.label, b.label) || a.id - b.id;
}

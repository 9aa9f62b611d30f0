import { DASHBOARD, serverPath } from "@/lib/page-paths";
import { NEEDS, type Need } from "@/lib/servers/health-level";
import type { FleetServer } from "@/lib/servers/servers";
import { foldTag, MAX_TAG_LENGTH } from "@/lib/servers/tag-text";

/** Limits the length of the page. */
export const SERVERS_PER_PAGE = 150;
/** Longer than any label or hostname. */
const MAX_SEARCH = 256;

const FLEET_ORDERS = ["score", "name", "cpu", "memory", "disk"] as const;
export type FleetOrder = (typeof FLEET_ORDERS)[number];

/** Pages count from 1. Numbers are listed from the greatest, scores from the worst, names from A, unless reversed. */
export type FleetQuery = {
  order: FleetOrder;
  isReversed: boolean;
  show: Need | null;
  search: string;
  /** A tag as it is stored. */
  tag: string | null;
  page: number;
};

/** The page of a list that a query names; the first for anything else. */
export function pageNumber(text: unknown): number {
  return typeof text === "string" && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}

/** Parses the query of the page. Treats invalid values as absent. */
export function parseFleetQuery({ order, show, q, tag, page }: Record<string, unknown>): FleetQuery {
  const name = String(order).replace(/^-/, "");
  return {
    order: FLEET_ORDERS.find((known) => known === name) ?? "score",
    isReversed: FLEET_ORDERS.some((known) => order === `-${known}`),
    show: NEEDS.find((known) => known === show) ?? null,
    search: typeof q === "string" ? q.trim().slice(0, MAX_SEARCH) : "",
    tag: (typeof tag === "string" && foldTag(tag.slice(0, 2 * MAX_TAG_LENGTH))) || null,
    page: pageNumber(page),
  };
}

/** The query as a URL says it. */
export function fleetParams({ order, isReversed, show, search, tag, page }: FleetQuery): Record<string, string> {
  return {
    ...((order !== "score" || isReversed) && { order: isReversed ? `-${order}` : order }),
    ...(show && { show }),
    ...(search !== "" && { q: search }),
    ...(tag !== null && { tag }),
    ...(page > 1 && { page: String(page) }),
  };
}

export function fleetPath(query: FleetQuery): string {
  const params = new URLSearchParams(fleetParams(query));
  return params.size > 0 ? `${DASHBOARD}?${params}` : DASHBOARD;
}

/** A list without its pages: what the page of a server keeps of the list that somebody came from. */
export function listOf(query: FleetQuery): FleetQuery {
  return { ...query, page: 1 };
}

/** The page of a server, with the list that leads on from it, and what else its query says. */
export function serverInList(id: number, list: FleetQuery, others: Record<string, string> = {}): string {
  const params = new URLSearchParams({ ...fleetParams(listOf(list)), ...others });
  return params.size > 0 ? `${serverPath(id)}?${params}` : serverPath(id);
}

export type NeedCounts = Record<Need, number>;

export function countNeeds(servers: readonly FleetServer[]): NeedCounts {
  const counts: NeedCounts = { offline: 0, attention: 0, well: 0, never: 0 };
  for (const { need } of servers) counts[need]++;
  return counts;
}

/** Counts the servers that need attention now. Servers that were never set up do not count. */
export function needSomebody({ offline, attention }: NeedCounts): number {
  return offline + attention;
}

type FleetPage = { servers: FleetServer[]; found: number; page: number; pages: number };

/** One page of the servers that the query is about. A page beyond the last is the last. */
export function pageOf(
  servers: readonly FleetServer[],
  query: FleetQuery,
  perPage: number = SERVERS_PER_PAGE,
): FleetPage {
  const found = inList(servers, query);
  const pages = Math.max(1, Math.ceil(found.length / perPage));
  const page = Math.min(query.page, pages);
  const shown = found.slice((page - 1) * perPage, page * perPage);
  return { servers: shown, found: found.length, page, pages };
}

function inList(servers: readonly FleetServer[], query: FleetQuery): FleetServer[] {
  return servers.filter((server) => isShown(server, query)).sort(comparator(query));
}

/** The ids of all servers of a list, in its order, whatever its pages. */
export function idsInList(servers: readonly FleetServer[], query: FleetQuery): number[] {
  return inList(servers, query).map(({ id }) => id);
}

/** Each tag of the servers with how many have it, the most frequent first. */
export function countTags(servers: readonly FleetServer[]): { tag: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { tags } of servers) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .map(([tag, count]) => ({ tag, count }))
    .sort((a, b) => b.count - a.count || collator.compare(a.tag, b.tag));
}

type Named = Pick<FleetServer, "id" | "label">;
export type Adjacent = { previous: Named; next: Named; place: number; count: number };

/**
 * The servers before and after one in a list, behind the last comes the first; places count from 1. A server that the list no
 * longer shows has its place among all of that order. Null: there is no other.
 */
export function adjacentOf(id: number, servers: readonly FleetServer[], query: FleetQuery): Adjacent | null {
  const shown = inList(servers, query);
  const list = shown.some((server) => server.id === id)
    ? shown
    : inList(servers, { ...query, show: null, search: "", tag: null });
  const index = list.findIndex((server) => server.id === id);
  const previous = list.at(index - 1);
  const next = list[(index + 1) % list.length];
  if (index < 0 || !previous || !next || list.length < 2) return null;
  return { previous, next, place: index + 1, count: list.length };
}

function isShown(server: FleetServer, { show, search, tag }: FleetQuery): boolean {
  if (show !== null && server.need !== show) return false;
  if (tag !== null && !server.tags.includes(tag)) return false;
  return isFound(searchText(server), search);
}

/** What a server is found by. */
export function searchText({ label, hostname, public_ip, tags }: FleetServer): string {
  return [label, hostname, public_ip ?? "", ...tags].join(" ").toLowerCase();
}

/** Whether the text of a server holds every word that is searched for. */
export function isFound(text: string, search: string): boolean {
  const words = search.trim().toLowerCase().split(/\s+/);
  return words.every((word) => text.includes(word));
}

type Compare = (a: FleetServer, b: FleetServer) => number;

const collator = new Intl.Collator("en", { numeric: true });
const byName: Compare = (a, b) => collator.compare(a.label, b.label) || a.id - b.id;
const byNeed: Compare = (a, b) => NEEDS.indexOf(a.need) - NEEDS.indexOf(b.need) || a.score - b.score;

/** What each order compares; null: the server has no present value in that column. */
const VALUES: Readonly<Record<Exclude<FleetOrder, "name">, (server: FleetServer) => number | null>> = {
  score: ({ hasCheckedIn, score }) => (hasCheckedIn ? score : null),
  cpu: presentValue("cpuPct"),
  memory: presentValue("memUsedPct"),
  disk: presentValue("diskUsedPct"),
};

/** Values from before a silence are not present. */
export function presentValue(name: "cpuPct" | "memUsedPct" | "diskUsedPct") {
  return (server: FleetServer): number | null => (server.online ? server[name] : null);
}

/** Servers without a present value are last in either direction. */
function comparator({ order, isReversed }: FleetQuery): Compare {
  const sign = isReversed ? -1 : 1;
  if (order === "name") return (a, b) => sign * byName(a, b);
  const value = VALUES[order];
  return (a, b) => {
    const [one, other] = [value(a), value(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null) || byName(a, b);
    return sign * (order === "score" ? byNeed(a, b) : other - one) || byName(a, b);
  };
}

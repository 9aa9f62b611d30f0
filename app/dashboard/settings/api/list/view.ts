import type { TokenRecord } from "@/lib/tokens/management";

/** The parameters of a URL. */
export type Query = Record<string, string | string[] | undefined>;

const never = Number.POSITIVE_INFINITY;

/** How the active tokens can be ordered. Ties stay in the order of the list, the newest first. */
const ORDERS = {
  created: () => 0,
  name: (a, b) => a.name.localeCompare(b.name, "en", { sensitivity: "base", numeric: true }),
  used: (a, b) => Number(b.lastUsedAt) - Number(a.lastUsedAt),
  // Two that never end are no number apart.
  expires: (a, b) => Number(a.expiresAt ?? never) - Number(b.expiresAt ?? never) || 0,
} satisfies Record<string, (a: TokenRecord, b: TokenRecord) => number>;
export type Sort = keyof typeof ORDERS;

/** What of the lists is shown: `?filter=`, `?sort=`. */
export type View = { filter: string; sort: Sort };

/** In characters. The filter ignores the rest. */
export const MAX_FILTER_LENGTH = 16;

/** Reads the view from the URL and ignores invalid parameters. */
export function viewIn({ filter, sort }: Query): View {
  return {
    filter: typeof filter === "string" ? filter.slice(0, MAX_FILTER_LENGTH).trim() : "",
    sort: typeof sort === "string" && Object.hasOwn(ORDERS, sort) ? (sort as Sort) : "created",
  };
}

/** The active tokens that the view shows, in its order. */
export function applyView(tokens: readonly TokenRecord[], { filter, sort }: View): TokenRecord[] {
  return filterTokens(tokens, filter).sort(ORDERS[sort]);
}

/** Those tokens whose name, last four characters or last ip hold the text, whatever the case. */
export function filterTokens(tokens: readonly TokenRecord[], filter: string): TokenRecord[] {
  const text = filter.toLowerCase().replace(/^cpat_…?/, "");
  return tokens.filter((token) => searchText(token).includes(text));
}

/** The text that the filter searches. Line breaks prevent matches that span two values. */
export function searchText({ name, hint, lastUsedIp }: TokenRecord): string {
  return [name, hint, lastUsedIp ?? ""].join("\n").toLowerCase();
}

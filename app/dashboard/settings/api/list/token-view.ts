import type { TokenRecord } from "@/lib/tokens/management";
import type { Sort, View } from "./view";

/** Those tokens whose name, last four characters or last ip hold the text, whatever the case. */
export function filterTokens(tokens: readonly TokenRecord[], filter: string): TokenRecord[] {
  const text = filter.toLowerCase().replace(/^cpat_…?/, "");
  return tokens.filter((token) => searchText(token).includes(text));
}

/** The text that the filter searches. Line breaks prevent matches that span two values. */
export function searchText({ name, hint, lastUsedIp }: TokenRecord): string {
  return [name, hint, lastUsedIp ?? ""].join("\n").toLowerCase();
}

/** The active tokens that the view shows, in its order. */
export function applyView(tokens: readonly TokenRecord[], { filter, sort }: View): TokenRecord[] {
  return filterTokens(tokens, filter).sort(ORDERS[sort]);
}

const never = Number.POSITIVE_INFINITY;

/** Ties stay in the order of the list, the newest first. */
const ORDERS: Record<Sort, (a: TokenRecord, b: TokenRecord) => number> = {
  created: () => 0,
  name: (a, b) => a.name.localeCompare(b.name, "en", { sensitivity: "base", numeric: true }),
  used: (a, b) => Number(b.lastUsedAt) - Number(a.lastUsedAt),
  expires: (a, b) => compare(a.expiresAt ? a.expiresAt.getTime() : never, b.expiresAt ? b.expiresAt.getTime() : never),
};

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

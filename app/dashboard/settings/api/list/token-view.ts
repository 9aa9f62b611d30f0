import type { TokenRecord } from "@/lib/tokens/management";
import type { Sort, View } from "../page-query";

/** Those tokens whose name, last four characters or last ip hold the text, whatever the case. */
export function filtered(tokens: readonly TokenRecord[], filter: string): TokenRecord[] {
  const wanted = filter.toLowerCase().replace(/^cpat_…?/, "");
  return tokens.filter(({ name, hint, lastUsedIp }) =>
    [name, hint, lastUsedIp ?? ""].some((text) => text.toLowerCase().includes(wanted)),
  );
}

/** The active tokens that are to be seen, in the order asked for. */
export function viewed(tokens: readonly TokenRecord[], { filter, sort }: View): TokenRecord[] {
  return filtered(tokens, filter).sort(ORDERS[sort]);
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

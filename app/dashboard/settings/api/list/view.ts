type Query = Record<string, string | string[] | undefined>;

/** How the active tokens are ordered. */
const SORTS = ["created", "name", "used", "expires"] as const;
export type Sort = (typeof SORTS)[number];

/** What of the lists is shown: `?filter=`, `?sort=`. */
export type View = { filter: string; sort: Sort };

/** In characters. The filter ignores the rest. */
export const MAX_FILTER_LENGTH = 16;

/** Reads the view from the URL and ignores invalid parameters. */
export function viewIn({ filter, sort }: Query): View {
  return {
    filter: typeof filter === "string" ? filter.slice(0, MAX_FILTER_LENGTH).trim() : "",
    sort: SORTS.find((known) => known === sort) ?? "created",
  };
}

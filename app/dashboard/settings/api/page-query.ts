import { findId } from "@/lib/http/ids";
import { MAX_ACTIVE_TOKENS } from "@/lib/tokens/management";
import type { Step, Which } from "./revoke/revocation";

export type Query = Record<string, string | string[] | undefined>;

/** The question that `?revoke=` asks: "all", numbers with commas between them, or several such parameters. */
export function askedIn(query: Query): Which | null {
  return whichIn(query.revoke);
}

/** The step that `?revoked=` or `?unchanged=` names, as a form without JavaScript leads to it. */
export function stepIn(query: Query): Step | null {
  const revoked = whichIn(query.revoked);
  if (revoked !== null) return { revoked: revoked === "all" ? [] : revoked };
  const unchanged = whichIn(query.unchanged);
  return unchanged === null ? null : { unchanged };
}

/** Numbers of tokens; what can be none is left out, and so is what goes beyond the most there can be. */
export function parseIds(text: string): number[] {
  return text.split(",", MAX_ACTIVE_TOKENS).flatMap((part) => findId(part) ?? []);
}

function whichIn(value: string | string[] | undefined): Which | null {
  if (value === undefined) return null;
  return value === "all" ? value : parseIds(String(value));
}

/** How the lists are ordered. */
export const SORTS = { created: "Newest first", name: "Name", used: "Last used first", expires: "Ends first" } as const;
export type Sort = keyof typeof SORTS;

/** What of the lists is shown: `?filter=`, `?sort=`. */
export type View = { filter: string; sort: Sort };

/** In characters; what goes beyond is not looked for. */
export const MAX_FILTER_LENGTH = 16;

/** What the URL asks to see; what it gets wrong is as if it were not there. */
export function viewIn({ filter, sort }: Query): View {
  return {
    filter: typeof filter === "string" ? filter.slice(0, MAX_FILTER_LENGTH).trim() : "",
    sort: typeof sort === "string" && Object.hasOwn(SORTS, sort) ? (sort as Sort) : "created",
  };
}

import { findId } from "@/lib/http/ids";
import { MAX_ACTIVE_TOKENS } from "@/lib/tokens/management";
import type { Step, TokenSelection } from "./revoke/revocation";

export type Query = Record<string, string | string[] | undefined>;

/** The question that `?revoke=` asks: "all", numbers with commas between them, or several such parameters. */
export function askedIn(query: Query): TokenSelection | null {
  return selectionIn(query.revoke);
}

/** The step that `?revoked=` or `?unchanged=` names, as a form without JavaScript leads to it. */
export function stepIn(query: Query): Step | null {
  const revoked = selectionIn(query.revoked);
  if (revoked !== null) return { revoked: revoked === "all" ? [] : revoked };
  const unchanged = selectionIn(query.unchanged);
  return unchanged === null ? null : { unchanged };
}

/** Reads ids of tokens. It ignores invalid ids, and ids beyond the most active tokens that an account can have. */
export function parseIds(text: string): number[] {
  return text.split(",", MAX_ACTIVE_TOKENS).flatMap((part) => findId(part) ?? []);
}

function selectionIn(value: string | string[] | undefined): TokenSelection | null {
  if (value === undefined) return null;
  return value === "all" ? value : parseIds(String(value));
}

import type { InvalidField } from "@/lib/failures";

/** The server's answer to a form that creates a token: the new token, shown once, or the reason why there is none. */
export type CreateState =
  | { kind: "empty" }
  | { kind: "created"; raw: string; token: CreatedToken; replaced: ReplacedToken | null }
  | { kind: "already-created"; token: CreatedToken }
  | (InvalidField<CreateField> & { values: CreateValues });

export type CreateField = "name" | "expiry" | "date" | "networks" | "overlap" | "password" | "form";
/** What was typed, to be shown again; never the password. */
export type CreateValues = { name: string; expiry: string; date: string; networks: string; overlap: string };
/** The token that a new one replaces. `endsAt` is null when it ends with the first use of the new token. */
export type ReplacedToken = { id: number; hint: string; hasEnded: boolean; endsAt: Date | null };
export type CreatedToken = { id: number; name: string; hint: string; expiresAt: Date | null; networks: string[] };

export const UNSENT: CreateState = { kind: "empty" };

import type { InvalidField } from "@/lib/failures";

/** What a form that asks for a token was told by the server: the new token, once; or why there is none. */
export type CreateState =
  | { kind: "empty" }
  | { kind: "created"; raw: string; token: CreatedToken; replaced: ReplacedToken | null }
  | { kind: "already-created"; token: CreatedToken }
  | (InvalidField<CreateField> & { values: CreateValues });

export type CreateField = "name" | "expiry" | "date" | "overlap" | "password" | "form";
/** What was typed, to be shown again; never the password. */
export type CreateValues = { name: string; expiry: string; date: string; overlap: string };
/** The token that a new one takes the place of. `endsAt` is null for one that ends when the new one is first used. */
export type ReplacedToken = { id: number; hint: string; hasEnded: boolean; endsAt: Date | null };
export type CreatedToken = { id: number; name: string; hint: string; expiresAt: Date | null };

export const UNSENT: CreateState = { kind: "empty" };

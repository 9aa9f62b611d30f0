import type { InvalidField } from "@/lib/failures";

/** What a form that asks for a token was told by the server: the new token, once; or why there is none. */
export type CreateState =
  | { kind: "empty" }
  | { kind: "created"; raw: string; token: CreatedToken }
  | { kind: "already-created"; token: CreatedToken }
  | (InvalidField<CreateField> & { values: CreateValues });

export type CreateField = "name" | "expiry" | "date" | "overlap" | "password" | "form";
/** What was typed, to be shown again; never the password. */
export type CreateValues = { name: string; expiry: string; date: string; overlap: string };
export type CreatedToken = { id: number; name: string; hint: string; expiresAt: Date | null };

export const NOTHING_YET: CreateState = { kind: "empty" };

import type { InvalidField } from "@/lib/failures";

/** What the create form was told by the server: the new token, once; or why there is none. */
export type CreateState =
  | { kind: "empty" }
  | { kind: "created"; raw: string; token: CreatedToken }
  | { kind: "already-created"; token: CreatedToken }
  | (InvalidField<CreateField> & { values: CreateValues });

export type CreateField = "name" | "expiry" | "date" | "form";
export type CreateValues = { name: string; expiry: string; date: string };
export type CreatedToken = { id: number; name: string; hint: string; expiresAt: Date | null };

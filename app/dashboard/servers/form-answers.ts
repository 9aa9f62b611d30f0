import type { InvalidField } from "@/lib/failures";
import type { ServerNames } from "@/lib/servers/names";

// What the forms of servers were told by the console. A raw key is in exactly one answer: to the form that made it.

export type AddServerAnswer =
  | { kind: "empty" }
  | { kind: "created"; id: number; label: string; rawKey: string }
  | { kind: "already-created"; id: number }
  | (InvalidField<"label" | "hostname" | "form"> & { values: ServerNames });

export type RenameServerAnswer =
  | { kind: "empty" }
  | ({ kind: "renamed" } & ServerNames)
  | (InvalidField<"label" | "hostname" | "form"> & { values: ServerNames });

export type ReplaceKeyAnswer =
  | { kind: "empty" }
  | { kind: "replaced"; rawKey: string }
  | { kind: "refused"; message: string };

export type RequestBenchmarkAnswer =
  | { kind: "empty" }
  | { kind: "requested"; label: string; rawKey: string; expiresAt: Date }
  | (InvalidField<"label" | "form"> & { values: { label: string } });

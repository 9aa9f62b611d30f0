import type { InvalidField } from "@/lib/failures";
import type { ServerNames } from "@/lib/servers/names";

// The console's answers to the forms of servers. Only the answer to the form that created a key contains it.

export type AddServerAnswer =
  | { kind: "created"; id: number; label: string; rawKey: string }
  | { kind: "already-created"; id: number }
  | (InvalidField<"label" | "hostname" | "form"> & { values: ServerNames });

export type ReplaceKeyAnswer = { kind: "replaced"; rawKey: string } | { kind: "refused"; message: string };

export type RequestBenchmarkAnswer =
  | { kind: "requested"; label: string; rawKey: string; expiresAt: number }
  | (InvalidField<"label" | "form"> & { values: { label: string } });

/** The servers that a form about several was sent for. */
export type ChosenServers = { isAll: boolean; selected: readonly number[] };

export type PlanMaintenanceAnswer =
  | { kind: "planned"; servers: number; text: string }
  | (InvalidField<"times" | "servers"> & { fields: { from: string; to: string }; chosen: ChosenServers });

/** What was typed and chosen, so that nothing is lost. */
export type TagValues = { add: string; remove: string; chosen: ChosenServers };

export type ChangeTagsAnswer =
  | { kind: "changed"; servers: number }
  | (InvalidField<"add" | "remove" | "form"> & { values: TagValues });

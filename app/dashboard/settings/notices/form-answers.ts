import type { InvalidField } from "@/lib/failures";
import type { ChannelKind } from "@/lib/notices/management";
import type { NoticeChoices } from "@/lib/notices/settings";

// Only the answer to the form that made a secret contains it.

export type AddChannelAnswer =
  | { kind: "empty" }
  | { kind: "secret"; name: string; secret: string }
  | { kind: "refused"; of: ChannelKind; field: string; message: string; values: { name: string; target: string } };

export type NewSecretAnswer =
  | { kind: "empty" }
  | { kind: "secret"; secret: string }
  | { kind: "refused"; message: string };

export type RulesAnswer = { kind: "empty" } | { kind: "saved" } | (InvalidField<string> & { typed: NoticeChoices });

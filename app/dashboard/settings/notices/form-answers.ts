import type { FormAnswer } from "@/app/dashboard/form-answer";
import type { InvalidField } from "@/lib/failures";
import type { NoticeChoices } from "@/lib/notices/settings";

// Only the answer to the form that made a secret contains it.

export type AddChannelAnswer = FormAnswer | { kind: "secret"; name: string; secret: string };

export type NewSecretAnswer = FormAnswer | { kind: "secret"; secret: string };

export type RulesAnswer = { kind: "saved" } | (InvalidField<string> & { typed: NoticeChoices });

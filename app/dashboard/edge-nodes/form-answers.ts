import type { FormAnswer } from "@/app/dashboard/form-answer";

/** Only the answer to the form that created a key contains it. */
export type NodeKeyAnswer = FormAnswer | { kind: "key"; id: number; name: string; rawKey: string };

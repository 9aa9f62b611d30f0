/** What a form of game services is told when nothing came of it; what was typed stays in it. After a success its page is shown anew. */
export type FormAnswer =
  | { kind: "empty" }
  | { kind: "refused"; field: string; message: string; values: Record<string, string> };

/** One text field of a form. */
export type FieldSpec = {
  name: string;
  label: string;
  hint?: string;
  placeholder?: string;
  maxLength: number;
  value: string;
  inputMode?: "numeric" | "email";
};

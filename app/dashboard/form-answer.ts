import { containsToken } from "@/lib/tokens/format";

/** The answer to a form of text fields. A failed one keeps its input. After most successes another page is loaded. */
export type FormAnswer =
  /** On the same page, which shows what is new already: a sentence, and the name in it. */
  | { kind: "done"; words: string; name?: string; end?: string }
  | {
      kind: "refused";
      field: string;
      message: string;
      values: Record<string, string>;
      /** The form asks: sent again with this as `anyway`, it is saved all the same. */
      anyway?: string;
    };

export type Refused = Extract<FormAnswer, { kind: "refused" }>;

/** Refuses a form, or one of its fields. What was typed stays in it. */
export function refused(message: string, field = "form", values: Record<string, string> = {}): Refused {
  return { kind: "refused", field, message, values: withoutTokens(values) };
}

/** Says what something is called now. */
export function renamed(name: string): FormAnswer {
  return { kind: "done", words: "It is called ", name, end: " now." };
}

/** Empties texts with a token or a key in them: what an answer shows again, browsers keep in their history. */
export function withoutTokens<Values extends Record<string, string>>(values: Values): Values {
  const kept = Object.entries(values).map(([name, value]) => [name, containsToken(value) ? "" : value]);
  return Object.fromEntries(kept);
}

/** The answer to a failed form of game services. The form keeps its input. After a success the page loads again. */
export type FormAnswer =
  | { kind: "empty" }
  | {
      kind: "refused";
      field: string;
      message: string;
      values: Record<string, string>;
      /** The form asks: sent again with this as `anyway`, it is saved all the same. */
      anyway?: string;
    };

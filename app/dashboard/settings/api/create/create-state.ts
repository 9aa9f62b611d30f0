import type { Refused } from "@/app/dashboard/form-answer";
import type { AnsweredToken } from "../answered-token";

/** A new token, shown once. `raw` is null where its form had created it before. `replaced`: the token whose place it takes. */
export type CreatedState = {
  kind: "created";
  raw: string | null;
  token: AnsweredToken;
  replaced: AnsweredToken | null;
};

/** The server's answer to a form that creates a token: the new token, or the reason why there is none. */
export type CreateState = CreatedState | Refused;

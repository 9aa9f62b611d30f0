"use client";

import { ActionForm } from "@/app/ui/action-form";
import { TextField } from "@/app/ui/text-field";
import { Time } from "@/app/ui/time";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { NewsActions } from "../list/news-actions";
import { TokenName } from "../token-name";
import { type LookUpAnswer, lookUpTokenAction } from "./look-up-token-action";

/** Finds the token that a person has at hand, in a file or a log. */
export function LookUpToken() {
  const form = useFormAnswer(lookUpTokenAction, (_, form) => {
    // The text may be a token, so it must not stay on the page.
    form.reset();
  });
  return (
    <section className="stack" aria-label="Which token is this?">
      <ActionForm form={form} className="fields">
        <TextField
          name="pasted"
          label="Which token is this? Paste it, or its last four characters"
          hint="It is compared and then forgotten: neither stored nor logged."
          className="input mono"
          maxLength={200}
          value=""
          error={null}
        />
        <button type="submit" className="button quiet" aria-disabled={form.isPending}>
          Find it
        </button>
      </ActionForm>
      <div role="status">
        {form.answer.kind === "message" && <p>{form.answer.message}</p>}
        {form.answer.kind === "found" && <Answer {...form.answer} />}
      </div>
    </section>
  );
}

function Answer({ tokens, now: at }: Extract<LookUpAnswer, { kind: "found" }>) {
  const now = new Date(at);
  return (
    <ul className="stack tight breaks">
      {tokens.map(({ id, name, hint, state, endedAt, lastUsedAt, network }) => (
        <li key={id}>
          <TokenName token={{ id, name, hint }} />{" "}
          {state === "active" ? "is active" : state === "revoked" ? "was revoked " : "expired "}
          {state !== "active" && endedAt !== null && <Time at={new Date(endedAt)} now={now} />};{" "}
          {lastUsedAt === null ? (
            "it was never used."
          ) : (
            <>
              last used <Time at={new Date(lastUsedAt)} now={now} />.
            </>
          )}{" "}
          {network !== null && `New: it is used from ${network}. `}
          {state === "active" && <NewsActions tokens={[{ id, name, network }]} />}
        </li>
      ))}
    </ul>
  );
}

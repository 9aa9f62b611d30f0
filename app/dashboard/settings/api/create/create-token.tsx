"use client";

import { ShownOnce } from "@/app/ui/shown-once";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { createTokenAction } from "../actions";
import { CreateForm, type CreateFormProps } from "./create-form";
import { type CreateState, UNSENT } from "./create-state";
import { CreatedToken } from "./created-token";
import { forgetDraft } from "./draft";

type Props = Omit<CreateFormProps, "form"> & { origin: string; now: Date };

/** The form that creates a token, and after that the token. */
export function CreateToken(props: Props) {
  return (
    <ShownOnce>
      <FormOrToken {...props} />
    </ShownOnce>
  );
}

/** Never both: a form on the page carries the last answer with it, and would send the token back to the server. */
function FormOrToken({ origin, now, ...fields }: Props) {
  const form = useFormAnswer<CreateState>(createTokenAction, UNSENT, (answer) => {
    if (answer.kind !== "invalid") forgetDraft();
  });
  const { answer } = form;
  if (answer.kind === "created" || answer.kind === "already-created") {
    return <CreatedToken answer={answer} origin={origin} now={now} />;
  }
  return <CreateForm {...fields} form={form} />;
}

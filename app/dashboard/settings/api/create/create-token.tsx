"use client";

import { ShownOnce } from "@/app/ui/shown-once";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { createTokenAction } from "../actions";
import { CreateForm, type CreateFormProps } from "./create-form";
import { type CreateState, UNSENT } from "./create-state";
import { CreatedToken } from "./created-token";
import { forgetDraft } from "./draft";

type Props = Omit<CreateFormProps, "form"> & { origin: string; now: Date };

/** Shows the form that creates a token, then the token. */
export function CreateToken(props: Props) {
  return (
    <ShownOnce>
      <FormOrToken {...props} />
    </ShownOnce>
  );
}

/** Shows either the form or the token. A form contains the last answer and would send the token to the server. */
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

"use client";

import { shownOnce } from "@/app/ui/shown-once";
import { forgetTyped } from "@/app/ui/typed-text";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { createTokenAction } from "../actions";
import { CreateForm, type CreateFormProps } from "./create-form";
import { CreatedToken } from "./created-token";

/** Shows the form that creates a token, then the token. */
export const CreateToken = shownOnce((fields: Omit<CreateFormProps, "form">) => {
  const form = useFormAnswer(createTokenAction, (answer) => {
    if (answer.kind !== "invalid") forgetTyped();
  });
  const { answer } = form;
  if (answer.kind === "created" || answer.kind === "already-created") {
    return <CreatedToken answer={answer} />;
  }
  return <CreateForm {...fields} form={form} />;
});

"use client";

import { ActionForm } from "@/app/ui/action-form";
import { SubmitButton } from "@/app/ui/button-row";
import { StrongName } from "@/app/ui/name";
import { TextField } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { renameTokenAction } from "../actions";

/** The name of a token, to be changed where it stands. */
export function RenameForm({ id, name, maxLength }: { id: number; name: string; maxLength: number }) {
  const form = useFormAnswer(renameTokenAction);
  const { answer } = form;
  return (
    <ActionForm
      form={form}
      labelledBy="rename"
      again="What you typed is still here, and sending it again is safe."
      done={
        answer.kind === "renamed" && (
          <>
            It is called <StrongName>{answer.name}</StrongName> now.
          </>
        )
      }
      hidden={{ id }}
    >
      <div className="fields">
        <TextField
          id="new-name"
          name="name"
          label="Name"
          maxLength={4 * maxLength}
          value={name}
          error={form.errorOf("name")}
        />
        <SubmitButton className="button quiet" isPending={form.isPending} pending="Renaming…">
          Rename
        </SubmitButton>
      </div>
    </ActionForm>
  );
}

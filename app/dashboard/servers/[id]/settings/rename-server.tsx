"use client";

import { ActionForm } from "@/app/ui/action-form";
import { StrongName } from "@/app/ui/name";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import type { ServerNames } from "@/lib/servers/names";
import { renameServerAction } from "../../actions";
import { ServerNamesFields } from "../../server-names-fields";

/** Gives a server another label and hostname. */
export function RenameServer({ id, label, hostname }: { id: number } & ServerNames) {
  const form = useFormAnswer(renameServerAction);
  const { answer } = form;
  const renamed = answer.kind === "renamed" ? answer : null;
  const invalid = answer.kind === "invalid" ? answer : null;
  return (
    <ActionForm
      form={form}
      labelledBy="names"
      done={
        renamed && (
          <>
            The server is now called <StrongName>{renamed.label}</StrongName>.
          </>
        )
      }
      refusal={form.errorOf("form")}
      hidden={{ id }}
      submit={["Rename", "Renaming…"]}
    >
      <ServerNamesFields values={invalid?.values ?? renamed ?? { label, hostname }} errorOf={form.errorOf} />
    </ActionForm>
  );
}

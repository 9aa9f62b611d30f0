"use client";

import { ActionForm } from "@/app/ui/action-form";
import { TextField } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { counted } from "@/lib/format/quantities";
import { changeTagsAction } from "../actions";
import type { TagValues } from "../form-answers";
import { NONE_CHOSEN, ServerChoice, type ServersOfList } from "../server-choice";
import { TAGS_HINT, TAGS_LENGTH } from "./tags-hint";

const NOTHING: TagValues = { add: "", remove: "", chosen: NONE_CHOSEN };

/** Adds and removes tags of many servers at once. */
export function ChangeTags(servers: ServersOfList) {
  const form = useFormAnswer(
    changeTagsAction,
    // The servers that were marked for this change are not meant by the next one.
    ({ kind }, form) => kind === "changed" && form.reset(),
  );
  const { answer, errorOf } = form;
  const invalid = answer.kind === "invalid" ? answer : null;
  const values = invalid?.values ?? NOTHING;
  const field = (name: "add" | "remove", label: string, hint?: string) => ({
    ...{ name, label, maxLength: TAGS_LENGTH, value: values[name], isOptional: true },
    ...(hint && { hint }),
  });
  return (
    <ActionForm
      form={form}
      label="Tags of several servers"
      done={
        answer.kind === "changed" &&
        (answer.servers === 0
          ? "Nothing was changed: the servers have these tags already."
          : `The tags of ${counted(answer.servers, "server")} were changed.`)
      }
      refusal={errorOf("form")}
      {...(servers.found > 0 && { submit: ["Change tags", "Changing…"] })}
    >
      {servers.found === 0 ? (
        <p>No server matches.</p>
      ) : (
        <>
          <TextField {...field("add", "Add tags", TAGS_HINT)} error={errorOf("add")} />
          <TextField {...field("remove", "Remove tags")} error={errorOf("remove")} />
          <ServerChoice {...servers} chosen={values.chosen} />
        </>
      )}
    </ActionForm>
  );
}

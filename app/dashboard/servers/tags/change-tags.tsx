"use client";

import { useRef } from "react";
import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { TextField } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { counted } from "@/lib/format/quantities";
import { changeTagsAction } from "../actions";
import type { ChangeTagsAnswer, TagValues } from "../form-answers";
import { NONE_CHOSEN, ServerChoice, type ServersOfList } from "../server-choice";
import { TAGS_HINT, TAGS_LENGTH } from "./tags-hint";

const UNSENT: ChangeTagsAnswer = { kind: "empty" };
const NOTHING: TagValues = { add: "", remove: "", chosen: NONE_CHOSEN };

/** Adds and removes tags of many servers at once. */
export function ChangeTags(servers: ServersOfList) {
  const form = useRef<HTMLFormElement>(null);
  const { answer, formAction, onSubmit, isPending, hasFailed } = useFormAnswer<ChangeTagsAnswer>(
    changeTagsAction,
    UNSENT,
    // The servers that were marked for this change are not meant by the next one.
    ({ kind }) => kind === "changed" && form.current?.reset(),
  );
  const values = answer.kind === "invalid" ? answer.values : NOTHING;
  const errorOf = (name: "add" | "remove") =>
    answer.kind === "invalid" && answer.field === name ? answer.message : null;
  const field = (name: "add" | "remove", label: string, hint?: string) => ({
    ...{ name, label, maxLength: TAGS_LENGTH, value: values[name], isOptional: true },
    ...(hint && { hint }),
  });
  return (
    <form
      ref={form}
      className="card card-body"
      action={formAction}
      onSubmit={onSubmit}
      aria-label="Tags of several servers"
    >
      {hasFailed && <NoAnswer>Send it again: what is done already stays done.</NoAnswer>}
      {answer.kind === "changed" && (
        <Notice tone="done" role="status" on={answer}>
          {answer.servers === 0
            ? "Nothing was to be changed: the servers have these tags already."
            : `The tags of ${counted(answer.servers, "server")} were changed.`}
        </Notice>
      )}
      {answer.kind === "invalid" && answer.field === "form" && (
        <Notice tone="danger" role="alert" on={answer}>
          {answer.message}
        </Notice>
      )}
      {servers.found === 0 ? (
        <p>No server matches.</p>
      ) : (
        <>
          <TextField field={field("add", "Add tags", TAGS_HINT)} error={errorOf("add")} />
          <TextField field={field("remove", "Remove tags")} error={errorOf("remove")} />
          <ServerChoice {...servers} chosen={values.chosen} />
          <ButtonRow>
            <SubmitButton isPending={isPending} pending="Changing…">
              Change tags
            </SubmitButton>
          </ButtonRow>
        </>
      )}
    </form>
  );
}

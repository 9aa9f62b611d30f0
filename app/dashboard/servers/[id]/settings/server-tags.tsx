"use client";

import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { TextField } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { setTagsAction } from "../../actions";
import type { SetTagsAnswer } from "../../form-answers";
import { TAGS_HINT, TAGS_LENGTH } from "../../tags/tags-hint";

const UNSENT: SetTagsAnswer = { kind: "empty" };

/** The tags of one server. */
export function ServerTags({ id, tags }: { id: number; tags: readonly string[] }) {
  const { answer, formAction, onSubmit, isPending, hasFailed } = useFormAnswer<SetTagsAnswer>(setTagsAction, UNSENT);
  const value = answer.kind === "empty" ? tags.join(", ") : answer.tags;
  return (
    <form className="card card-body" action={formAction} onSubmit={onSubmit} aria-labelledby="tags">
      {hasFailed && <NoAnswer>Send it again: tags that are given twice are the same tags.</NoAnswer>}
      {answer.kind === "set" && (
        <Notice tone="done" role="status" on={answer}>
          {answer.tags === "" ? "The server has no tags now." : "The tags are saved."}
        </Notice>
      )}
      <input type="hidden" name="id" value={id} />
      <TextField
        id="server-tags"
        field={{ name: "tags", label: "Tags", hint: TAGS_HINT, maxLength: TAGS_LENGTH, value, isOptional: true }}
        error={answer.kind === "invalid" ? answer.message : null}
      />
      <ButtonRow>
        <SubmitButton isPending={isPending} pending="Saving…">
          Save tags
        </SubmitButton>
      </ButtonRow>
    </form>
  );
}

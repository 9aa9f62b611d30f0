"use client";

import { ActionForm } from "@/app/ui/action-form";
import { TextField } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { setTagsAction } from "../../actions";
import { TAGS_HINT, TAGS_LENGTH } from "../../tags/tags-hint";

/** The tags of one server. */
export function ServerTags({ id, tags }: { id: number; tags: readonly string[] }) {
  const form = useFormAnswer(setTagsAction);
  const { answer } = form;
  const value = answer.kind === "empty" ? tags.join(", ") : answer.tags;
  return (
    <ActionForm
      form={form}
      labelledBy="tags"
      done={answer.kind === "set" && (answer.tags === "" ? "The server has no tags now." : "The tags are saved.")}
      hidden={{ id }}
      submit={["Save tags", "Saving…"]}
    >
      <TextField
        id="server-tags"
        name="tags"
        label="Tags"
        hint={TAGS_HINT}
        maxLength={TAGS_LENGTH}
        value={value}
        isOptional
        error={answer.kind === "invalid" ? answer.message : null}
      />
    </ActionForm>
  );
}

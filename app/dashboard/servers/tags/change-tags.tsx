"use client";

import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { TextField } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { counted } from "@/lib/quantities";
import { changeTagsAction } from "../actions";
import type { ChangeTagsAnswer, TagValues } from "../form-answers";
import styles from "./change-tags.module.css";
import { TAGS_HINT, TAGS_LENGTH } from "./tags-hint";

const UNSENT: ChangeTagsAnswer = { kind: "empty" };
const NOTHING: TagValues = { add: "", remove: "", isAll: false, selected: [] };

type Props = {
  /** The query of the list, as a URL says it. */
  list: string;
  /** Those of this page of the list. */
  servers: readonly { id: number; label: string; tags: readonly string[] }[];
  /** How many the whole list has. */
  found: number;
};

/** Adds and removes tags of many servers at once. */
export function ChangeTags({ list, servers, found }: Props) {
  const { answer, formAction, onSubmit, isPending, hasFailed } = useFormAnswer<ChangeTagsAnswer>(
    changeTagsAction,
    UNSENT,
  );
  const values = answer.kind === "invalid" ? answer.values : NOTHING;
  const errorOf = (name: "add" | "remove") =>
    answer.kind === "invalid" && answer.field === name ? answer.message : null;
  const field = (name: "add" | "remove", label: string, hint?: string) => ({
    ...{ name, label, maxLength: TAGS_LENGTH, value: values[name], isOptional: true },
    ...(hint && { hint }),
  });
  return (
    <form className="card card-body" action={formAction} onSubmit={onSubmit} aria-label="Tags of several servers">
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
      <input type="hidden" name="list" value={list} />
      <TextField field={field("add", "Add tags", TAGS_HINT)} error={errorOf("add")} />
      <TextField field={field("remove", "Remove tags")} error={errorOf("remove")} />
      <fieldset className={styles.servers} key={`${values.isAll} ${values.selected.join()}`}>
        <legend>Of which servers</legend>
        {found > servers.length && (
          <label className={styles.all}>
            <input type="checkbox" className="check" name="all" value="1" defaultChecked={values.isAll} />
            All {counted(found, "server")} of this list
          </label>
        )}
        {servers.map(({ id, label, tags }) => (
          <label key={id} className={styles.server}>
            <input
              type="checkbox"
              className="check"
              name="s"
              value={id}
              defaultChecked={values.selected.includes(id)}
            />
            <span>
              <bdi>{label}</bdi>{" "}
              <span className="soft">
                {tags.map((tag) => (
                  <bdi key={tag}>#{tag} </bdi>
                ))}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      <ButtonRow>
        <SubmitButton isPending={isPending} pending="Changing…">
          Change tags
        </SubmitButton>
      </ButtonRow>
    </form>
  );
}

"use client";

import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { ShownOnce } from "@/app/ui/shown-once";
import { TextField } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { addNodeAction, replaceNodeKeyAction } from "./actions";
import type { NodeKeyAnswer } from "./form-answers";
import { NewNodeKey } from "./new-node-key";

const UNSENT: NodeKeyAnswer = { kind: "empty" };

type Props = { origin: string };

/** The form that adds an edge node, and after that its key. */
export function AddNode(props: Props) {
  return (
    <ShownOnce>
      <AddNodeForm {...props} />
    </ShownOnce>
  );
}

/** Never shows form and answer together: a form submits its last answer, and would send the key back. */
function AddNodeForm({ origin }: Props) {
  const { answer, formAction, onSubmit, isPending, hasFailed } = useFormAnswer<NodeKeyAnswer>(addNodeAction, UNSENT);
  if (answer.kind === "key") {
    return (
      <NewNodeKey
        {...answer}
        {...{ origin }}
        title={`${answer.name} is added: give it its key`}
        isReplacement={false}
      />
    );
  }
  const refused = answer.kind === "refused" ? answer : null;
  return (
    <form className="card card-body" action={formAction} onSubmit={onSubmit} aria-label="Add an edge node" noValidate>
      {hasFailed && <NoAnswer>See the list first: the node may have been added. Then replace its key there.</NoAnswer>}
      <TextField
        field={{
          name: "name",
          label: "Name",
          hint: "Owners of game services see it.",
          placeholder: "fra-1",
          maxLength: 128,
          value: refused?.name ?? "",
        }}
        error={refused?.message ?? null}
      />
      <ButtonRow>
        <SubmitButton isPending={isPending} pending="Adding…">
          Add edge node
        </SubmitButton>
      </ButtonRow>
    </form>
  );
}

/** The button that replaces the key of an edge node, and after that the new key. */
export function ReplaceNodeKey(props: Props & { id: number }) {
  return (
    <ShownOnce>
      <ReplaceNodeKeyForm {...props} />
    </ShownOnce>
  );
}

function ReplaceNodeKeyForm({ id, origin }: Props & { id: number }) {
  const { answer, formAction, onSubmit, isPending, hasFailed } = useFormAnswer<NodeKeyAnswer>(
    replaceNodeKeyAction,
    UNSENT,
  );
  if (answer.kind === "key") {
    return <NewNodeKey {...answer} {...{ origin }} title="Give the node its new key now" isReplacement />;
  }
  return (
    <form className="card card-body" action={formAction} onSubmit={onSubmit} aria-labelledby="key">
      {hasFailed && (
        <NoAnswer>Send it again: a key that was made without being shown is replaced by the next.</NoAnswer>
      )}
      {answer.kind === "refused" && (
        <Notice tone="danger" role="alert" on={answer}>
          {answer.message}
        </Notice>
      )}
      <input type="hidden" name="id" value={id} />
      <p className="soft">A new key is shown once. The old one works for one more hour.</p>
      <ButtonRow>
        <SubmitButton className="button quiet" isPending={isPending} pending="Making a key…">
          Replace the key
        </SubmitButton>
      </ButtonRow>
    </form>
  );
}

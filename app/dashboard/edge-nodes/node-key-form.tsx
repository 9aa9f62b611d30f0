"use client";

import { ActionForm } from "@/app/ui/action-form";
import { Name } from "@/app/ui/name";
import { shownOnce } from "@/app/ui/shown-once";
import { TextField } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { addNodeAction, replaceNodeKeyAction } from "./actions";
import { NewNodeKey } from "./new-node-key";

type Props = { origin: string };

/** The form that adds an edge node, and after that its key. */
export const AddNode = shownOnce(({ origin }: Props) => {
  const form = useFormAnswer(addNodeAction);
  const { answer } = form;
  if (answer.kind === "key") {
    const title = (
      <>
        <Name>{answer.name}</Name> is added: give it its key
      </>
    );
    return <NewNodeKey {...answer} {...{ origin, title }} isReplacement={false} />;
  }
  return (
    <ActionForm
      form={form}
      label="Add an edge node"
      noValidate
      again="See the list first: the node may have been added. Then replace its key there."
      submit={["Add edge node", "Adding…"]}
    >
      <TextField
        name="name"
        label="Name"
        hint="Owners of game services see it."
        placeholder="fra-1"
        maxLength={128}
        value={(answer.kind === "refused" && answer.values.name) || ""}
        error={form.errorOf("name")}
      />
    </ActionForm>
  );
});

/** The button that replaces the key of an edge node, and after that the new key. */
export const ReplaceNodeKey = shownOnce(({ id, origin }: Props & { id: number }) => {
  const form = useFormAnswer(replaceNodeKeyAction);
  const { answer } = form;
  if (answer.kind === "key") {
    return <NewNodeKey {...answer} {...{ origin }} title="Give the node its new key now" isReplacement />;
  }
  return (
    <ActionForm
      form={form}
      labelledBy="key"
      again="The key may have been made. Send it again for one that you see."
      refusal={answer.kind === "refused" && answer.message}
      hidden={{ id }}
      submit={["Replace the key", "Making a key…"]}
      tone="button quiet"
    >
      <p className="soft">A new key is shown once. The old one works for one more hour.</p>
    </ActionForm>
  );
});

"use client";

import { ActionForm } from "@/app/ui/action-form";
import { shownOnce } from "@/app/ui/shown-once";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { serverSettingsPath } from "@/lib/page-paths";
import { replaceKeyAction } from "../../actions";
import { NewKey } from "../../new-key";

type Props = {
  id: number;
  origin: string;
  hasKey: boolean;
  /** What to paste for other agents. */
  otherAgents: React.ReactNode;
  /** The keys that work now. */
  children: React.ReactNode;
};

/** The button that replaces a server's key, and after that the new key. */
export const ReplaceKey = shownOnce(({ id, origin, hasKey, otherAgents, children }: Props) => {
  const form = useFormAnswer(replaceKeyAction);
  const { answer } = form;
  if (answer.kind === "replaced") {
    return (
      <NewKey
        {...{ origin, otherAgents }}
        title="Give the server its new key now"
        serverId={id}
        rawKey={answer.rawKey}
        isReplacement={hasKey}
        leave={{ href: serverSettingsPath(id), words: "Done" }}
      />
    );
  }
  return (
    <ActionForm
      form={form}
      labelledBy="key"
      again="The key may have been made. Send it again for one that you see."
      refusal={answer.kind === "refused" && answer.message}
      hidden={{ id }}
      submit={[hasKey ? "Replace the key" : "Make a key", "Making a key…"]}
      tone="button quiet"
    >
      {children}
      <p className="soft">
        A new key is shown once. The old one works for one more hour, so that the daemon can be given the new one
        without missing a check-in.
      </p>
    </ActionForm>
  );
});

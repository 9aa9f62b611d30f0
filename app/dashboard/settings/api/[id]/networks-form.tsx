"use client";

import { ActionForm } from "@/app/ui/action-form";
import { Ip } from "@/app/ui/ip";
import { PasswordAgain } from "@/app/ui/password-again";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { tokenPath } from "@/lib/page-paths";
import { restrictTokenAction } from "../actions";
import { useFacts } from "../facts";
import { NetworksField } from "../networks/networks-field";

type Props = {
  id: number;
  /** What the field holds before anything is typed. */
  networks: readonly string[];
  /** The token was used from others as well, which another page of it has in the field. */
  canAddUsed: boolean;
};

/** The networks that a token may be used from, to be changed where they stand. */
export function NetworksForm({ id, networks, canAddUsed }: Props) {
  const form = useFormAnswer(restrictTokenAction);
  const { asksPassword } = useFacts();
  const { answer, errorOf } = form;
  const restricted = answer.kind === "restricted" ? answer : null;
  const typed = answer.kind === "refused" ? answer.values.networks : (restricted?.networks ?? networks).join("\n");
  return (
    <ActionForm
      form={form}
      labelledBy="networks"
      again="What you typed is still here, and sending it again is safe."
      done={
        restricted && (
          <>
            {sentenceOf(restricted.networks)}
            {restricted.outside !== null && (
              <>
                {" "}
                Its last request came from <Ip ip={restricted.outside} />, which is refused now.
              </>
            )}
          </>
        )
      }
      doneTone={restricted?.outside === null ? "done" : "warning"}
      hidden={{ id }}
      submit={["Save networks", "Saving…"]}
      tone="button quiet"
    >
      <NetworksField id="networks-of-token" label="Networks" typed={typed ?? ""} error={errorOf("networks")} />
      {canAddUsed && !restricted && (
        <p>
          <a className="inline-link" href={`${tokenPath(id)}?networks=used#networks`}>
            Add the networks that it was used from
          </a>
        </p>
      )}
      <PasswordAgain id="password-to-restrict" isAsked={asksPassword} error={errorOf("password")} />
    </ActionForm>
  );
}

function sentenceOf({ length }: readonly string[]): string {
  if (length === 0) return "It works from everywhere now.";
  return length === 1 ? "It works from this network alone now." : `It works from these ${length} networks alone now.`;
}

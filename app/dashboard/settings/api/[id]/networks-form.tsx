"use client";

import { useEffect, useRef } from "react";
import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { Ip } from "@/app/ui/ip";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { type NetworksState, restrictTokenAction } from "../actions";
import type { NetworksHelp } from "../networks/field-help";
import { NetworksField } from "../networks/networks-field";
import { PasswordField } from "../password-field";

const UNSENT: NetworksState = { kind: "empty" };

type Props = {
  id: number;
  /** What the field holds before anything is typed. */
  networks: readonly string[];
  /** Leads to the page with the networks that the token was used from in the field. Null: it holds all of them. */
  addUsedHref: string | null;
  asksPassword: boolean;
  help: NetworksHelp;
};

/** The networks that a token may be used from, to be changed where they stand. */
export function NetworksForm({ id, networks, addUsedHref, asksPassword, help }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const {
    answer: state,
    formAction,
    onSubmit,
    isPending,
    hasFailed,
  } = useFormAnswer<NetworksState>(restrictTokenAction, UNSENT);
  const errorOf = (field: "networks" | "password") =>
    state.kind === "invalid" && state.field === field ? state.message : null;
  const passwordError = errorOf("password");
  useEffect(() => {
    if (state.kind === "invalid") form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [state]);
  return (
    <form ref={form} className="card card-body" action={formAction} onSubmit={onSubmit} aria-labelledby="networks">
      {hasFailed && <NoAnswer>What you typed is still here, and sending it again is safe.</NoAnswer>}
      {state.kind === "restricted" && !hasFailed && (
        <Notice tone={state.outside === null ? "done" : "warning"} role="status" on={state}>
          {sentenceOf(state.networks)}
          {state.outside !== null && (
            <>
              {" "}
              Its last request came from <Ip ip={state.outside} />, which is refused now.
            </>
          )}
        </Notice>
      )}
      <input type="hidden" name="id" value={id} />
      <NetworksField
        id="networks-of-token"
        label="Networks"
        typed={typedIn(state, networks)}
        error={errorOf("networks")}
        help={help}
      />
      {addUsedHref !== null && state.kind !== "restricted" && (
        <p>
          <a className="inline-link" href={addUsedHref}>
            Add the networks that it was used from
          </a>
        </p>
      )}
      {(asksPassword || passwordError) && <PasswordField id="password-to-restrict" error={passwordError} />}
      <ButtonRow>
        <SubmitButton className="button quiet" isPending={isPending} pending="Saving…">
          Save networks
        </SubmitButton>
      </ButtonRow>
    </form>
  );
}

function typedIn(state: NetworksState, networks: readonly string[]): string {
  if (state.kind === "invalid") return state.typed;
  return (state.kind === "restricted" ? state.networks : networks).join("\n");
}

function sentenceOf({ length }: readonly string[]): string {
  if (length === 0) return "It works from everywhere now.";
  return length === 1 ? "It works from this network alone now." : `It works from these ${length} networks alone now.`;
}

"use client";

import Link from "next/link";
import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { FocusTarget } from "@/app/ui/focus-target";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { ShownOnce } from "@/app/ui/shown-once";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { NEW_SERVER, serverPath, serverSettingsPath } from "@/lib/page-paths";
import { addServerAction } from "../actions";
import type { AddServerAnswer } from "../form-answers";
import { NewKey } from "../new-key";
import { ServerNamesFields } from "../server-names-fields";

const UNSENT: AddServerAnswer = { kind: "empty" };

type Props = { formNonce: string; origin: string; otherAgents: React.ReactNode };

/** The form that adds a server, and after that its key. */
export function AddServer(props: Props) {
  return (
    <ShownOnce>
      <AddServerForm {...props} />
    </ShownOnce>
  );
}

/** Never shows form and answer together: a form submits its last answer, and would send the key back. */
function AddServerForm({ formNonce, origin, otherAgents }: Props) {
  const {
    answer: state,
    formAction,
    onSubmit,
    isPending,
    hasFailed,
  } = useFormAnswer<AddServerAnswer>(addServerAction, UNSENT);
  if (state.kind === "created") {
    return (
      <NewKey
        title={`${state.label} is added: give it its key`}
        serverId={state.id}
        rawKey={state.rawKey}
        origin={origin}
        isReplacement={false}
        otherAgents={otherAgents}
      >
        <ButtonRow>
          <a className="button quiet" href={serverPath(state.id)}>
            Go to the server
          </a>
          <span className="hint">After this the key is gone from the page.</span>
        </ButtonRow>
      </NewKey>
    );
  }
  if (state.kind === "already-created") return <AlreadyAdded id={state.id} />;
  return (
    <form className="card card-body" action={formAction} onSubmit={onSubmit} aria-label="Add a server">
      {hasFailed && <NoAnswer>Send it again: the server is added once, however often you do.</NoAnswer>}
      {state.kind === "invalid" && state.field === "form" && (
        <Notice tone="danger" role="alert" on={state}>
          {state.message}
        </Notice>
      )}
      <input type="hidden" name="formNonce" value={formNonce} />
      <ServerNamesFields
        values={state.kind === "invalid" ? state.values : { label: "", hostname: "" }}
        problem={state.kind === "invalid" ? state : null}
      />
      <ButtonRow>
        <SubmitButton isPending={isPending} pending="Adding…">
          Add server
        </SubmitButton>
      </ButtonRow>
    </form>
  );
}

function AlreadyAdded({ id }: { id: number }) {
  return (
    <section className="card card-body" aria-labelledby="added">
      <FocusTarget as="h2" id="added">
        This server was already added
      </FocusTarget>
      <p>
        The form was sent twice and added one server. Its key was in the first answer only and cannot be shown again. If
        you did not keep it, replace it.
      </p>
      <ButtonRow>
        <Link className="button" href={serverSettingsPath(id)} prefetch={false}>
          Replace its key
        </Link>
        <a className="button quiet" href={NEW_SERVER}>
          Add another server
        </a>
      </ButtonRow>
    </section>
  );
}

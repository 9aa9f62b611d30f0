"use client";

import { ActionForm } from "@/app/ui/action-form";
import { ButtonRow } from "@/app/ui/button-row";
import { FocusTarget } from "@/app/ui/focus-target";
import { Link } from "@/app/ui/link";
import { Name } from "@/app/ui/name";
import { shownOnce } from "@/app/ui/shown-once";
import { TextField } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { NEW_SERVER, serverPath, serverSettingsPath } from "@/lib/page-paths";
import { addServerAction } from "../actions";
import { NewKey } from "../new-key";
import { serverNameFields } from "../server-name-fields";

const NO_NAMES = { label: "", hostname: "" };

type Props = { formNonce: string; origin: string; otherAgents: React.ReactNode };

/** The form that adds a server, and after that its key. */
export const AddServer = shownOnce(({ formNonce, origin, otherAgents }: Props) => {
  const form = useFormAnswer(addServerAction);
  const { answer } = form;
  if (answer.kind === "created") {
    const { id, label, rawKey } = answer;
    return (
      <NewKey
        {...{ rawKey, origin, otherAgents }}
        title={
          <>
            <Name>{label}</Name> is added: give it its key
          </>
        }
        serverId={id}
        isReplacement={false}
        leave={{ href: serverPath(id), words: "Go to the server" }}
      />
    );
  }
  if (answer.kind === "already-created") return <AlreadyAdded id={answer.id} />;
  return (
    <ActionForm
      form={form}
      label="Add a server"
      again="Sending it again is safe: this form adds one server."
      refusal={form.errorOf("form")}
      hidden={{ formNonce }}
      submit={["Add server", "Adding…"]}
    >
      <div className="fields">
        {serverNameFields(answer.kind === "invalid" ? answer.values : NO_NAMES).map((field) => (
          <TextField key={field.name} {...field} error={form.errorOf(field.name)} />
        ))}
      </div>
    </ActionForm>
  );
});

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
        <Link className="button" href={serverSettingsPath(id)}>
          Replace its key
        </Link>
        <a className="button quiet" href={NEW_SERVER}>
          Add another server
        </a>
      </ButtonRow>
    </section>
  );
}

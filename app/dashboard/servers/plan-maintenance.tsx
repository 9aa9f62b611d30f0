"use client";

import { Fragment } from "react";
import { ActionForm } from "@/app/ui/action-form";
import { ClockFields } from "@/app/ui/clock-fields";
import { FieldError } from "@/app/ui/field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { counted } from "@/lib/format/quantities";
import { planMaintenanceAction } from "./actions";
import { NONE_CHOSEN, ServerChoice, type ServersOfList } from "./server-choice";

/** Begins the ids of the fields, and that of the sentence that says what is wrong with them. */
const ID = "maintenance-time";
const NOTHING = { fields: { from: "", to: "" }, chosen: NONE_CHOSEN };

type Props = Pick<React.ComponentProps<typeof ActionForm>, "label" | "labelledBy" | "hidden"> & {
  /** As people read it. */
  zone: string;
  /** Those to choose from. Without them the form says unseen which server is meant. */
  servers?: ServersOfList;
  submit: string;
};

/** Plans a time that is left out of the uptime, of one server or of many at once. */
export function PlanMaintenance({ zone, servers, submit, ...rest }: Props) {
  const form = useFormAnswer(
    planMaintenanceAction,
    // The servers that were marked for this plan are not meant by the next one.
    ({ kind }, form) => kind === "planned" && form.reset(),
  );
  const { answer } = form;
  const planned = answer.kind === "planned" ? answer : null;
  const invalid = answer.kind === "invalid" ? answer : null;
  const { fields, chosen } = invalid ?? NOTHING;
  const isEmpty = servers?.found === 0;
  return (
    <ActionForm
      {...rest}
      form={form}
      done={
        planned &&
        `Planned for ${counted(planned.servers, "server")}: ${planned.text}. This time is left out of the uptime.`
      }
      refusal={form.errorOf("servers")}
      {...(!isEmpty && { submit: [submit, "Planning…"] })}
    >
      {isEmpty ? (
        <p>No server matches.</p>
      ) : (
        <>
          {servers && (
            <p className="hint">
              This time is left out of the uptime. You can enter it, or call it off in each server&apos;s settings,
              until a day after it began.
            </p>
          )}
          <Fragment key={invalid ? Object.values(fields).join(" ") : answer.kind}>
            <div className="row tight">
              <ClockFields id={ID} values={fields} error={form.errorOf("times")} />
              <span className="hint">{zone}</span>
            </div>
            <FieldError id={`${ID}-error`} message={form.errorOf("times")} />
          </Fragment>
          {servers && <ServerChoice {...servers} chosen={chosen} />}
        </>
      )}
    </ActionForm>
  );
}

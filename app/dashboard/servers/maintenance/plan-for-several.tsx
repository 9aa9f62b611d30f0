"use client";

import { useRef } from "react";
import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { counted } from "@/lib/format/quantities";
import { planForSeveralAction } from "../actions";
import type { PlanForSeveralAnswer } from "../form-answers";
import { MaintenanceTimes } from "../maintenance-times";
import { NONE_CHOSEN, ServerChoice, type ServersOfList } from "../server-choice";

const UNSENT: PlanForSeveralAnswer = { kind: "empty" };
const NOTHING = { fields: { from: "", to: "" }, chosen: NONE_CHOSEN };

/** Plans the same maintenance for many servers at once. `zone`: as people read it. */
export function PlanForSeveral({ zone, ...servers }: ServersOfList & { zone: string }) {
  const form = useRef<HTMLFormElement>(null);
  const { answer, formAction, onSubmit, isPending, hasFailed } = useFormAnswer<PlanForSeveralAnswer>(
    planForSeveralAction,
    UNSENT,
    // The servers that were marked for this plan are not meant by the next one.
    ({ kind }) => kind === "planned" && form.current?.reset(),
  );
  const invalid = answer.kind === "invalid" ? answer : null;
  const { fields, chosen } = invalid ?? NOTHING;
  return (
    <form
      ref={form}
      className="card card-body"
      action={formAction}
      onSubmit={onSubmit}
      aria-label="Maintenance of several servers"
    >
      {hasFailed && <NoAnswer>Send it again: a time that is planned already is not planned twice.</NoAnswer>}
      {answer.kind === "planned" && (
        <Notice tone="done" role="status" on={answer}>
          Planned for {counted(answer.servers, "server")}: {answer.text}. Its time is left out of their uptime.
        </Notice>
      )}
      {invalid?.field === "servers" && (
        <Notice tone="danger" role="alert" on={answer}>
          {invalid.message}
        </Notice>
      )}
      {servers.found === 0 ? (
        <p>No server matches.</p>
      ) : (
        <>
          <p className="hint">
            The uptime leaves this time out, and says so. You can enter it, or call it off in each server&apos;s
            settings, until a day after it began.
          </p>
          <MaintenanceTimes
            key={invalid ? Object.values(fields).join(" ") : answer.kind}
            zone={zone}
            values={fields}
            error={invalid?.field === "times" ? invalid.message : null}
          />
          <ServerChoice {...servers} chosen={chosen} />
          <ButtonRow>
            <SubmitButton isPending={isPending} pending="Planning…">
              Plan maintenance
            </SubmitButton>
          </ButtonRow>
        </>
      )}
    </form>
  );
}

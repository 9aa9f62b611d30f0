"use client";

import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { useSubmission } from "@/app/ui/use-submission";
import { callOffMaintenanceAction, planMaintenanceAction } from "../../actions";
import type { PlanMaintenanceAnswer } from "../../form-answers";
import { MaintenanceTimes } from "../../maintenance-times";

const UNSENT: PlanMaintenanceAnswer = { kind: "empty" };
const NO_TIMES = { from: "", to: "" };

/** Plans a time that is left out of the uptime of a server. `zone`: as people read it. */
export function PlanMaintenance({ id, zone }: { id: number; zone: string }) {
  const {
    answer: state,
    formAction,
    onSubmit,
    isPending,
    hasFailed,
  } = useFormAnswer<PlanMaintenanceAnswer>(planMaintenanceAction, UNSENT);
  const refused = state.kind === "refused" ? state : null;
  return (
    <form className="card card-body" action={formAction} onSubmit={onSubmit} aria-labelledby="maintenance">
      {hasFailed && <NoAnswer>Send it again: a time that is planned already is not planned twice.</NoAnswer>}
      {state.kind === "planned" && (
        <Notice tone="done" role="status" on={state}>
          Planned: {state.text}. Its time is left out of the uptime.
        </Notice>
      )}
      <input type="hidden" name="id" value={id} />
      <MaintenanceTimes
        key={refused ? Object.values(refused.fields).join(" ") : state.kind}
        zone={zone}
        values={refused?.fields ?? NO_TIMES}
        error={refused?.message ?? null}
      />
      <ButtonRow>
        <SubmitButton isPending={isPending} pending="Planning…">
          Plan
        </SubmitButton>
      </ButtonRow>
    </form>
  );
}

/** Takes a plan back; maintenance that goes on ends. `text`: of which times. */
export function CallOff({
  serverId,
  id,
  text,
  goesOn,
}: {
  serverId: number;
  id: number;
  text: string;
  goesOn: boolean;
}) {
  const { onSubmit, isPending, hasFailed } = useSubmission(callOffMaintenanceAction, () => {});
  return (
    <form action={callOffMaintenanceAction} onSubmit={onSubmit}>
      {hasFailed && <NoAnswer>Send it again: what is called off stays called off.</NoAnswer>}
      <input type="hidden" name="serverId" value={serverId} />
      <input type="hidden" name="id" value={id} />
      <button className="button quiet small" type="submit" aria-disabled={isPending}>
        {goesOn ? "End it now" : "Call off"}
        <span className="visually-hidden">: maintenance {text}</span>
      </button>
    </form>
  );
}

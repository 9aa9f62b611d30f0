"use client";

import { ActionForm } from "@/app/ui/action-form";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { planMaintenanceAction } from "../../actions";
import { MaintenanceTimes } from "../../maintenance-times";

const NO_TIMES = { from: "", to: "" };

/** Plans a time that is left out of the uptime of a server. `zone`: as people read it. */
export function PlanMaintenance({ id, zone }: { id: number; zone: string }) {
  const form = useFormAnswer(planMaintenanceAction);
  const { answer } = form;
  const refused = answer.kind === "refused" ? answer : null;
  return (
    <ActionForm
      form={form}
      labelledBy="maintenance"
      done={answer.kind === "planned" && `Planned: ${answer.text}. Its time is left out of the uptime.`}
      hidden={{ id }}
      submit={["Plan", "Planning…"]}
    >
      <MaintenanceTimes
        key={refused ? Object.values(refused.fields).join(" ") : answer.kind}
        zone={zone}
        values={refused?.fields ?? NO_TIMES}
        error={refused?.message ?? null}
      />
    </ActionForm>
  );
}

"use client";

import { ActionForm } from "@/app/ui/action-form";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { counted } from "@/lib/format/quantities";
import { planForSeveralAction } from "../actions";
import { MaintenanceTimes } from "../maintenance-times";
import { NONE_CHOSEN, ServerChoice, type ServersOfList } from "../server-choice";

const NOTHING = { fields: { from: "", to: "" }, chosen: NONE_CHOSEN };

/** Plans the same maintenance for many servers at once. `zone`: as people read it. */
export function PlanForSeveral({ zone, ...servers }: ServersOfList & { zone: string }) {
  const form = useFormAnswer(
    planForSeveralAction,
    // The servers that were marked for this plan are not meant by the next one.
    ({ kind }, form) => kind === "planned" && form.reset(),
  );
  const { answer } = form;
  const planned = answer.kind === "planned" ? answer : null;
  const invalid = answer.kind === "invalid" ? answer : null;
  const { fields, chosen } = invalid ?? NOTHING;
  return (
    <ActionForm
      form={form}
      label="Maintenance of several servers"
      done={
        planned &&
        `Planned for ${counted(planned.servers, "server")}: ${planned.text}. Its time is left out of their uptime.`
      }
      refusal={form.errorOf("servers")}
      {...(servers.found > 0 && { submit: ["Plan maintenance", "Planning…"] })}
    >
      {servers.found === 0 ? (
        <p>No server matches.</p>
      ) : (
        <>
          <p className="hint">
            This time is left out of the uptime. You can enter it, or call it off in each server&apos;s settings, until
            a day after it began.
          </p>
          <MaintenanceTimes
            key={invalid ? Object.values(fields).join(" ") : answer.kind}
            zone={zone}
            values={fields}
            error={form.errorOf("times")}
          />
          <ServerChoice {...servers} chosen={chosen} />
        </>
      )}
    </ActionForm>
  );
}

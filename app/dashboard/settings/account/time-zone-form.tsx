"use client";

import { useLayoutEffect, useRef, useState } from "react";
import { ActionForm } from "@/app/ui/action-form";
import { Select } from "@/app/ui/select";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { useScripts } from "@/app/ui/use-scripts";
import { zoneText } from "@/lib/format/time-zone";
import { setTimeZoneAction } from "./actions";

type Props = { current: string; zones: readonly string[] };

/** The zone in which the pages write times. With JavaScript, the zone of this browser is one click away. */
export function TimeZoneForm({ current, zones }: Props) {
  const form = useFormAnswer(setTimeZoneAction);
  const { answer } = form;
  // Until somebody chooses one it follows the account, which takes over the browser's zone after the first page.
  const [touched, setChosen] = useState<string | null>(null);
  const chosen = touched ?? current;
  const field = useRef<HTMLSelectElement>(null);
  // What was chosen before the scripts ran stands in the field alone, and would be overwritten.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the scripts begin
  useLayoutEffect(() => {
    if (field.current && field.current.value !== current) setChosen(field.current.value);
  }, []);
  const browserZone = useScripts() ? Intl.DateTimeFormat().resolvedOptions().timeZone : null;
  const offered = [...new Set([...zones, current, ...(browserZone ? [browserZone] : [])])];
  return (
    <ActionForm
      form={form}
      label="Time zone"
      done={answer.kind === "set" && `Times are shown in ${zoneText(answer.timeZone)}.`}
      refusal={answer.kind === "invalid" && answer.message}
      submit={["Save time zone", "Saving…"]}
      tone="button quiet"
      beside={
        browserZone &&
        browserZone !== chosen && (
          <button type="button" className="button quiet" onClick={() => setChosen(browserZone)}>
            As this browser: {zoneText(browserZone)}
          </button>
        )
      }
    >
      <Select
        id="time-zone"
        label="Time zone"
        name="timeZone"
        ref={field}
        value={chosen}
        onChange={(event) => setChosen(event.target.value)}
        options={offered.map((zone) => [zone, zoneText(zone)])}
      />
    </ActionForm>
  );
}

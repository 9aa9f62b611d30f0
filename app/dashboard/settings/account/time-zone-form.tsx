"use client";

import { useActionState, useState, useSyncExternalStore } from "react";
import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { useSubmission } from "@/app/ui/use-submission";
import { setTimeZoneAction, type TimeZoneAnswer } from "./time-zone-action";

const NOTHING: TimeZoneAnswer = { kind: "empty" };

type Props = { current: string; zones: readonly string[] };

/** The zone in which the pages write times. With JavaScript, the zone of this browser is one click away. */
export function TimeZoneForm({ current, zones }: Props) {
  // Without JavaScript the answer comes with the page; with it, to the form.
  const [written, action] = useActionState<TimeZoneAnswer, FormData>(setTimeZoneAction, NOTHING);
  const [answer, setAnswer] = useState<TimeZoneAnswer | null>(null);
  const { onSubmit, isPending, hasFailed } = useSubmission((form) => setTimeZoneAction(NOTHING, form), setAnswer);
  const state = answer ?? written;
  const [chosen, setChosen] = useState(current);
  const browserZone = useBrowserZone();
  const offered = [...new Set([...zones, current, ...(browserZone ? [browserZone] : [])])];
  return (
    <form action={action} onSubmit={onSubmit} aria-label="Time zone">
      {hasFailed && <NoAnswer>Send it again: saving the same zone twice changes nothing.</NoAnswer>}
      {state.kind === "invalid" && (
        <Notice tone="danger" role="alert" on={state}>
          {state.message}
        </Notice>
      )}
      {state.kind === "set" && (
        <Notice tone="done" role="status" on={state}>
          Times are shown in {zoneText(state.timeZone)}.
        </Notice>
      )}
      <div className="field">
        <label htmlFor="time-zone">Time zone</label>
        <select
          id="time-zone"
          name="timeZone"
          className="input"
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
          aria-describedby="time-zone-hint"
        >
          {offered.map((zone) => (
            <option key={zone} value={zone}>
              {zoneText(zone)}
            </option>
          ))}
        </select>
        <p id="time-zone-hint" className="hint">
          Charts, tables and dates of the console use it. The API always answers in UTC.
        </p>
      </div>
      <ButtonRow>
        <SubmitButton isPending={isPending} pending="Saving…">
          Save time zone
        </SubmitButton>
        {browserZone && browserZone !== chosen && (
          <button type="button" className="button quiet" onClick={() => setChosen(browserZone)}>
            As this browser: {zoneText(browserZone)}
          </button>
        )}
      </ButtonRow>
    </form>
  );
}

const subscribe = () => () => {};

/** Null until JavaScript runs. */
function useBrowserZone(): string | null {
  return useSyncExternalStore(
    subscribe,
    () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => null,
  );
}

function zoneText(zone: string): string {
  return zone.replaceAll("_", " ");
}

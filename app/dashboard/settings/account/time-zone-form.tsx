"use client";

import { useState, useSyncExternalStore } from "react";
import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { zoneText } from "@/lib/format/time-zone";
import { setTimeZoneAction, type TimeZoneAnswer } from "./time-zone-action";

const UNSENT: TimeZoneAnswer = { kind: "empty" };

type Props = { current: string; zones: readonly string[] };

/** The zone in which the pages write times. With JavaScript, the zone of this browser is one click away. */
export function TimeZoneForm({ current, zones }: Props) {
  const {
    answer: state,
    formAction,
    onSubmit,
    isPending,
    hasFailed,
  } = useFormAnswer<TimeZoneAnswer>(setTimeZoneAction, UNSENT);
  // Until somebody chooses one it follows the account, which takes over the browser's zone after the first page.
  const [touched, setChosen] = useState<string | null>(null);
  const chosen = touched ?? current;
  const browserZone = useBrowserZone();
  const offered = [...new Set([...zones, current, ...(browserZone ? [browserZone] : [])])];
  return (
    <form className="card card-body" action={formAction} onSubmit={onSubmit} aria-label="Time zone">
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
        <span className="select">
          <select
            id="time-zone"
            name="timeZone"
            className="input"
            value={chosen}
            onChange={(event) => setChosen(event.target.value)}
          >
            {offered.map((zone) => (
              <option key={zone} value={zone}>
                {zoneText(zone)}
              </option>
            ))}
          </select>
        </span>
      </div>
      <ButtonRow>
        <SubmitButton className="button quiet" isPending={isPending} pending="Saving…">
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

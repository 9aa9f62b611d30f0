"use client";

import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { CodeBlock } from "@/app/ui/code-block";
import { FocusTarget } from "@/app/ui/focus-target";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { ShownOnce } from "@/app/ui/shown-once";
import { TextField } from "@/app/ui/text-field";
import { useTimeZone } from "@/app/ui/time-zone";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { momentText } from "@/lib/format/relative-time";
import { zoneText } from "@/lib/format/time-zone";
import { benchmarkPath } from "@/lib/page-paths";
import { requestBenchmarkAction } from "../../actions";
import type { RequestBenchmarkAnswer } from "../../form-answers";

const UNSENT: RequestBenchmarkAnswer = { kind: "empty" };

type Props = { id: number; origin: string; hasPending: boolean };

/** The form that asks for a run, and after that the line to paste. */
export function RunBenchmark(props: Props) {
  return (
    <ShownOnce>
      <RunBenchmarkForm {...props} />
    </ShownOnce>
  );
}

/** Never shows form and answer together: a form submits its last answer, and would send the key back. */
function RunBenchmarkForm({ id, origin, hasPending }: Props) {
  const {
    answer: state,
    formAction,
    onSubmit,
    isPending,
    hasFailed,
  } = useFormAnswer<RequestBenchmarkAnswer>(requestBenchmarkAction, UNSENT);
  if (state.kind === "requested") return <BenchmarkCommand id={id} origin={origin} answer={state} />;
  const message = state.kind === "invalid" && state.field === "label" ? state.message : null;
  return (
    <form className="card card-body" action={formAction} onSubmit={onSubmit} aria-label="Run a benchmark">
      {hasFailed && <NoAnswer>Send it again: a server has one pending run at most.</NoAnswer>}
      {state.kind === "invalid" && state.field === "form" && (
        <Notice tone="danger" role="alert" on={state}>
          {state.message}
        </Notice>
      )}
      <input type="hidden" name="id" value={id} />
      <TextField
        field={{
          name: "label",
          label: "Label of the run",
          placeholder: "After delivery",
          maxLength: 128,
          value: state.kind === "invalid" ? state.values.label : "",
        }}
        error={message}
      />
      {hasPending && (
        <p className="soft">
          A run is pending already. Asking again renews it: the line that was shown before stops working.
        </p>
      )}
      <ButtonRow>
        <SubmitButton isPending={isPending} pending="Preparing…">
          Show the line to run
        </SubmitButton>
      </ButtonRow>
    </form>
  );
}

type BenchmarkCommandProps = {
  id: number;
  origin: string;
  answer: Extract<RequestBenchmarkAnswer, { kind: "requested" }>;
};

function BenchmarkCommand({ id, origin, answer: { label, rawKey, expiresAt } }: BenchmarkCommandProps) {
  const zone = useTimeZone();
  return (
    <section className="card card-body" aria-labelledby="line">
      <FocusTarget as="h2" id="line">
        Run this line on the server
      </FocusTarget>
      <p className="soft">
        The line holds a key for this one result, is shown this once, and works until {momentText(expiresAt, zone)}{" "}
        {zoneText(zone)}. The scores of <strong>{label}</strong> are on the server&apos;s page, and in its terminal, as
        soon as it is done.
      </p>
      <CodeBlock
        label="In a terminal of the server"
        text={`curl -sL https://yabs.sh | bash -s -- -s "${origin}/ingest/v1/benchmarks/${rawKey}"`}
      />
      <ButtonRow>
        <a className="button quiet" href={benchmarkPath(id)}>
          Done
        </a>
        <span className="hint">After this the line is gone from the page.</span>
      </ButtonRow>
    </section>
  );
}

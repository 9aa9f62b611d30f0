"use client";

import { ActionForm } from "@/app/ui/action-form";
import { CodeBlock } from "@/app/ui/code-block";
import { StrongName } from "@/app/ui/name";
import { SecretPanel } from "@/app/ui/secret-panel";
import { shownOnce } from "@/app/ui/shown-once";
import { useTimeZone } from "@/app/ui/signed-in";
import { TextField } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { momentText } from "@/lib/format/relative-time";
import { zoneText } from "@/lib/format/time-zone";
import { benchmarkPath } from "@/lib/page-paths";
import { requestBenchmarkAction } from "../../actions";
import type { RequestBenchmarkAnswer } from "../../form-answers";

type Props = { id: number; origin: string; hasPending: boolean };

/** The form that asks for a run, and after that the line to paste. */
export const RunBenchmark = shownOnce(({ id, origin, hasPending }: Props) => {
  const form = useFormAnswer(requestBenchmarkAction);
  const { answer } = form;
  if (answer.kind === "requested") return <BenchmarkCommand id={id} origin={origin} answer={answer} />;
  const invalid = answer.kind === "invalid" ? answer : null;
  return (
    <ActionForm
      form={form}
      label="Run a benchmark"
      again="Sending it again is safe: a server has one pending run at most."
      refusal={form.errorOf("form")}
      hidden={{ id }}
      submit={["Show the line to run", "Preparing…"]}
    >
      <TextField
        name="label"
        label="Label of the run"
        placeholder="After delivery"
        maxLength={128}
        value={invalid?.values.label ?? ""}
        error={form.errorOf("label")}
      />
      {hasPending && (
        <p className="soft">
          A run is pending already. Asking again renews it: the line that was shown before stops working.
        </p>
      )}
    </ActionForm>
  );
});

type BenchmarkCommandProps = {
  id: number;
  origin: string;
  answer: Extract<RequestBenchmarkAnswer, { kind: "requested" }>;
};

function BenchmarkCommand({ id, origin, answer: { label, rawKey, expiresAt } }: BenchmarkCommandProps) {
  const zone = useTimeZone();
  return (
    <SecretPanel
      title="Run this line on the server"
      about={
        <>
          The line holds a key for this one result, is shown this once, and works until{" "}
          {momentText(new Date(expiresAt), zone)} {zoneText(zone)}. The scores of <StrongName>{label}</StrongName> are
          on the server&apos;s page, and in its terminal, as soon as it is done.
        </>
      }
      leave={{ what: "line", href: benchmarkPath(id), words: "Done" }}
    >
      <CodeBlock
        label="In a terminal of the server"
        text={`curl -sL https://yabs.sh | bash -s -- -s "${origin}/ingest/v1/benchmarks/${rawKey}"`}
      />
    </SecretPanel>
  );
}

"use client";

import { ActionForm } from "@/app/ui/action-form";
import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { COLOR_SCHEMES, type ColorScheme } from "@/lib/accounts/color-scheme";
import { setColorSchemeAction } from "./actions";
import styles from "./color-scheme-form.module.css";

const NAMES: Readonly<Record<ColorScheme, string>> = { system: "System", light: "Light", dark: "Dark" };

/** Chooses between the system's colours, light ones and dark ones. */
export function ColorSchemeForm({ current }: { current: ColorScheme }) {
  const form = useFormAnswer(setColorSchemeAction);
  const { answer } = form;
  const chosen = answer.kind === "set" ? answer.colorScheme : current;
  return (
    <ActionForm form={form} labelledBy="appearance" again="Choose again: nothing was changed.">
      <fieldset className="row near">
        <legend className="visually-hidden">Colour scheme</legend>
        {COLOR_SCHEMES.map((scheme) => (
          <label key={`${scheme} ${chosen}`} className={`control ${styles.choice}`}>
            <input
              className="check"
              type="radio"
              name="colorScheme"
              value={scheme}
              defaultChecked={scheme === chosen}
              // The next choice undoes this one, so no button has to confirm it.
              onChange={(event) => event.currentTarget.form?.requestSubmit()}
            />
            {NAMES[scheme]}
          </label>
        ))}
      </fieldset>
      {/* With JavaScript the choice itself is saved. */}
      <div className="without-script">
        <ButtonRow>
          <SubmitButton className="button quiet" isPending={form.isPending} pending="Saving…">
            Save
          </SubmitButton>
        </ButtonRow>
      </div>
      <p role="status" className="visually-hidden">
        {answer.kind === "set" && `Colour scheme: ${NAMES[answer.colorScheme]}`}
      </p>
    </ActionForm>
  );
}

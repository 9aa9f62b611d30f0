"use client";

import { StrongName } from "@/app/ui/name";
import { TextField, type TextFieldSpec } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { type ButtonFormProps, FormOfButton } from "./button-form";

/** A form of text fields and a button, and why nothing came of it. */
export function FieldsForm({
  action,
  fields,
  hidden,
  submit,
  ...rest
}: ButtonFormProps & { fields: readonly TextFieldSpec[] }) {
  const form = useFormAnswer(action);
  const refused = form.answer.kind === "refused" ? form.answer : null;
  const anyway = refused?.anyway;
  return (
    <FormOfButton
      {...rest}
      form={form}
      done={
        form.answer.kind === "done" && (
          <>
            {form.answer.words}
            {form.answer.name && <StrongName>{form.answer.name}</StrongName>}
            {form.answer.end}
          </>
        )
      }
      refusal={!fields.some(({ name }) => name === refused?.field) && refused?.message}
      hidden={{ ...hidden, ...(anyway && { anyway }) }}
      submit={anyway ? "Save anyway" : submit}
      fields={fields.map((field) => (
        <TextField
          key={field.name}
          {...field}
          value={refused?.values[field.name] ?? field.value}
          id={`${hidden.scope ?? "field"}-${field.name}`}
          error={form.errorOf(field.name)}
        />
      ))}
    />
  );
}

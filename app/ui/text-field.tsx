import { describedBy, Field } from "./field";

/** One text field of a form. */
export type TextFieldSpec = {
  name: string;
  label: string;
  hint?: React.ReactNode;
  placeholder?: string;
  maxLength: number;
  value: string;
  inputMode?: "numeric" | "email";
  isOptional?: boolean;
};

type Props = Omit<TextFieldSpec, "maxLength" | "value"> &
  Pick<React.ComponentProps<"input">, "className" | "onInput" | "autoFocus" | "autoComplete" | "type"> &
  Pick<React.ComponentProps<"input">, "maxLength" | "min" | "max"> & {
    id?: string;
    value?: string;
    error?: string | null;
    /** Of the field around the input. */
    fieldClass?: string | undefined;
  };

/** A name, hostname or the like: nothing that a browser should correct or complete. */
export function TextField({ id, label, hint, value, isOptional = false, error = null, ...rest }: Props) {
  const { fieldClass, ...attributes } = rest;
  const fieldId = id ?? attributes.name;
  return (
    <Field id={fieldId} label={label} hint={hint} error={error} className={fieldClass}>
      <input
        // Resetting a form restores the initial value of its fields.
        key={value}
        id={fieldId}
        className="input"
        defaultValue={value}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required={!isOptional}
        {...attributes}
        {...describedBy(fieldId, error, hint !== undefined)}
      />
    </Field>
  );
}

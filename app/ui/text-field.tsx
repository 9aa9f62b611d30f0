import { describedBy, Field } from "./field";

/** One text field of a form. */
export type TextFieldSpec = {
  name: string;
  label: string;
  hint?: string;
  placeholder?: string;
  maxLength: number;
  value: string;
  inputMode?: "numeric" | "email";
  isOptional?: boolean;
};

type Props = { field: TextFieldSpec; id?: string; error: string | null };

/** A name, hostname or the like: nothing that a browser should correct or complete. */
export function TextField({ field, id = field.name, error }: Props) {
  const { name, label, hint, placeholder, maxLength, value, inputMode, isOptional = false } = field;
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <input
        // Resetting a form restores the initial value of its fields.
        key={value}
        id={id}
        name={name}
        className="input"
        defaultValue={value}
        placeholder={placeholder}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={maxLength}
        inputMode={inputMode}
        required={!isOptional}
        {...describedBy(id, error, hint !== undefined)}
      />
    </Field>
  );
}

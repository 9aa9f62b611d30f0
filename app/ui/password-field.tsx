import { describedBy, Field } from "./field";

type Props = {
  id: string;
  name: string;
  label: string;
  hint?: string;
  isNew?: boolean;
  error?: string | null;
};

/** A password, which is never sent back. `isNew`: browsers offer to make one up. */
export function PasswordField({ id, name, label, hint, isNew = false, error = null }: Props) {
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <input
        id={id}
        className="input"
        name={name}
        type="password"
        autoComplete={isNew ? "new-password" : "current-password"}
        required
        {...describedBy(id, error, hint !== undefined)}
      />
    </Field>
  );
}

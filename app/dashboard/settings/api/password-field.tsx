import { describedBy, Field } from "@/app/ui/field";

/** Asks for the password again, where the last sign-in was over an hour ago. */
export function PasswordField({ error, id = "password-again" }: { error: string | null; id?: string }) {
  return (
    <Field
      id={id}
      label="Your password"
      hint="Asked because your last sign-in was over an hour ago."
      error={error}
      className="password-again"
    >
      <input
        id={id}
        className="input"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        {...describedBy(id, error, true)}
      />
    </Field>
  );
}

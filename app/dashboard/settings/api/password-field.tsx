import { FieldError, invalid } from "./field-error";

/** Asks for the password again, where the last sign-in was over an hour ago. */
export function PasswordField({ error, id = "password-again" }: { error: string | null; id?: string }) {
  return (
    <div className="field password-again">
      <label htmlFor={id}>Your password</label>
      <input
        id={id}
        className="input"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        aria-describedby={`${id}-hint`}
        {...invalid(error, `${id}-error ${id}-hint`)}
      />
      <p id={`${id}-hint`} className="hint">
        Asked because your last sign-in was over an hour ago.
      </p>
      <FieldError id={`${id}-error`} message={error} />
    </div>
  );
}

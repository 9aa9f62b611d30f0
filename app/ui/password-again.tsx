import { PasswordField } from "./password-field";
import { UsernameField } from "./signed-in";

type Props = {
  /** The last sign-in was over an hour ago. */
  isAsked: boolean;
  /** What was wrong with the password: then it is asked in any case. */
  error: string | null;
  id?: string;
};

/** Asks for the password again, where it is needed. */
export function PasswordAgain({ isAsked, error, id = "password-again" }: Props) {
  if (!isAsked && error === null) return null;
  return (
    <>
      <UsernameField />
      <PasswordField
        id={id}
        name="password"
        label="Your password"
        hint="Asked because your last sign-in was over an hour ago."
        error={error}
      />
    </>
  );
}

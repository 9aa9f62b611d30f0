import { PasswordField } from "@/app/ui/password-field";
import { UsernameField } from "@/app/ui/username";

/** Asks for the password again, where the last sign-in was over an hour ago. */
export function PasswordAgain({ error, id = "password-again" }: { error: string | null; id?: string }) {
  return (
    <>
      <UsernameField />
      <PasswordField
        id={id}
        name="password"
        label="Your password"
        hint="Asked because your last sign-in was over an hour ago."
        error={error}
        className="password-again"
      />
    </>
  );
}

import { TextField } from "./text-field";

type Props = Omit<React.ComponentProps<typeof TextField>, "value" | "type"> & { isNew?: boolean };

/** A password, which is never sent back. `isNew`: browsers offer to make one up. */
export function PasswordField({ isNew = false, ...props }: Props) {
  return <TextField {...props} type="password" autoComplete={isNew ? "new-password" : "current-password"} />;
}

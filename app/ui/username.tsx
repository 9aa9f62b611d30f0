"use client";

import { createContext, useContext } from "react";

const Username = createContext("");

/** The e-mail of the signed-in account, for the forms below it that ask for its password. */
export function UsernameProvider({ email, children }: { email: string; children: React.ReactNode }) {
  return <Username value={email}>{children}</Username>;
}

/**
 * Tells password managers whose password the field after it is: else they take the text field before it, such as a token's
 * name, for the user name. Not sent.
 */
export function UsernameField() {
  return <input hidden type="email" autoComplete="username" value={useContext(Username)} readOnly />;
}

"use client";

import { createContext, useContext } from "react";

/** The e-mail of the account, and the IANA name of the zone in which its pages write times. */
type Reader = { email: string; timeZone: string };

const SignedInReader = createContext<Reader>({ email: "", timeZone: "UTC" });

/** Around what is written for a signed-in account. */
export function SignedIn({ children, ...reader }: Reader & { children: React.ReactNode }) {
  return <SignedInReader value={reader}>{children}</SignedInReader>;
}

export function useTimeZone(): string {
  return useContext(SignedInReader).timeZone;
}

/**
 * Tells password managers whose password the field after it is: else they take the text field before it, such as a token's
 * name, for the user name. Not sent.
 */
export function UsernameField() {
  return <input hidden type="email" autoComplete="username" value={useContext(SignedInReader).email} readOnly />;
}

"use client";

import { createContext, useContext } from "react";
import type { Facts } from "./read-facts";
import type { TokenSelection } from "./revoke/revocation";

type Shared = Facts & {
  /** Opens the question before tokens are revoked. Answers false where this page does not know the tokens. */
  ask: (selection: TokenSelection, opener: HTMLElement) => boolean;
};

/** What a token page gives to everything on it. */
export const SharedFacts = createContext<Shared | null>(null);

/** For what stands inside `RevokeQuestions`. */
export function useFacts(): Shared {
  const facts = useContext(SharedFacts);
  if (!facts) throw new Error("This belongs inside RevokeQuestions.");
  return facts;
}

"use client";

import { createContext, useContext } from "react";
import type { NetworksHelp } from "./networks/field-help";

/** What the forms of the token pages ask and say alike. */
export type Facts = {
  /** The last sign-in is too long ago for what needs the password. */
  asksPassword: boolean;
  /** Where the API is. */
  origin: string;
  help: NetworksHelp;
  /** When the page was made. */
  now: Date;
};

const FactsContext = createContext<Facts | null>(null);

/** Around all forms of a page. */
export function FactsProvider({ facts, children }: { facts: Facts; children: React.ReactNode }) {
  return <FactsContext value={facts}>{children}</FactsContext>;
}

export function useFacts(): Facts {
  const facts = useContext(FactsContext);
  if (!facts) throw new Error("This belongs inside FactsProvider.");
  return facts;
}

import type { Metadata } from "next";
import { confirmAddressAction } from "../actions";
import { AddressQuestion } from "../address-question";

export const metadata: Metadata = { title: "Confirm your e-mail", robots: { index: false } };

const OUTCOMES = {
  confirmed: { tone: "done", text: "Your e-mail is confirmed: notices are sent there from now on." },
  already: { tone: "done", text: "This link has confirmed your e-mail already. Nothing was changed." },
  stale: {
    tone: "warning",
    text: "Nothing was confirmed: this link is older than 48 hours, a newer mail took its place, or it was ended.",
  },
} as const;

export default async function Page({ searchParams }: PageProps<"/notices/confirm">) {
  return (
    <AddressQuestion
      title="Confirm your e-mail"
      text="The console will send notices to the e-mail that this link was sent to."
      button="Confirm this e-mail"
      action={confirmAddressAction}
      query={await searchParams}
      outcomes={OUTCOMES}
    />
  );
}

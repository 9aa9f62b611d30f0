import type { Metadata } from "next";
import { unsubscribeAction } from "../actions";
import { AddressQuestion } from "../address-question";

export const metadata: Metadata = { title: "Unsubscribe", robots: { index: false } };

const OUTCOMES = {
  unsubscribed: { tone: "done", text: "You are unsubscribed: no more notices are sent to this e-mail." },
  unknown: {
    tone: "warning",
    text: "Nothing was changed: the channel of this link no longer exists, or the link is not complete.",
  },
} as const;

export default async function Page({ searchParams }: PageProps<"/notices/unsubscribe">) {
  return (
    <AddressQuestion
      title="Unsubscribe"
      text="The console will send no more notices to the e-mail that this link was sent to."
      button="Stop these mails"
      action={unsubscribeAction}
      query={await searchParams}
      outcomes={OUTCOMES}
    />
  );
}

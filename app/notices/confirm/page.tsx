import type { Metadata } from "next";
import { confirmAddressAction } from "../actions";
import { AddressQuestion } from "../address-question";

export const metadata: Metadata = { title: "Confirm your address", robots: { index: false } };

const CONFIRMED = { tone: "done", text: "Your address is confirmed: notices are sent there from now on." } as const;
const ALREADY = { tone: "done", text: "This link has confirmed your address already. Nothing was changed." } as const;
const STALE = {
  tone: "warning",
  text: "Nothing was confirmed: this link is older than 48 hours, a newer mail took its place, or it was ended.",
} as const;
const OUTCOMES = new Map<unknown, typeof CONFIRMED | typeof ALREADY | typeof STALE>([
  ["confirmed", CONFIRMED],
  ["already", ALREADY],
  ["stale", STALE],
]);

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const { key, done } = await searchParams;
  return (
    <AddressQuestion
      title="Confirm your address"
      text="The console will send notices about servers to the address of the mail that led you here."
      button="Confirm this address"
      action={confirmAddressAction}
      address={key}
      outcome={OUTCOMES.get(done) ?? null}
    />
  );
}

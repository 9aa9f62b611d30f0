"use server";

import { redirect } from "next/navigation";
import { textOf } from "@/lib/http/form-fields";
import { confirmAddress, unsubscribe } from "@/lib/notices/confirmation";
import { CONFIRM_ADDRESS, UNSUBSCRIBE } from "@/lib/page-paths";

// Nobody is signed in here: the key of the mail says which channel is meant.

/** Confirms the address to which the mail with this key was sent. */
export async function confirmAddressAction(form: FormData): Promise<never> {
  redirect(`${CONFIRM_ADDRESS}?done=${await confirmAddress(textOf(form, "key"))}`);
}

/** Ends the mails with this key. */
export async function unsubscribeAction(form: FormData): Promise<never> {
  const isKnown = await unsubscribe(textOf(form, "key"));
  redirect(`${UNSUBSCRIBE}?done=${isKnown ? "unsubscribed" : "unknown"}`);
}

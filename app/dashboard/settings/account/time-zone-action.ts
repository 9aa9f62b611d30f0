"use server";

import { revalidatePath } from "next/cache";
import { type SetTimeZone, setTimeZone } from "@/lib/accounts/time-zone";
import { textOf } from "@/lib/http/form-fields";
import { requireAccount } from "@/lib/sign-in/sessions";

export type TimeZoneAnswer = SetTimeZone | { kind: "empty" };

/** Keeps the time zone of the form with the account; the page around the form comes back with its times in it. */
export async function setTimeZoneAction(_: TimeZoneAnswer, form: FormData): Promise<TimeZoneAnswer> {
  const account = await requireAccount();
  const answer = await setTimeZone(account.id, textOf(form, "timeZone"));
  if (answer.kind === "set") revalidatePath("/dashboard", "layout");
  return answer;
}

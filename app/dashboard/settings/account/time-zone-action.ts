"use server";

import { revalidatePath } from "next/cache";
import { type SetTimeZone, setTimeZone } from "@/lib/accounts/time-zone";
import { textOf } from "@/lib/http/form-fields";
import { requireAccount } from "@/lib/sign-in/sessions";

type TimeZoneAnswer = SetTimeZone;

/** Stores the chosen time zone with the account. The page is rendered again with times in that zone. */
export async function setTimeZoneAction(_: unknown, form: FormData): Promise<TimeZoneAnswer> {
  const account = await requireAccount();
  const answer = await setTimeZone(account.id, textOf(form, "timeZone"));
  if (answer.kind === "set") revalidatePath("/dashboard", "layout");
  return answer;
}

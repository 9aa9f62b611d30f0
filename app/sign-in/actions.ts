"use server";

import { redirect } from "next/navigation";
import { parseOwnPath } from "@/lib/own-path";
import { waitText } from "@/lib/relative-time";
import { requestSender, startSession } from "@/lib/session";
import { checkCredentials } from "@/lib/sign-in";

const START = "/dashboard/settings/api";

/** What the form shows after a refusal; null before the first attempt. The password is never sent back. */
export type SignInState = { message: string; email: string } | null;

export async function signInAction(_: SignInState, form: FormData): Promise<SignInState> {
  const email = textOf(form, "email");
  const { ip } = await requestSender();
  const result = await checkCredentials(email, textOf(form, "password"), ip);
  if (result.kind === "throttled") {
    return { message: `Too many attempts. Try again in ${waitText(result.waitMs)}.`, email };
  }
  if (result.kind === "refused") return { message: "Wrong e-mail or password.", email };
  await startSession(result.accountId);
  redirect(parseOwnPath(textOf(form, "next")) ?? START);
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

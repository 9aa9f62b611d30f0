"use server";

import { redirect } from "next/navigation";
import { textOf } from "@/lib/http/form-fields";
import { parseOwnPath } from "@/lib/http/own-path";
import { DASHBOARD } from "@/lib/page-paths";
import { checkCredentials } from "@/lib/sign-in/credentials";
import { requestSender, startSession } from "@/lib/sign-in/sessions";

/** What the form shows after a refusal. The password is never sent back. */
type SignInState = { kind: "refused"; message: string; email: string };

/** Signs the browser in and goes to the page it asked for, or says why not. */
export async function signInAction(_: unknown, form: FormData): Promise<SignInState> {
  const email = textOf(form, "email");
  const { ip } = await requestSender();
  const refused: SignInState = { kind: "refused", message: "Wrong e-mail or password.", email };
  const result = await checkCredentials(email, textOf(form, "password"), ip);
  if (result.kind === "throttled") return { ...refused, message: result.message };
  if (result.kind === "refused") return refused;
  if (!(await startSession(result))) return refused;
  redirect(parseOwnPath(textOf(form, "next")) ?? DASHBOARD);
}

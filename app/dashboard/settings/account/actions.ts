"use server";

import { revalidatePath } from "next/cache";
import { cookies } from "next/headers";
import { passwordProblem } from "@/lib/accounts/accounts";
import { COLOR_SCHEME_COOKIE, type ColorScheme, parseColorScheme } from "@/lib/accounts/color-scheme";
import { type SetTimeZone, setTimeZone } from "@/lib/accounts/time-zone";
import { type InvalidField, invalid } from "@/lib/failures";
import { textOf } from "@/lib/http/form-fields";
import { ACCOUNT_PAGE } from "@/lib/page-paths";
import { BusyError } from "@/lib/process/fair";
import { securityEvent } from "@/lib/process/security-events";
import { checkPasswordAgain } from "@/lib/sign-in/confirmation";
import { busyText, checkCredentials } from "@/lib/sign-in/credentials";
import { changePassword, endSessions } from "@/lib/sign-in/open-sessions";
import { COOKIE, COOKIE_LIFETIME } from "@/lib/sign-in/session-cookie";
import { reportEvent, requestSender, requireAccount } from "@/lib/sign-in/sessions";

type PasswordAnswer = { kind: "changed"; ended: number } | InvalidField<"current" | "new" | "again">;

/** Changes the password and signs out all other browsers. */
export async function changePasswordAction(_: unknown, form: FormData): Promise<PasswordAnswer> {
  const account = await requireAccount();
  const password = textOf(form, "new");
  const problem = passwordProblem(password);
  if (problem) return invalid("new", problem);
  if (password !== textOf(form, "again")) return invalid("again", "The two new passwords are not the same.");
  const { ip } = await requestSender();
  const result = await checkCredentials(account.email, textOf(form, "current"), ip);
  if (result.kind === "throttled") return invalid("current", result.message);
  const ended =
    result.kind === "accepted" &&
    (await changePassword(account.id, result.passwordHash, password).catch((error) => {
      if (error instanceof BusyError) return error;
      throw error;
    }));
  if (ended instanceof BusyError) return invalid("new", busyText(ended));
  if (ended === null || ended === false) return invalid("current", "That is not your password.");
  securityEvent("password changed", { accountId: account.id, ip, count: ended });
  revalidatePath(ACCOUNT_PAGE);
  return { kind: "changed", ended };
}

type SessionsAnswer = { kind: "ended"; count: number } | InvalidField<"password">;

/** Signs out the browser that the form names by the id of its session, or all but this one. */
export async function endSessionsAction(_: unknown, form: FormData): Promise<SessionsAnswer> {
  const account = await requireAccount();
  const stranger = await checkPasswordAgain(account, form);
  if (stranger) return stranger;
  const count = await endSessions(account.id, textOf(form, "session"));
  if (count > 0) await reportEvent("sessions ended", { accountId: account.id, count });
  revalidatePath(ACCOUNT_PAGE);
  return { kind: "ended", count };
}

type ColorSchemeAnswer = { kind: "set"; colorScheme: ColorScheme };

/** Stores the chosen colour scheme in a cookie. The answer already uses it. */
export async function setColorSchemeAction(_: unknown, form: FormData): Promise<ColorSchemeAnswer> {
  await requireAccount();
  const colorScheme = parseColorScheme(textOf(form, "colorScheme"));
  const maxAge = colorScheme === "system" ? 0 : COOKIE_LIFETIME;
  (await cookies()).set(COLOR_SCHEME_COOKIE, colorScheme, { ...COOKIE, maxAge });
  revalidatePath("/", "layout");
  return { kind: "set", colorScheme };
}

/** Stores the chosen time zone with the account. The page is rendered again with times in that zone. */
export async function setTimeZoneAction(_: unknown, form: FormData): Promise<SetTimeZone> {
  const account = await requireAccount();
  const answer = await setTimeZone(account.id, textOf(form, "timeZone"));
  if (answer.kind === "set") revalidatePath("/dashboard", "layout");
  return answer;
}

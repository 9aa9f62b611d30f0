import type { Account } from "@/lib/accounts/accounts";
import { db } from "@/lib/database/client";
import { type InvalidField, invalid } from "@/lib/failures";
import { HOUR } from "@/lib/format/time";
import { textOf } from "@/lib/http/form-fields";
import { checkCredentials } from "@/lib/sign-in/credentials";
import { currentHash } from "@/lib/sign-in/open-sessions";
import { requestSender } from "@/lib/sign-in/sessions";

/** For this long after typing the password, the browser may create tokens and revoke all without typing it again. */
const TRUSTED_FOR = HOUR;

/** Whether the next form that creates, replaces or revokes all has to ask for the password again. */
export async function needsPassword(): Promise<boolean> {
  const tokenHash = await currentHash();
  if (tokenHash === null) return true;
  const since = new Date(Date.now() - TRUSTED_FOR);
  return (await db.session.count({ where: { tokenHash, authenticatedAt: { gt: since } } })) === 0;
}

/**
 * Checks the password field of such a form, with the rate limits of sign-in. Null means that the form may go on. The
 * right password counts for an hour.
 */
export async function checkPasswordAgain(account: Account, form: FormData): Promise<InvalidField<"password"> | null> {
  if (!(await needsPassword())) return null;
  const typed = textOf(form, "password");
  if (typed === "") return invalid("password", "Your last sign-in was over an hour ago. Type your password to go on.");
  const { ip } = await requestSender();
  const result = await checkCredentials(account.email, typed, ip);
  if (result.kind === "throttled") return invalid("password", result.message);
  if (result.kind === "refused") return invalid("password", "That is not your password.");
  const tokenHash = await currentHash();
  if (tokenHash) await db.session.updateMany({ where: { tokenHash }, data: { authenticatedAt: new Date() } });
  return null;
}

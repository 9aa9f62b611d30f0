import { domainToASCII } from "node:url";
import { type InvalidField, invalid } from "@/lib/failures";

/** The longest address that SMTP carries (RFC 5321). */
const MAX_EMAIL_LENGTH = 254;
/** What mail servers take without quotes, and nothing that one of them reads as something else. */
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const MAX_LOCAL_LENGTH = 64;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** One address, in lower case and with its domain as DNS knows it; or what is wrong with it. */
export function checkEmail(typed: string): { kind: "valid"; email: string } | InvalidField<"email"> {
  const text = typed.trim().toLowerCase();
  if (text === "") return invalid("email", "Type the e-mail that notices are sent to.");
  if (text.length > MAX_EMAIL_LENGTH) return invalid("email", `An e-mail has at most ${MAX_EMAIL_LENGTH} characters.`);
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, Math.max(at, 0)), domainToASCII(text.slice(at + 1))];
  const email = `${local}@${domain}`;
  if (local.length > MAX_LOCAL_LENGTH || !LOCAL_PART.test(local) || !DOMAIN.test(domain)) {
    return invalid("email", "Type one e-mail, such as ann@example.com, without a name or quotes.");
  }
  return email.length > MAX_EMAIL_LENGTH
    ? invalid("email", `An e-mail has at most ${MAX_EMAIL_LENGTH} characters.`)
    : { kind: "valid", email };
}

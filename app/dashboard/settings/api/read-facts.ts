import { pageOrigin } from "@/app/ui/page-origin";
import { needsPassword } from "@/lib/sign-in/confirmation";
import type { Facts } from "./facts";
import { networksHelp } from "./networks/field-help";

/** Reads what the forms of a token page need. */
export async function readFacts(now: Date): Promise<Facts> {
  const [asksPassword, origin, help] = await Promise.all([needsPassword(), pageOrigin(), networksHelp()]);
  return { asksPassword, origin, help, now };
}

import { ApiError } from "@/lib/api/api-error";
import { clientIp } from "@/lib/http/client-ip";
import { networkOf } from "@/lib/http/network";
import { unsubscribe } from "@/lib/notices/confirmation";
import { env } from "@/lib/process/env";
import { fair } from "@/lib/process/fair";
import { type Answer, TEXT } from "./endpoint";

/** Ends the mails that hold this key: the POST of a mail program (RFC 8058). Its body is not needed, so it is not read. */
export async function deliverUnsubscription(request: Request, { key }: { key: string }): Promise<Answer> {
  const network = networkOf(clientIp(request.headers, env.trustedProxies));
  const isKnown = await fair("request", network, () => unsubscribe(key));
  if (!isKnown) throw new ApiError(404, "Not found.");
  return { status: 200, body: "You are unsubscribed.\n", type: TEXT };
}

import { BusyError } from "@/lib/admission/busy-error";
import { payerOf } from "@/lib/admission/credentials";
import { PURPOSES, withPlace } from "@/lib/admission/shares";
import { ApiError } from "@/lib/api/api-error";
import { unavailable } from "@/lib/api/errors";
import { clientIp } from "@/lib/http/client-ip";
import { networkOf } from "@/lib/http/network";
import { unsubscribe } from "@/lib/notices/confirmation";
import { env } from "@/lib/process/env";

/** Ends the mails that hold this key: the POST of a mail program (RFC 8058). Its body is not needed, so it is not read. */
export async function deliverUnsubscription(request: Request, { key }: { key: string }) {
  const network = networkOf(clientIp(request.headers, env.trustedProxies));
  const isKnown = await withPlace(PURPOSES.upload, payerOf(null, network), "", () => unsubscribe(key)).catch(
    (error) => {
      throw error instanceof BusyError ? unavailable(error.retrySeconds) : error;
    },
  );
  if (!isKnown) throw new ApiError(404, "Not found.");
  return { text: "You are unsubscribed.\n", status: 200 };
}

import { once } from "node:events";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { DAY, SECOND } from "@/lib/format/time";
import type { Outcome } from "@/lib/notices/message";
import { deadline } from "@/lib/process/deadline";
import { checkAddress, ForbiddenAddressError, guardedLookup, UnknownAddressError } from "./address-guard";

/** For all of it: DNS, connection, handshake, request, answer. In milliseconds. */
export const ANSWER_WITHIN = 5 * SECOND;
/** In bytes. So much of an answer is read and thrown away; then the connection ends. */
export const MAX_ANSWER = 65_536;
/** A receiver that asks for more is asked again after this, in seconds. */
const LONGEST_WAIT = DAY / SECOND;

const GONE = 410;
const TOO_MANY = 429;
const UNAVAILABLE = 503;

const INTERRUPTED = "The console was stopped while it sent this.";

/** `allowPrivate`: the receiver may be in a private network. `answerWithin`: another time than `ANSWER_WITHIN`. */
export type Attempt = { signal: AbortSignal; allowPrivate: boolean; answerWithin?: number };

/**
 * Sends a body of JSON to the address of a receiver. The status decides; what the receiver wrote is never shown, since
 * it may be the answer of a machine that the channel's owner cannot reach. Never throws.
 */
export async function post(
  address: string,
  body: string,
  headers: Record<string, string>,
  { signal, allowPrivate, answerWithin = ANSWER_WITHIN }: Attempt,
): Promise<Outcome> {
  const checked = checkAddress(address, allowPrivate);
  if (checked.kind === "invalid") return { kind: "refused", reason: checked.message };
  const ending = deadline(signal, answerWithin);
  try {
    return outcomeOf(await exchange(checked.url, body, headers, { signal: ending.signal, allowPrivate }));
  } catch (error) {
    if (error instanceof ForbiddenAddressError) return { kind: "refused", reason: error.message };
    const tooLate = `It did not answer within ${answerWithin / SECOND} seconds.`;
    const reason = signal.aborted ? INTERRUPTED : ending.signal.aborted ? tooLate : reasonOf(error);
    return { kind: "again", reason, ...(isUnsent(error) && { arrived: "no" }) };
  } finally {
    ending.end();
  }
}

/** One request on a connection of its own. Resolves when the answer is read, was too long, or came too slowly to its end. */
async function exchange(
  url: URL,
  body: string,
  headers: Record<string, string>,
  { signal, allowPrivate }: Attempt,
): Promise<IncomingMessage> {
  const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      "User-Agent": "console-notices",
      ...headers,
    },
    agent: false,
    lookup: guardedLookup(allowPrivate, signal),
    signal,
  });
  // Once there is a status, an answer that breaks off changes nothing.
  request.on("error", () => {}).end(body);
  // A connection that changes its protocol ends without either.
  const [response] = (await once(request, "response", { signal })) as [IncomingMessage];
  let bytes = 0;
  try {
    for await (const piece of response) {
      bytes += piece.length;
      if (bytes > MAX_ANSWER) break;
    }
  } catch {}
  return response;
}

function outcomeOf({ statusCode: status = 0, headers }: IncomingMessage): Outcome {
  if (status >= 200 && status < 300) {
    const isPage = /^text\/html\b/i.test(headers["content-type"] ?? "");
    const page = "It answered with a web page. See whether the URL is that of a receiver.";
    return { kind: "delivered", ...(isPage && { note: page }) };
  }
  if (status >= 300 && status < 400) {
    return {
      kind: "refused",
      reason: `It answered ${status}, a redirect. The console follows none: give its new URL.`,
    };
  }
  if (status === GONE) return { kind: "refused", reason: "It answered 410: there is no receiver any more." };
  // What was answered with an error was not taken.
  const afterSeconds = status === TOO_MANY || status === UNAVAILABLE ? waitOf(headers["retry-after"]) : null;
  return {
    kind: "again",
    reason: `It answered ${status}.`,
    arrived: "no",
    ...(afterSeconds !== null && { afterSeconds }),
  };
}

/** The seconds that `Retry-After` asks for, as a number or a date; null for neither. */
function waitOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  // Date.parse takes "-1" for a year.
  const at = /GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  const seconds = /^\d{1,9}(?:\.\d{1,9})?$/.test(text)
    ? Math.ceil(Number(text))
    : Math.ceil((at - Date.now()) / SECOND);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), LONGEST_WAIT);
}

/** Whether there was no connection on which the body could have gone. */
function isUnsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof UnknownAddressError || code === "ECONNREFUSED";
}

/** What people can do something about. The texts of errors are not shown: they hold ips that DNS alone should tell. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Nothing answers there: the connection was refused.",
  ECONNRESET: "It ended the connection without an answer.",
  EPIPE: "It ended the connection without an answer.",
  EHOSTUNREACH: "There is no network route to it.",
  ENETUNREACH: "There is no network route to it.",
  ETIMEDOUT: "The connection timed out.",
  CERT_HAS_EXPIRED: "Its certificate has expired.",
  ERR_TLS_CERT_ALTNAME_INVALID: "Its certificate is for another name.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "Its certificate is not signed by a trusted authority.",
  SELF_SIGNED_CERT_IN_CHAIN: "Its certificate is not signed by a trusted authority.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "Its certificate is not signed by a trusted authority.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "Its certificate is not signed by a trusted authority.",
};

function reasonOf(error: unknown): string {
  if (error instanceof UnknownAddressError) return error.message;
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code in REASONS) return REASONS[code] ?? "";
  if (code.startsWith("HPE_")) return "It answers, but not as a web server does.";
  if (code.startsWith("ERR_SSL_") || code === "EPROTO") return "A TLS connection could not be made.";
  return "The connection failed.";
}

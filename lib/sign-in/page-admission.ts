import type { Place } from "@/lib/admission/admission";
import { BusyError } from "@/lib/admission/busy-error";
import { payerOf } from "@/lib/admission/credentials";
import { amounts, PURPOSES, waitForPlace } from "@/lib/admission/shares";
import { clientIp } from "@/lib/http/client-ip";
import { env } from "@/lib/process/env";
import { perProcess } from "@/lib/process/per-process";
import { SESSION_COOKIE } from "@/lib/sign-in/session-cookie";
import { hashToken } from "@/lib/tokens/format";

/** The headers that decide who pays for a page, with Node's names. */
type PageHeaders = { cookie?: string | undefined; "x-forwarded-for"?: string | string[] | undefined };

/** Admits requests for pages and forms. The server process is not bundled, so it finds this object by its name. */
export type PageAdmission = {
  /** Returns a place for the request, or the seconds after which the client should try again. */
  enter(kind: "page" | "form", headers: PageHeaders, signal: AbortSignal): Promise<Place | { retrySeconds: number }>;
  /** Call it when the page is rendered. From then on the page only holds memory, until the client has read it. */
  keepUnread(place: Place, bytes: number): void;
};

perProcess(
  "page-admission",
  (): PageAdmission => ({
    async enter(kind, headers, signal) {
      const hash = sessionHash(headers.cookie ?? "");
      const forwarded = new Headers({ "x-forwarded-for": String(headers["x-forwarded-for"] ?? "") });
      const payer = payerOf(hash, clientIp(forwarded, env.trustedProxies));
      try {
        return await waitForPlace(PURPOSES[kind], payer, hash ?? "", undefined, signal);
      } catch (error) {
        if (error instanceof BusyError) return { retrySeconds: error.retrySeconds };
        throw error;
      }
    },
    keepUnread: (place, bytes) => place.keep(amounts({ unread: bytes })),
  }),
);

/** The hash of the session cookie; null without one. */
function sessionHash(cookies: string): string | null {
  const prefix = `${SESSION_COOKIE}=`;
  const cookie = cookies.split(/; */).find((part) => part.startsWith(prefix));
  return cookie === undefined ? null : hashToken(cookie.slice(prefix.length));
}

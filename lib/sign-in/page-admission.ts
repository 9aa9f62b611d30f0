import type { Payer } from "@/lib/admission/admission";
import { BodyFault, receiveBody } from "@/lib/admission/arriving-body";
import { HeldBytes, readInTurn } from "@/lib/admission/bodies";
import { BusyError } from "@/lib/admission/busy-error";
import { learnAccount, payerOf } from "@/lib/admission/credentials";
import { amounts, PURPOSES, waitForPlace, withPlace } from "@/lib/admission/shares";
import { clientIp } from "@/lib/http/client-ip";
import { networkOf, siteOf } from "@/lib/http/network";
import { env } from "@/lib/process/env";
import { type PageAdmission, type PayerHeaders, shared } from "@/lib/process/shared-with-server.mjs";
import { SESSION_COOKIE, SESSION_TOKEN_SHAPE } from "@/lib/sign-in/session-cookie";
import { findSessionAccount } from "@/lib/sign-in/session-row";
import { hashToken } from "@/lib/tokens/format";

shared(
  "pageAdmission",
  (): PageAdmission => ({
    async enter(kind, headers, signal) {
      // Nobody is signed in for sure, so the network pays.
      const hash = kind === "signInForm" ? null : sessionHash(headers.cookie ?? "");
      try {
        const ip = ipOf(headers);
        const payer = await findPayer(hash, siteOf(ip));
        const place = await waitForPlace(PURPOSES[kind], payer, hash ?? networkOf(ip), undefined, signal);
        return { keepUnread: (bytes) => place.keep(amounts({ unread: bytes })), release: () => place.release() };
      } catch (error) {
        if (error instanceof BusyError) return { retrySeconds: error.retrySeconds };
        throw error;
      }
    },
    async readForm({ kind, headers, body, maxBytes }, read) {
      const hash = kind === "signInForm" ? null : sessionHash(headers.cookie ?? "");
      const ip = ipOf(headers);
      // No look-up: a session that this process does not know pays with its site.
      const payer = payerOf(hash, siteOf(ip));
      const held = new HeldBytes(payer);
      try {
        const announced = new Headers({ "content-length": headers["content-length"] ?? String(maxBytes) });
        const pages = await receiveBody({ headers: announced, body }, held, maxBytes);
        return { read: await readInTurn(payer, hash ?? networkOf(ip), () => read(pages.whole())) };
      } catch (error) {
        if (error instanceof BusyError) return { retrySeconds: error.retrySeconds };
        if (error instanceof BodyFault) return { status: error.status };
        throw error;
      } finally {
        held.release();
      }
    },
  }),
);

function ipOf(headers: PayerHeaders): string | null {
  return clientIp(new Headers({ "x-forwarded-for": String(headers["x-forwarded-for"] ?? "") }), env.trustedProxies);
}

/**
 * The account of the session, so that customers behind one ip do not share. A session that this process has not seen yet
 * is looked up in the turn of the site that it comes from. Without one, the site pays: were it each of its 65,536
 * networks, they would fill the places of all strangers. @throws BusyError
 */
async function findPayer(hash: string | null, site: string): Promise<Payer> {
  const payer = payerOf(hash, site);
  if (hash === null || typeof payer === "number") return payer;
  try {
    const accountId = await withPlace(PURPOSES.sessionLookup, payer, hash, () => findSessionAccount(hash));
    if (accountId !== null) learnAccount(hash, accountId);
    return accountId ?? payer;
  } catch (error) {
    if (error instanceof BusyError) throw error;
    // The page itself says that the database is away.
    return payer;
  }
}

/** The hash of the session cookie; null when it is absent or malformed. */
function sessionHash(cookies: string): string | null {
  const prefix = `${SESSION_COOKIE}=`;
  const token = cookies
    .split(/; */)
    .find((part) => part.startsWith(prefix))
    ?.slice(prefix.length);
  return token !== undefined && SESSION_TOKEN_SHAPE.test(token) ? hashToken(token) : null;
}

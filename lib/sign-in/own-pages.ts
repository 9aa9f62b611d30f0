import { db } from "@/lib/database/client";
import { findId } from "@/lib/http/ids";
import { hashToken } from "@/lib/tokens/format";

/** The pages of one server and of one token, and what stands beside them in the same folder. */
const SERVER_PAGES = /^\/dashboard\/servers\/(?!new$)([^/%]+)(?:\/(?:settings|benchmark|remove))?$/;
const TOKEN_PAGES = /^\/dashboard\/settings\/api\/(?!first-use$)([^/%]+)$/;

/**
 * Whether a path is that of a page of something that the account which is signed in does not have. The page itself can
 * only find that out too late: its answer is then empty without JavaScript. False for whoever is not signed in.
 */
export async function isPageOfNothing(path: string, sessionToken: string | undefined): Promise<boolean> {
  const [, server] = SERVER_PAGES.exec(path) ?? [];
  const [, token] = TOKEN_PAGES.exec(path) ?? [];
  const text = server ?? token;
  if (text === undefined || !sessionToken) return false;
  const session = { tokenHash: hashToken(sessionToken), expiresAt: { gt: new Date() } };
  const id = findId(text);
  if (id !== null) {
    const own = { id, account: { sessions: { some: session } } };
    const found = await (server ? db.server.count({ where: own }) : db.accessToken.count({ where: own }));
    if (found > 0) return false;
  }
  return (await db.session.count({ where: { ...session, account: { disabledAt: null } } })) > 0;
}

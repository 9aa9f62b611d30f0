import { db } from "@/lib/database/client";
import { findId } from "@/lib/http/ids";
import { findOwnPage } from "@/lib/page-paths";
import { hashToken } from "@/lib/tokens/format";

/**
 * Whether a path names a page of something that the signed-in account does not have. The page itself finds that out too
 * late: its answer is then empty without JavaScript. False when nobody is signed in.
 */
export async function isPageOfNothing(path: string, sessionToken: string | undefined): Promise<boolean> {
  const page = findOwnPage(path);
  if (page === null || !sessionToken) return false;
  const session = { tokenHash: hashToken(sessionToken), expiresAt: { gt: new Date() } };
  const id = findId(page.id);
  if (id !== null) {
    const own = { id, account: { sessions: { some: session } } };
    const found = await (page.kind === "server"
      ? db.server.count({ where: own })
      : db.accessToken.count({ where: own }));
    if (found > 0) return false;
  }
  return (await db.session.count({ where: { ...session, account: { disabledAt: null } } })) > 0;
}

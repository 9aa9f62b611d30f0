import { db, type Prisma } from "@/lib/database/client";
import { findSeen } from "@/lib/game-services/access";
import { findId } from "@/lib/http/ids";
import { findOwnPage } from "@/lib/page-paths";
import { hashToken } from "@/lib/tokens/format";

const select = { id: true, name: true, email: true, role: true } satisfies Prisma.AccountSelect;

/**
 * Whether the path names something that the signed-in account does not have, or may not see. The page itself would notice
 * too late: without JavaScript, its "not found" answer would be empty. Returns false when nobody is signed in.
 */
export async function isMissingPage(path: string, sessionToken: string | undefined): Promise<boolean> {
  const page = findOwnPage(path);
  if (page === null || !sessionToken) return false;
  const session = { tokenHash: hashToken(sessionToken), expiresAt: { gt: new Date() } };
  const id = findId(page.id);
  if (id !== null && page.kind === "service") {
    const { account } = (await db.session.findFirst({ where: session, select: { account: { select } } })) ?? {};
    if (account && (await findSeen(account, id)) !== null) return false;
  } else if (id !== null) {
    const own = { id, account: { sessions: { some: session } } };
    const found = await (page.kind === "server"
      ? db.server.count({ where: own })
      : db.accessToken.count({ where: own }));
    if (found > 0) return false;
  }
  return (await db.session.count({ where: { ...session, account: { disabledAt: null } } })) > 0;
}

import { db } from "@/lib/database/client";
import { hashToken, isWellFormedToken } from "@/lib/tokens/format";

/** Which server reports, and with which of its keys. */
export type Reporter = { keyId: number; serverId: number };

/**
 * Whose raw server key this is; null when it is none, unknown, replaced for longer than the overlap, or its server or
 * account is gone or disabled. Nothing is cached, so each of these holds from the very next request on.
 */
export async function authenticateServerKey(raw: string, now: Date): Promise<Reporter | null> {
  if (!isWellFormedToken(raw, "serverKey")) return null;
  const [row] = await db.$queryRaw<{ id: number; server_id: number }[]>`
    select k.id, k.server_id
    from server_keys k join servers s on s.id = k.server_id join accounts a on a.id = s.account_id
    where k.key_hash = ${hashToken(raw)} and (k.expires_at is null or k.expires_at > ${now}) and a.disabled_at is null`;
  return row ? { keyId: row.id, serverId: row.server_id } : null;
}

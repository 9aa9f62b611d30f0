import { query, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { hashToken, isWellFormedToken } from "@/lib/tokens/format";

/** Which server reports, and with which of its keys. */
export type Reporter = { keyId: number; serverId: number };

const k = table("ServerKey", "k");
const s = table("Server", "s");
const a = table("Account", "a");

// Raw, as the authentication of tokens is: every report begins with it.
const BY_HASH = statement({ keyHash: k.keyHash, now: k.expiresAt }, ({ keyHash, now }) =>
  select(
    { keyId: k.id, serverId: k.serverId },
    `from ${k} join ${s} on ${s.id} = ${k.serverId} join ${a} on ${a.id} = ${s.accountId}
    where ${k.keyHash} = ${keyHash} and (${k.expiresAt} is null or ${k.expiresAt} > ${now}) and ${a.disabledAt} is null`,
  ),
);

/**
 * Whose raw server key this is; null when it is none, unknown, replaced for longer than the overlap, or its server or
 * account is gone or disabled. Nothing is cached, so each of these holds from the very next request on.
 */
export async function authenticateServerKey(raw: string, now: Date): Promise<Reporter | null> {
  if (!isWellFormedToken(raw, "serverKey")) return null;
  const [reporter] = await query(BY_HASH, { keyHash: hashToken(raw), now });
  return reporter ?? null;
}

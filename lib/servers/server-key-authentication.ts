import { batched } from "@/lib/database/batched";
import { DATABASE_TIME, noteDatabaseTime } from "@/lib/database/clock";
import { query } from "@/lib/database/run-statement";
import { parameter, type RowOfStatement, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { lookUp } from "@/lib/process/known-credentials";
import { hashToken, isWellFormedToken } from "@/lib/tokens/format";

/** Which server reports, whose it is, and with which of its keys. */
export type Reporter = { keyId: number; serverId: number; accountId: number };

const k = table("ServerKey", "k");
const s = table("Server", "s");
const a = table("Account", "a");

const REPORTER = { keyId: k.id, serverId: k.serverId, accountId: a.id, databaseTime: DATABASE_TIME };
const workingAt = (now: string) => `(${k.expiresAt} is null or ${k.expiresAt} > ${now}) and ${a.disabledAt} is null`;
const OF_KEYS = `from ${k} join ${s} on ${s.id} = ${k.serverId} join ${a} on ${a.id} = ${s.accountId}`;

// Raw, as the authentication of tokens is: every report begins with it.
const BY_HASH = statement({ keyHash: k.keyHash, now: k.expiresAt }, ({ keyHash, now }) =>
  select(REPORTER, `${OF_KEYS} where ${k.keyHash} = ${keyHash} and ${workingAt(now)}`),
);
const BY_HASHES = statement({ keyHashes: parameter<readonly string[]>("text[]"), now: k.expiresAt }, (values) =>
  select(
    { ...REPORTER, keyHash: k.keyHash },
    `${OF_KEYS} where ${k.keyHash} = any(${values.keyHashes}) and ${workingAt(values.now)}`,
  ),
);

const findByHash = batched<string, RowOfStatement<typeof BY_HASH>>(async (hashes) => {
  const [hash, ...others] = hashes;
  const now = new Date();
  const isOne = hash !== undefined && others.length === 0;
  const rows = isOne
    ? (await query(BY_HASH, { keyHash: hash, now })).map((row) => ({ ...row, keyHash: hash }))
    : await query(BY_HASHES, { keyHashes: hashes, now });
  if (rows[0]) noteDatabaseTime(rows[0].databaseTime);
  const byHash = new Map(rows.map((row) => [row.keyHash, row]));
  return hashes.map((each) => byHash.get(each));
}, 1);

/**
 * Finds the server of a raw key. Null: the key is malformed, unknown or replaced for longer than the overlap, its server is
 * removed, or its account is disabled. Nothing is cached, so a change holds from the next request on.
 * @throws BusyError when too many keys that this process has not seen work are being looked up.
 */
export async function authenticateServerKey(raw: string): Promise<Reporter | null> {
  if (!isWellFormedToken(raw, "serverKey")) return null;
  const found = await lookUp(hashToken(raw), findByHash, () => true);
  if (!found) return null;
  const { keyId, serverId, accountId } = found;
  return { keyId, serverId, accountId };
}

import { randomBytes } from "node:crypto";
import { hashToken, mintToken } from "@/lib/tokens/format";
import { runSql } from "./run-sql";

/**
 * An account with a token, in a database that is not the shared one, written as another part of the console would:
 * with the columns of the data contract alone. Answers the raw token.
 */
export async function insertCaller(url: string): Promise<string> {
  const [raw = ""] = await insertCallerWithTokens(url, "caller@example.com", 1);
  return raw;
}

/** The same with several tokens, for tests that send more requests than one token allows. */
export async function insertCallerWithTokens(url: string, email: string, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, mintToken);
  await runSql(
    url,
    `with a as (insert into accounts (name, email, role) values ('Caller', $1, 'customer') returning id)
     insert into access_tokens (account_id, name, token_hash, hint)
     select id, 'Token', hash, hint from a, unnest($2::text[], $3::text[]) as t (hash, hint)`,
    [email, tokens.map(hashToken), tokens.map((raw) => raw.slice(-4))],
  );
  return tokens;
}

/** A session of an account in such a database, or of the only one there: what its cookie holds. */
export async function insertSession(url: string, accountId: number | null = null): Promise<string> {
  const session = randomBytes(32).toString("base64url");
  await runSql(
    url,
    `insert into sessions (token_hash, account_id, expires_at)
     select $1, id, now() + interval '1 day' from accounts where id = coalesce($2, id)`,
    [hashToken(session), accountId],
  );
  return session;
}

/** A server of one of these accounts with a key for check-ins, which it answers. */
export async function insertReportingServer(url: string): Promise<string> {
  const key = mintToken("serverKey");
  await runSql(
    url,
    `with s as (insert into servers (account_id, label, hostname) select id, 'l', 'h' from accounts limit 1 returning id)
     insert into server_keys (server_id, key_hash, hint) select id, $1, 'hint' from s`,
    [hashToken(key)],
  );
  return key;
}

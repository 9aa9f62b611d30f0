import pg from "pg";
import { hashToken, mintToken } from "@/lib/tokens/format";

/**
 * An account with a token, in a database that is not the shared one, written as another part of the console would:
 * with the columns of the data contract alone. Answers the raw token.
 */
export async function insertCaller(url: string): Promise<string> {
  const raw = mintToken();
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `with a as (insert into accounts (name, email, role) values ('Caller', 'caller@example.com', 'customer') returning id)
     insert into access_tokens (account_id, name, token_hash, hint) select id, 'Token', $1, $2 from a`,
    [hashToken(raw), raw.slice(-4)],
  );
  await client.end();
  return raw;
}

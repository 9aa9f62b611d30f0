import { runSql } from "@/e2e/support/run-sql";
import { MINUTE } from "@/lib/format/time";
import { hashToken, mintToken, tokenHint } from "@/lib/tokens/format";

// What tests of edge nodes need in any database.

export const RULES = { ownHosts: [], allowPrivateOrigins: false };

export const CONFIGURATION = "/ingest/v1/edge/configuration";

export const thisMinute = () => Math.floor(Date.now() / MINUTE) * MINUTE;
export const interval = (service_id: number, ts: number) => ({
  service_id,
  ts,
  packets: 1,
  bytes: 2,
  dropped: 3,
  connections: 4,
  latency_ms: 12.5,
});

export async function insertNode(url: string, name: string): Promise<{ id: number; key: string }> {
  const key = mintToken("edgeKey");
  const [row] = await runSql<{ id: number }>(
    url,
    `with n as (insert into edge_nodes (name) values ($1) returning id)
     insert into edge_node_keys (node_id, key_hash, hint) select id, $2, $3 from n returning node_id as id`,
    [name, hashToken(key), tokenHint(key)],
  );
  return { id: row?.id ?? 0, key };
}

/** `owner`: an account's mail address. Answers the service's id. */
export async function insertService(
  url: string,
  owner: string,
  { hostname, host, port }: { hostname: string; host: string; port: number },
): Promise<number> {
  const [row] = await runSql<{ id: number }>(
    url,
    `insert into game_services (account_id, name, java_hostname, origin_host, origin_port, wish)
     select id, $2, $2, $3, $4, 'on' from accounts where email = $1 returning id`,
    [owner, hostname, host, port],
  );
  if (!row) throw new Error("No service.");
  return row.id;
}

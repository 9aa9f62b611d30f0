import { unique } from "@/e2e/support/factories";
import { runSql } from "@/e2e/support/run-sql";
import { MINUTE } from "@/lib/format/time";
import { hashToken, mintToken, tokenHint } from "@/lib/tokens/format";

// What tests of edge nodes do, over HTTP or by the handlers themselves, and over any database.

export const RULES = { ownHosts: [], allowPrivateOrigins: false };

type Headers = Record<string, string>;
export const CONFIGURATION = "/ingest/v1/edge/configuration";
const REPORTS = "/ingest/v1/edge/reports";

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

/** `owner`: an account's id or mail address. Answers the service's id. */
export async function insertService(
  url: string,
  owner: number | string,
  { hostname, host, port }: { hostname: string; host: string; port: number },
): Promise<number> {
  const [row] = await runSql<{ id: number }>(
    url,
    `insert into game_services (account_id, name, java_hostname, origin_host, origin_port, wish)
     select id, $2, $2, $3, $4, 'on' from accounts where $1 in (id::text, email) returning id`,
    [String(owner), hostname, host, port],
  );
  if (!row) throw new Error("No service.");
  return row.id;
}

type Input = { name: string; javaHostname: string; originHost: string; originPort: string };

/** `url`: the database; `fetch` sends a request to a path. Services are made by SQL, or as `createService` says. */
export function edgeNodesAt(
  url: string,
  fetch: (path: string, init: RequestInit) => Promise<Response>,
  createService = (owner: number, { javaHostname, originHost, originPort }: Input) =>
    insertService(url, owner, { hostname: javaHostname, host: originHost, port: Number(originPort) }),
) {
  const added: number[] = [];

  const sql = <Row extends Record<string, unknown>>(text: string, values?: unknown[]) => runSql<Row>(url, text, values);

  async function newNode(name = unique("edge")): Promise<{ id: number; key: string; name: string }> {
    const node = await insertNode(url, name);
    added.push(node.id);
    return { ...node, name };
  }

  async function newOwner(): Promise<number> {
    const name = unique("owner");
    const [row] = await sql<{ id: number }>("insert into accounts (name, email) values ($1, $2) returning id", [
      name,
      `${name}@example.com`,
    ]);
    return row?.id ?? 0;
  }

  async function newService(owner?: number, javaHostname = `${unique("play")}.example.com`) {
    const input = { name: "Survival", javaHostname, originHost: "192.0.2.80", originPort: "25565" };
    return { id: await createService(owner ?? (await newOwner()), input), input };
  }

  async function get(key: string | null, headers: Headers = {}) {
    const response = await fetch(CONFIGURATION, {
      headers: { ...(key !== null && { Authorization: `Bearer ${key}` }), ...headers },
    });
    const text = await response.text();
    const json = text === "" ? null : JSON.parse(text);
    return { status: response.status, headers: response.headers, text, json, etag: response.headers.get("etag") ?? "" };
  }

  async function report(key: string | null, body: unknown, init: { headers?: Headers; method?: string } = {}) {
    const response = await fetch(REPORTS, {
      method: init.method ?? "POST",
      headers: {
        "Content-Type": "application/json",
        ...(key !== null && { Authorization: `Bearer ${key}` }),
        ...init.headers,
      },
      ...(init.method !== "GET" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, json: await response.json() };
  }

  const acknowledge = (key: string, service_id: number, version: number | null, error: string | null = null) =>
    report(key, { acknowledgements: [{ service_id, version, error }] });

  async function stateOf(id: number) {
    const [row] = await sql<{ status: string; error: string | null; config_version: number }>(
      "select status::text, error, config_version from game_services where id = $1",
      [id],
    );
    return row ?? null;
  }
  const statusOf = async (id: number) => (await stateOf(id))?.status ?? "no row";

  /** No service and no node is left: every service in a database waits for its live nodes. */
  async function clear(): Promise<void> {
    await sql("delete from game_services");
    await sql("delete from edge_nodes where id = any($1)", [added.splice(0)]);
  }

  return { added, sql, newNode, newOwner, newService, get, report, acknowledge, stateOf, statusOf, clear };
}

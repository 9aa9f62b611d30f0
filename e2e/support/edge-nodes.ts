import { unique } from "@/e2e/support/factories";
import { runSql } from "@/e2e/support/run-sql";
import { MINUTE } from "@/lib/format/time";

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

type Functions = {
  nodes: Pick<typeof import("@/lib/game-services/edges/nodes"), "addNode" | "removeNode">;
  services: Pick<typeof import("@/lib/game-services/management"), "createService">;
};

/** `url`: the database; `fetch` sends a request to a path. */
export function edgeNodesAt(
  url: string,
  fetch: (path: string, init: RequestInit) => Promise<Response>,
  { nodes, services }: Functions,
) {
  const added: number[] = [];

  const sql = <Row extends Record<string, unknown>>(text: string, values?: unknown[]) => runSql<Row>(url, text, values);

  async function newNode(name = unique("edge")): Promise<{ id: number; key: string; name: string }> {
    const node = await nodes.addNode(name);
    if (node.kind !== "added") throw new Error(node.message);
    added.push(node.id);
    return { id: node.id, key: node.rawKey, name };
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
    const created = await services.createService(owner ?? (await newOwner()), input, RULES);
    if (created.kind !== "created") throw new Error(JSON.stringify(created));
    return { id: created.id, input };
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
    for (const id of added.splice(0)) await nodes.removeNode(id);
  }

  return { added, sql, newNode, newOwner, newService, get, report, acknowledge, stateOf, statusOf, clear };
}

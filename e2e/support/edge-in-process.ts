import { afterEach, beforeAll } from "vitest";
import { ask } from "@/e2e/support/ask";
import { bearer } from "@/e2e/support/calls";
import { CONFIGURATION, insertNode, RULES } from "@/e2e/support/edge-nodes";
import { newAccount, unique } from "@/e2e/support/factories";
import { runSql } from "@/e2e/support/run-sql";
import { watchNodes } from "@/lib/game-services/events/watch";
import * as services from "@/lib/game-services/management";

type Headers = Record<string, string>;

/** Edge nodes in the database of this worker, which call the handlers. Leaves none to the next test or file. */
export function edgeNodesInProcess() {
  const url = process.env.DATABASE_URL ?? "";
  const added: number[] = [];

  const sql = <Row extends Record<string, unknown>>(text: string, values?: unknown[]) => runSql<Row>(url, text, values);

  async function newNode(name = unique("edge")): Promise<{ id: number; key: string; name: string }> {
    const node = await insertNode(url, name);
    added.push(node.id);
    return { ...node, name };
  }

  const newOwner = async () => (await newAccount()).id;

  async function newService(owner?: number, javaHostname = `${unique("play")}.example.com`) {
    const input = { name: "Survival", javaHostname, originHost: "192.0.2.80", originPort: "25565" };
    const created = await services.createService(owner ?? (await newOwner()), input, RULES);
    if (created.kind !== "created") throw new Error(JSON.stringify(created));
    return { id: created.id, input };
  }

  async function get(key: string | null, headers: Headers = {}) {
    const answer = await ask(CONFIGURATION, { headers: { ...bearer(key), ...headers } });
    const json = answer.text === "" ? null : JSON.parse(answer.text);
    return { ...answer, json, etag: answer.headers.get("etag") ?? "" };
  }

  async function report(key: string | null, body: unknown, init: { headers?: Headers; method?: string } = {}) {
    const { status, headers, text } = await ask("/ingest/v1/edge/reports", {
      method: init.method ?? "POST",
      headers: { "Content-Type": "application/json", ...bearer(key), ...init.headers },
      ...(init.method !== "GET" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status, headers, json: JSON.parse(text) };
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

  /** Looks for nodes that are silent, where the console has judged for that long, as an interval of PostgreSQL. */
  async function watchFor(judging = "400 days"): Promise<void> {
    await sql(
      `insert into heartbeat (id, beat_at, judges_from) values (1, now(), now() - $1::interval)
        on conflict (id) do update set beat_at = excluded.beat_at, judges_from = excluded.judges_from`,
      [judging],
    );
    await watchNodes();
  }

  /** No service and no node is left: every service in a database waits for its live nodes. */
  async function clear(): Promise<void> {
    await sql("delete from game_services");
    await sql("delete from edge_nodes where id = any($1)", [added.splice(0)]);
  }
  beforeAll(clear);
  afterEach(clear);
  // An absence of the console would count as heard time of the servers of later files.
  afterEach(() => sql("delete from heartbeat"));

  return { added, sql, newNode, newOwner, newService, get, report, acknowledge, stateOf, statusOf, watchFor };
}

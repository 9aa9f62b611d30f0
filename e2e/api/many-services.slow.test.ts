import { expect, test } from "vitest";
import { answer } from "@/e2e/support/ask";
import { edgeNodesAt } from "@/e2e/support/edge-nodes";
import * as nodes from "@/lib/game-services/edges/nodes";
import * as services from "@/lib/game-services/management";

const { clear, get, newNode, newOwner, sql } = edgeNodesAt(process.env.DATABASE_URL ?? "", answer, { nodes, services });

test("ten thousand services are one answer of less than two megabytes", async () => {
  await clear();
  const owner = await newOwner();
  const node = await newNode();
  await sql(
    `insert into game_services (account_id, name, java_hostname, origin_host, origin_port)
    select $1, 'Many', 'many-' || i || '.example.com', '192.0.2.1', 25565 from generate_series(1, 10000) i`,
    [owner],
  );
  // As PostgreSQL does by itself within a minute.
  await sql("analyze game_services");
  const { status, json, text } = await get(node.key);
  expect(status).toBe(200);
  expect(json.data.services).toHaveLength(10_000);
  expect(text.length).toBeLessThan(2 ** 21);
});

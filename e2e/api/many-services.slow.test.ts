import { expect, test } from "vitest";
import { edgeNodesInProcess } from "@/e2e/support/edge-in-process";

const { get, newNode, newOwner, sql } = edgeNodesInProcess();

test("ten thousand services are one answer of less than two megabytes", async () => {
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

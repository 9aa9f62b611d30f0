import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { answer, call } from "@/e2e/support/ask";
import { bearer, ENDPOINT_PATHS } from "@/e2e/support/calls";
import { send as checkIn } from "@/e2e/support/check-ins";
import { edgeNodesInProcess } from "@/e2e/support/edge-in-process";
import { CONFIGURATION, RULES } from "@/e2e/support/edge-nodes";
import { newAccount, unique } from "@/e2e/support/factories";
import { recordQueries } from "@/e2e/support/recorded-queries";
import { SECOND } from "@/lib/format/time";
import * as nodes from "@/lib/game-services/edges/nodes";
import * as services from "@/lib/game-services/management";
import { mintToken } from "@/lib/tokens/format";

// What an edge node fetches, with which key, how often, and how it waits for the next version.

const { added, sql, newNode, newOwner, newService, get, report, acknowledge, statusOf } = edgeNodesInProcess();

// First: looks go on for a second after the last wait, and belong to whoever began it.
test("nodes that wait together share one look a second", async () => {
  const waiting = await Promise.all(Array.from({ length: 20 }, () => newNode()));
  const { etag } = await get(waiting[0]?.key ?? null);
  const ask = (prefer: string) => waiting.map(({ key }) => get(key, { "If-None-Match": etag, Prefer: prefer }));
  const began = performance.now();
  const queries = await recordQueries(async () => {
    const answers = await Promise.all(ask("wait=3"));
    expect(answers.map(({ status }) => status)).toEqual(waiting.map(() => 304));
  });
  const looks = queries.filter(({ text }) => text.includes("string_agg"));
  expect(looks.length).toBeGreaterThan(1);
  expect(looks.length).toBeLessThanOrEqual(Math.ceil((performance.now() - began) / SECOND) + 2);

  // They delay nobody, and one change releases them all.
  const released = Promise.all(ask("wait=60"));
  const { token } = await newAccount();
  expect((await call("/api/v1/me", token)).status).toBe(200);
  await newService(await newOwner());
  const answers = await released;
  expect(answers.map(({ status }) => status)).toEqual(waiting.map(() => 200));
  expect(new Set(answers.map((one) => one.etag)).size).toBe(1);
});

test("there are at most a thousand nodes with ten working keys each", async () => {
  const { id, key } = await newNode();
  await sql("insert into edge_nodes (name) select 'full-' || n from generate_series(3, $1::int) n", [nodes.MAX_NODES]);
  try {
    const names = [unique("last"), unique("last")];
    const last = await Promise.all(names.map((name) => nodes.addNode(name)));
    for (const result of last) if (result.kind === "added") added.push(result.id);
    expect(last.map(({ kind }) => kind).sort()).toEqual(["added", "invalid"]);
    expect(await sql("select count(*)::int as nodes from edge_nodes")).toEqual([{ nodes: nodes.MAX_NODES }]);
  } finally {
    await sql("delete from edge_nodes where name like 'full-%'");
  }
  const replaced = await Promise.all(
    Array.from({ length: nodes.MAX_WORKING_KEYS + 2 }, () => nodes.replaceNodeKey(id)),
  );
  expect(replaced.filter(({ kind }) => kind === "replaced")).toHaveLength(nodes.MAX_WORKING_KEYS - 1);
  const keys = await sql("select count(*)::int as keys from edge_node_keys where node_id = $1", [id]);
  expect(keys).toEqual([{ keys: nodes.MAX_WORKING_KEYS }]);

  const service = await newService(await newOwner());
  await get(key);
  for (const version of [1, 1, 2, 3]) await acknowledge(key, service.id, version);
  // Of services that are gone or never were, none is kept.
  await acknowledge(key, 2_000_000_000, 1);
  const kept = await sql("select count(*)::int as kept from edge_acknowledgements where node_id = $1", [id]);
  expect(kept).toEqual([{ kept: 1 }]);
});

test("real ips are a version of their own, and survive other changes", async () => {
  const owner = await newOwner();
  const current = await newNode();
  const { id, input } = await newService(owner);
  const listed = async () => (await get(current.key)).json.data.services[0];
  expect(await listed()).not.toHaveProperty("proxy_protocol");
  expect(await services.setRealIps(owner, id, false)).toEqual({ kind: "unchanged" });
  expect(await services.setRealIps(owner, id, true)).toEqual({ kind: "changed", configVersion: 2 });
  expect(await services.setRealIps(await newOwner(), id, false)).toEqual({ kind: "not-found" });
  expect(await listed()).toMatchObject({ version: 2, proxy_protocol: "v2" });
  await services.editService(owner, id, { ...input, originPort: "25570" }, RULES);
  await services.setServiceWish(owner, id, "off");
  await services.setServiceWish(owner, id, "on");
  await services.retryService(owner, id);
  expect(await listed()).toMatchObject({ version: 6, origin_port: 25_570, proxy_protocol: "v2" });
});

test("a waiting request is answered within seconds of a change, otherwise with 304", async () => {
  const [node, other] = [await newNode(), await newNode()];
  const { etag } = await get(node.key);
  const wait = (seconds: number, key = node.key) => get(key, { "If-None-Match": etag, Prefer: `wait=${seconds}` });
  const began = Date.now();
  const none = await wait(2);
  expect([none.status, none.text, none.etag]).toEqual([304, "", etag]);
  expect(none.headers.get("preference-applied")).toBe("wait=2");
  expect(Date.now() - began).toBeGreaterThanOrEqual(1900);
  const waiting = [wait(25), wait(25, other.key)];
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { id } = await newService();
  for (const { status, json } of await Promise.all(waiting)) {
    expect(status).toBe(200);
    expect((json.data.services as { id: number }[]).map((service) => service.id)).toEqual([id]);
  }
  expect(await statusOf(id)).toBe("configuring");
  // A second request of the same node takes the place of the first.
  const now = (await get(node.key)).etag;
  const held = get(node.key, { "If-None-Match": now.replace(/^W\//, ""), Prefer: "respond-async, wait=25" });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const second = get(node.key, { "If-None-Match": now, Prefer: "wait=1" });
  expect((await held).status).toBe(304);
  expect((await second).status).toBe(304);
});

test("the wait of a node that is removed meanwhile ends without the next configuration", async () => {
  const [removed, stays] = [await newNode(), await newNode()];
  const { etag } = await get(removed.key);
  const waits = [removed, stays].map(({ key }) => get(key, { "If-None-Match": etag, Prefer: "wait=25" }));
  await expect.poll(() => sql("select 1 from edge_nodes where is_live")).toHaveLength(2);
  await nodes.removeNode(removed.id);
  const { id } = await newService();
  const [ofRemoved, ofOther] = await Promise.all(waits);
  expect([ofRemoved?.status, ofRemoved?.text]).toEqual([304, ""]);
  expect(ofOther?.json.data.services).toMatchObject([{ id }]);
  expect((await get(removed.key)).status).toBe(401);
});

test("a node over its limit gets 429 with Retry-After, and the others go on", async () => {
  const [busy, other] = [await newNode(), await newNode()];
  for (const [ask, most] of [
    [(key: string) => get(key), 120],
    [(key: string) => report(key, {}), 300],
  ] as const) {
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    while (answers.every(({ status }) => status !== 429)) {
      answers.push(...(await Promise.all(Array.from({ length: 30 }, () => ask(busy.key)))));
    }
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(most);
    for (const { status, headers, json } of answers.filter(({ status }) => status !== 200)) {
      const seconds = Number(headers.get("retry-after"));
      expect([status, json]).toEqual([429, { error: `Rate limit exceeded. Retry in ${seconds} seconds.` }]);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
    }
    expect((await ask(other.key)).status).toBe(200);
  }
});

test("a compressed configuration is the same", async () => {
  const { key } = await newNode();
  const packed = await answer(CONFIGURATION, { headers: { ...bearer(key), "Accept-Encoding": "gzip" } });
  const { headers: plain, text } = await get(key);
  expect([packed.headers.get("content-encoding"), plain.get("content-encoding")]).toEqual(["gzip", null]);
  expect(String(gunzipSync(await packed.arrayBuffer()))).toBe(text);
});

test("headers that cannot be understood are as good as none", async () => {
  const { key } = await newNode();
  const { etag, text } = await get(key);
  for (const tags of ["*", '"', ",,,", `"${"x".repeat(4000)}"`, `${etag}x`, "W/", "'; drop table edge_nodes; --"]) {
    const answer = await get(key, { "If-None-Match": tags, Prefer: "wait=25" });
    expect([answer.status, answer.text], tags).toEqual([200, text]);
  }
  for (const prefer of [
    "wait",
    "wait=",
    "wait=-1",
    "wait=1e3",
    "wait=0",
    "wait=9999999999",
    "await=25",
    "respond-async",
  ]) {
    const answer = await get(key, { "If-None-Match": `"other", ${etag}`, Prefer: prefer });
    expect([answer.status, answer.headers.get("preference-applied")], prefer).toEqual([304, null]);
  }
});

test("a node key only reads the configuration and reports, and no other key can", async () => {
  const node = await newNode();
  const removed = await newNode();
  await nodes.removeNode(removed.id);
  for (const path of ENDPOINT_PATHS) expect((await call(path, node.key)).status, path).toBe(401);
  for (const key of [
    removed.key,
    mintToken("edgeKey"),
    mintToken(),
    mintToken("serverKey"),
    "cedg_",
    "x".repeat(9000),
  ]) {
    for (const answer of [await get(key), await report(key, {})]) {
      expect([answer.status, answer.json]).toEqual([401, { error: "Invalid or replaced edge node key." }]);
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="console-ingest", error="invalid_token"');
    }
  }
  expect((await get(null)).json).toEqual({
    error: 'Missing edge node key. Send "Authorization: Bearer <edge node key>".',
  });
  // An edge node's key cannot check in as a server, and a server's key cannot act as an edge node.
  expect((await checkIn(node.key, {})).status).toBe(401);
  const replaced = await nodes.replaceNodeKey(node.id);
  expect((await get(node.key)).status).toBe(200);
  expect((await get(replaced.kind === "replaced" ? replaced.rawKey : null)).status).toBe(200);
  await sql("update edge_node_keys set expires_at = now() - interval '1 second' where expires_at is not null");
  expect((await get(node.key)).status).toBe(401);
  // A stolen key need not be waited for.
  const stolen = replaced.kind === "replaced" ? replaced.rawKey : "";
  const next = await nodes.replaceNodeKey(node.id);
  await nodes.endReplacedKeys(node.id);
  expect((await get(stolen)).status).toBe(401);
  expect((await get(next.kind === "replaced" ? next.rawKey : null)).status).toBe(200);
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const refused = await answer(CONFIGURATION, { method });
    expect([refused.status, refused.headers.get("allow")], method).toEqual([405, "GET"]);
  }
  expect((await report(null, null, { method: "GET" })).status).toBe(405);
});

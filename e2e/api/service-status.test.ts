import { expect, test } from "vitest";
import { edgeNodesInProcess } from "@/e2e/support/edge-in-process";
import { RULES } from "@/e2e/support/edge-nodes";
import * as nodes from "@/lib/game-services/edges/nodes";
import * as services from "@/lib/game-services/management";

// How acknowledgements and the silence of edge nodes change the status of a game service.

const { sql, newNode, newOwner, newService, get, report, acknowledge, stateOf, statusOf, watchFor } =
  edgeNodesInProcess();

test("a service goes from creation to active to deletion as its nodes report", async () => {
  const owner = await newOwner();
  const node = await newNode();
  const { id, input } = await newService(owner);
  expect(await stateOf(id)).toEqual({ status: "pending_config", error: null, config_version: 1 });
  const first = await get(node.key);
  const { javaHostname: java_hostname, originHost: origin_host } = input;
  const listed = { id, version: 1, java_hostname, origin_host, origin_port: 25_565, enabled: true };
  expect(first.json).toEqual({ data: { revision: expect.stringMatching(/^[0-9a-f]{32}$/), services: [listed] } });
  expect(first.etag).toBe(`W/"${first.json.data.revision}"`);
  expect(first.headers.get("cache-control")).toBe("no-store");
  expect(await statusOf(id)).toBe("configuring");
  expect((await acknowledge(node.key, id, 1)).json).toEqual({ data: { stored: 0 } });
  expect(await statusOf(id)).toBe("active");

  await services.editService(owner, id, { ...input, originPort: "25570" }, RULES);
  expect(await stateOf(id)).toEqual({ status: "configuring", error: null, config_version: 2 });
  await acknowledge(node.key, id, 1);
  expect(await statusOf(id), "an older version is ignored").toBe("configuring");
  await acknowledge(node.key, id, 2, "no route to 192.0.2.80");
  expect(await stateOf(id)).toMatchObject({ status: "failed", error: `${node.name}: no route to 192.0.2.80` });
  await services.retryService(owner, id);
  expect(await stateOf(id)).toMatchObject({ status: "configuring", error: null, config_version: 3 });
  await acknowledge(node.key, id, 3);
  expect(await statusOf(id)).toBe("active");

  await services.setServiceWish(owner, id, "off");
  expect(await statusOf(id)).toBe("configuring");
  expect((await get(node.key)).json.data.services).toEqual([
    { ...listed, version: 4, origin_port: 25_570, enabled: false },
  ]);
  await acknowledge(node.key, id, 4);
  expect(await statusOf(id)).toBe("disabled");

  expect(await services.deleteService(owner, id, "Creative")).toMatchObject({ kind: "invalid" });
  await services.deleteService(owner, id, "Survival");
  expect(await statusOf(id)).toBe("deleting");
  const last = await get(node.key, { "If-None-Match": first.etag });
  expect(last.json.data.services).toEqual([]);
  expect(await statusOf(id), "fetched is not applied").toBe("deleting");
  expect((await get(node.key, { "If-None-Match": last.etag })).status).toBe(304);
  expect(await statusOf(id), "nor is asking for the next").toBe("deleting");
  expect((await acknowledge(node.key, id, null)).json).toEqual({ data: { stored: 0 } });
  expect(await statusOf(id)).toBe("no row");
  expect((await acknowledge(node.key, id, null)).json).toEqual({ data: { stored: 0 } });
});

test("a service that no node ever fetched is deleted at once", async () => {
  const owner = await newOwner();
  const [unfetched, fetched] = [await newService(owner), await newService(owner)];
  await services.deleteService(owner, unfetched.id, "Survival");
  expect(await statusOf(unfetched.id)).toBe("no row");
  const node = await newNode();
  await get(node.key);
  await acknowledge(node.key, fetched.id, 1);
  expect(await statusOf(fetched.id)).toBe("active");
  // The only node is gone.
  await nodes.removeNode(node.id);
  await services.setServiceWish(owner, fetched.id, "off");
  expect(await stateOf(fetched.id)).toMatchObject({ status: "active", config_version: 2 });
  await services.deleteService(owner, fetched.id, "Survival");
  expect(await statusOf(fetched.id)).toBe("deleting");
  expect(await services.editService(owner, fetched.id, fetched.input, RULES)).toEqual({ kind: "deleting" });
});

test("a version waits for all live nodes, and a silent node blocks nobody", async () => {
  const owner = await newOwner();
  const [one, two] = [await newNode(), await newNode()];
  const { id, input } = await newService(owner);
  await Promise.all([get(one.key), get(two.key)]);
  await acknowledge(one.key, id, 1);
  expect(await statusOf(id)).toBe("configuring");
  await acknowledge(two.key, id, 1);
  expect(await statusOf(id)).toBe("active");
  await services.editService(owner, id, { ...input, originPort: "1" }, RULES);
  await acknowledge(one.key, id, 2);
  expect(await statusOf(id)).toBe("configuring");
  // Two minutes pass for the second one.
  await sql("update edge_nodes set last_heard_at = last_heard_at - interval '2 minutes' where id = $1", [two.id]);
  await watchFor();
  await expect.poll(() => statusOf(id)).toBe("active");
  // It comes back, and lacks what it missed.
  await get(two.key);
  await expect.poll(() => statusOf(id)).toBe("configuring");
  await acknowledge(two.key, id, 2);
  expect(await statusOf(id)).toBe("active");
  // Deletion waits for both nodes, although one lost its disk and with it the service. It also waits for a third node, which
  // never had the service, until that node fetched the configuration without it.
  const three = await newNode();
  await report(three.key, {});
  await services.deleteService(owner, id, "Survival");
  await acknowledge(one.key, id, null);
  expect(await statusOf(id)).toBe("deleting");
  const { etag } = await get(two.key);
  await get(two.key, { "If-None-Match": etag });
  expect(await statusOf(id)).toBe("deleting");
  await get(three.key, { "If-None-Match": etag });
  expect(await statusOf(id)).toBe("no row");
});

test("concurrent edits and acknowledgements end in the last version's status and lose no version", async () => {
  const owner = await newOwner();
  const [one, two] = [await newNode(), await newNode()];
  const { id, input } = await newService(owner);
  await get(one.key);
  const edits = Array.from({ length: 6 }, (_, n) =>
    services.editService(owner, id, { ...input, originPort: String(1000 + n) }, RULES),
  );
  const words = Array.from({ length: 16 }, (_, n) => acknowledge(n % 2 ? one.key : two.key, id, 1 + (n % 7)));
  const answers = await Promise.all([...words, ...edits]);
  expect(answers.filter((answer) => "status" in answer && answer.status !== 200)).toEqual([]);
  const { config_version: version } = (await stateOf(id)) ?? {};
  expect(version).toBe(7);
  await Promise.all([acknowledge(one.key, id, 7), acknowledge(two.key, id, 7)]);
  expect(await statusOf(id)).toBe("active");
  // Deletes a service while both nodes answer, then creates another one under the same hostname. It inherits nothing.
  const [, ...others] = await Promise.all([
    services.deleteService(owner, id, "Survival"),
    acknowledge(one.key, id, 7),
    acknowledge(two.key, id, 7),
  ]);
  expect(others.map(({ status }) => status)).toEqual([200, 200]);
  expect(await statusOf(id)).toBe("deleting");
  const refused = await services.createService(owner, input, RULES);
  expect(refused).toMatchObject({ kind: "invalid", field: "javaHostname" });
  await Promise.all([acknowledge(one.key, id, null), acknowledge(two.key, id, null)]);
  expect(await statusOf(id)).toBe("no row");
  const again = await newService(owner, input.javaHostname);
  expect(again.id).not.toBe(id);
  expect(await stateOf(again.id)).toMatchObject({ status: "pending_config", config_version: 1 });
  await acknowledge(one.key, id, 7);
  expect(await statusOf(again.id)).toBe("pending_config");
});

test("an owner can make 30 versions in ten minutes, without limiting other owners", async () => {
  const [owner, other] = [await newOwner(), await newOwner()];
  const { id, input } = await newService(owner);
  const edit = (n: number) => services.editService(owner, id, { ...input, originPort: String(1000 + n) }, RULES);
  const results = [];
  // The creation was the first change.
  for (let n = 0; n < 32; n++) results.push(await edit(n));
  expect(results.filter(({ kind }) => kind === "changed")).toHaveLength(29);
  const message = "Game services of this account were changed very often just now. Try again in 10 minutes.";
  expect(results.slice(29)).toEqual([1, 2, 3].map(() => ({ kind: "invalid", field: "form", message })));
  expect(await stateOf(id)).toMatchObject({ config_version: 30 });
  await newService(other);
});

import { expect, test } from "vitest";
import { edgeNodesInProcess } from "@/e2e/support/edge-in-process";
import { RULES } from "@/e2e/support/edge-nodes";
import { MINUTE } from "@/lib/format/time";
import * as nodes from "@/lib/game-services/edges/nodes";
import { watchNodes } from "@/lib/game-services/events/watch";
import * as services from "@/lib/game-services/management";

// Each status, change and silent node is an event of its game service.

const { sql, newNode, newOwner, newService, get, acknowledge, watchFor } = edgeNodesInProcess();

const SPAN =
  "(date_part('epoch', started_at) * 1000)::float8 as \"from\", (date_part('epoch', ended_at) * 1000)::float8 as \"to\"";
const eventsOf = (id: number) =>
  sql<{ kind: string; from: number; to: number | null; facts: Record<string, unknown> }>(
    `select kind, facts, ${SPAN} from events where subject = 'service' and subject_id = $1 order by started_at, id`,
    [id],
  );
const STATUSES = ["pending_config", "configuring", "active", "failed", "disabled", "deleting"];
const statusesOf = async (id: number) => (await eventsOf(id)).filter(({ kind }) => STATUSES.includes(kind));

test("each status of a service is an event, and each change names its account", async () => {
  const owner = await newOwner();
  const node = await newNode();
  const { id, input } = await newService(owner);
  await get(node.key);
  await acknowledge(node.key, id, 1);
  await services.editService(owner, id, { ...input, name: "Creative", originPort: "25570" }, RULES);
  await acknowledge(node.key, id, 2, "no route to 192.0.2.80");
  await acknowledge(node.key, id, 2, "another reason");
  await acknowledge(node.key, id, 2);
  const statuses = await statusesOf(id);
  expect(statuses.map(({ kind, facts }) => [kind, facts])).toEqual([
    ["pending_config", {}],
    ["configuring", {}],
    ["active", {}],
    ["configuring", {}],
    // One failure, whatever its reasons.
    ["failed", { error: `${node.name}: another reason` }],
    ["active", {}],
  ]);
  // Without a gap, and the last one goes on.
  expect(statuses.map(({ to }) => to)).toEqual([...statuses.slice(1).map(({ from }) => from), null]);

  await services.setRealIps(owner, id, true);
  await services.setRealIps(owner, id, true);
  await services.setOfflineText(owner, id, "Back soon");
  await services.setServiceWish(owner, id, "off");
  await services.setServiceWish(owner, id, "on");
  await services.retryService(owner, id);
  expect(await services.editService(await newOwner(), id, input, RULES)).toEqual({ kind: "not-found" });
  const access = await import("@/lib/game-services/access");
  for (const isAllowed of [true, true, false]) expect(await access.allowSupport(owner, id, isAllowed)).toBe(true);
  expect(await access.allowSupport(await newOwner(), id, true)).toBe(false);
  await access.shareService(owner, id, "ann@example.com");
  for (const _ of [1, 2]) await access.unshareService(owner, id, "ann@example.com");
  await services.deleteService(owner, id, "Creative");
  const changes = (await eventsOf(id)).filter(({ facts }) => "by" in facts);
  expect(changes.map(({ kind, facts: { what } }) => [kind, what])).toEqual([
    ["created", undefined],
    ["settings_changed", "name, origin"],
    ["settings_changed", "ips of players"],
    ["settings_changed", "text while away"],
    ["turned_off", undefined],
    ["turned_on", undefined],
    ["retried", undefined],
    ["access_changed", "support may see it"],
    ["access_changed", "support may no longer see it"],
    ["access_changed", "shared with an e-mail"],
    ["access_changed", "no longer shared with an e-mail"],
    ["deletion_asked", undefined],
  ]);
  for (const { from, to, facts } of changes) expect([facts.by, to]).toEqual([owner, from]);
});

test("a node that falls silent is an event of its services until heard again", async () => {
  const owner = await newOwner();
  const [one, two] = [await newNode(), await newNode()];
  const { id } = await newService(owner);
  const other = await newService(owner);
  await get(one.key);
  await get(two.key);
  await acknowledge(one.key, id, 1);
  await acknowledge(two.key, id, 1);
  await acknowledge(one.key, other.id, 1);
  const silences = async (of: number) => (await eventsOf(of)).filter(({ kind }) => kind === "node_silent");
  const unserved = async () =>
    (await eventsOf(id)).filter(({ kind }) => kind === "unserved").map(({ from, to }) => ({ from, to }));
  const silentSince = async ({ id: nodeId }: { id: number }, seconds: number) => {
    const [row] = await sql<{ at: number }>(
      `update edge_nodes set last_heard_at = now() - $2 * interval '1 s' where id = $1
        returning (date_part('epoch', last_heard_at) * 1000)::float8 as at`,
      [nodeId, seconds],
    );
    return (row?.at ?? 0) + 2 * MINUTE;
  };
  const from = await silentSince(two, 125);
  await watchFor();
  const facts = { node: two.name, node_id: two.id };
  await expect.poll(() => silences(id)).toEqual([{ kind: "node_silent", facts, from, to: null }]);
  const before = Date.now();
  await get(two.key);
  await expect.poll(async () => (await silences(id))[0]?.to).toBeGreaterThanOrEqual(before);
  expect((await silences(id))[0]?.to).toBeLessThanOrEqual(Date.now());
  expect([await silences(other.id), await unserved()]).toEqual([[], []]);

  await silentSince(one, 500);
  const second = await silentSince(two, 130);
  // Nobody is judged before the first beat after the console was away, however long it judged before.
  await sql("update heartbeat set beat_at = now() - interval '31 s'");
  await watchNodes();
  expect(await sql("select 1 from edge_nodes where not is_live")).toEqual([]);
  await watchFor();
  await expect.poll(async () => (await silences(id)).map(({ from }) => from)).toContain(second);
  await expect.poll(() => silences(other.id)).toHaveLength(1);
  await expect.poll(unserved).toEqual([{ from: second, to: null }]);
  await nodes.removeNode(one.id);
  expect((await silences(other.id))[0]?.to).not.toBeNull();

  // After its own absence the console judges nobody, and no silence begins before it judges again.
  await get(two.key);
  await expect.poll(async () => (await silences(id)).filter(({ to }) => to === null)).toEqual([]);
  const [known, wasUnserved] = [await silences(id), await unserved()];
  expect(wasUnserved).toEqual([{ from: second, to: expect.any(Number) }]);
  const three = await newNode();
  await get(three.key);
  await silentSince(two, 300);
  await watchFor("-100 s");
  expect(await silences(id)).toEqual(known);
  await watchFor("20 s");
  await expect.poll(async () => (await silences(id)).length).toBe(known.length + 1);
  const ofAbsence = (await silences(id)).find(({ to }) => to === null);
  expect(Math.abs(Date.now() - 20_000 - (ofAbsence?.from ?? 0))).toBeLessThan(MINUTE);
  await get(two.key);
  await expect.poll(async () => (await silences(id)).filter(({ to }) => to === null)).toEqual([]);
  const knownUnserved = await unserved();

  // The last one that had it is removed; the live one has nothing yet.
  await nodes.removeNode(two.id);
  expect(await unserved()).toEqual([...knownUnserved, { from: expect.any(Number), to: null }]);
  await acknowledge(three.key, id, 1);
  expect(await unserved()).toEqual([...knownUnserved, { from: expect.any(Number), to: expect.any(Number) }]);
  // Of one that its owner turned off nobody is missing.
  await services.setServiceWish(owner, id, "off");
  await nodes.removeNode(three.id);
  expect(await unserved()).toHaveLength(knownUnserved.length + 1);
});

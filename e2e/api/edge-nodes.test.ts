import pg from "pg";
import { afterEach, beforeAll, expect, test } from "vitest";
import { answer, call } from "@/e2e/support/ask";
import { ENDPOINT_PATHS } from "@/e2e/support/calls";
import { CONFIGURATION, edgeNodesAt, interval, RULES, thisMinute } from "@/e2e/support/edge-nodes";
import { unique } from "@/e2e/support/factories";
import { MINUTE } from "@/lib/format/time";
import * as nodes from "@/lib/game-services/edges/nodes";
import { watchNodes } from "@/lib/game-services/events/watch";
import { MAX_KEPT_HOSTNAMES } from "@/lib/game-services/hostnames";
import * as services from "@/lib/game-services/management";
import { mintToken } from "@/lib/tokens/format";

// The endpoints of edge nodes, and how their reports change the status of a service.

const { added, sql, newNode, newOwner, newService, get, report, acknowledge, stateOf, statusOf, clear } = edgeNodesAt(
  process.env.DATABASE_URL ?? "",
  answer,
  { nodes, services },
);

beforeAll(clear);
afterEach(clear);
// An absence of the console would count as heard time of the servers of later files.
afterEach(() => sql("delete from heartbeat"));

test("a service goes from its form to active and back out of the world, each status as its nodes say", async () => {
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

test("a service that no node ever fetched is deleted at once, and without a live node nothing else moves", async () => {
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

test("two nodes: all live ones must have a version, a silent one blocks nobody, and a new one is waited for", async () => {
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
  // Two minutes pass for the second one; the first one notices.
  await sql("update edge_nodes set last_heard_at = last_heard_at - interval '2 minutes' where id = $1", [two.id]);
  await get(one.key);
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

const SPAN =
  "(date_part('epoch', started_at) * 1000)::float8 as \"from\", (date_part('epoch', ended_at) * 1000)::float8 as \"to\"";
const eventsOf = (id: number) =>
  sql<{ kind: string; from: number; to: number | null; facts: Record<string, unknown> }>(
    `select kind, facts, ${SPAN} from events where subject = 'service' and subject_id = $1 order by started_at, id`,
    [id],
  );
const STATUSES = ["pending_config", "configuring", "active", "failed", "disabled", "deleting"];
const statusesOf = async (id: number) => (await eventsOf(id)).filter(({ kind }) => STATUSES.includes(kind));

test("each status of a service with its error is an event until the next one, and each change is one with the account that made it", async () => {
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
    ["failed", { error: `${node.name}: no route to 192.0.2.80` }],
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

test("a node that falls silent is an event of the services that it had, from two minutes after it was last heard until it is heard again, noticed where nobody asks; a silence that only the console's absence made is none. An active service is unserved while no live node has it", async () => {
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
  await get(one.key);
  const facts = { node: two.name, node_id: two.id };
  await expect.poll(() => silences(id)).toEqual([{ kind: "node_silent", facts, from, to: null }]);
  const before = Date.now();
  await get(two.key);
  await expect.poll(async () => (await silences(id))[0]?.to).toBeGreaterThanOrEqual(before);
  expect((await silences(id))[0]?.to).toBeLessThanOrEqual(Date.now());
  expect([await silences(other.id), await unserved()]).toEqual([[], []]);

  // Both fall silent, so no request of a node notices it.
  await silentSince(one, 500);
  const second = await silentSince(two, 130);
  await watchNodes(Date.now());
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
  const judges = (from: string) =>
    sql(`insert into heartbeat (id, beat_at, judges_from) values (1, now(), now() + interval '${from}')
      on conflict (id) do update set judges_from = excluded.judges_from`);
  await judges("100 s");
  const three = await newNode();
  await get(three.key);
  await silentSince(two, 300);
  await watchNodes(Date.now());
  await get(three.key);
  expect(await silences(id)).toEqual(known);
  await judges("-20 s");
  await watchNodes(Date.now());
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

test("there are at most a thousand nodes with ten working keys each, and one acknowledgement of a service by a node however often it reports", async () => {
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

test("races: edits while nodes acknowledge, many at once, end in the status of the last version, and no version is lost", async () => {
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

test("one account's hostname is nobody else's; a claim that was never active lapses after 7 days; of doubles by other writers the lowest id is served", async () => {
  const [first, second] = [await newOwner(), await newOwner()];
  const node = await newNode();
  const { id, input } = await newService(first);
  const refused = await services.createService(second, { ...input, name: "Mine" }, RULES);
  expect(refused).toEqual({
    kind: "invalid",
    field: "javaHostname",
    message: "Another service has this public hostname. Choose another one.",
  });
  // Many at once for one name: one gets it.
  const javaHostname = `${unique("race")}.example.com`;
  const race = await Promise.all(
    Array.from({ length: 8 }, () => services.createService(second, { ...input, javaHostname }, RULES)),
  );
  expect(race.filter(({ kind }) => kind === "created")).toHaveLength(1);
  await sql("update hostname_claims set claimed_at = now() - interval '7 days 1 minute' where service_id = $1", [id]);
  const taken = await services.createService(second, input, RULES);
  expect(taken.kind).toBe("created");
  // The owner of the service that lost the hostname sees an error.
  const served = (await get(node.key)).json.data.services as { id: number }[];
  expect(served.map((service) => service.id)).not.toContain(id);
  await expect
    .poll(() => stateOf(id))
    .toMatchObject({ status: "failed", error: "Another service has this public hostname." });
  // Other programs may write the same hostname twice.
  const doubled = `${unique("double")}.example.com`;
  const rows = await sql<{ id: number }>(
    `insert into game_services (account_id, name, java_hostname, origin_host, origin_port)
    select $1, 'Theirs', case when i = 2 then upper($2) else $2 end, '192.0.2.9', 25565 from generate_series(1, 3) i
    returning id`,
    [first, doubled],
  );
  const [lowest = 0, middle = 0, highest = 0] = rows.map((row) => row.id);
  await sql("update game_services set java_hostname = 'x' || chr(10) || 'y.example.com' where id = $1", [highest]);
  const list = (await get(node.key)).json.data.services as { id: number }[];
  expect(list.map((service) => service.id)).toContain(lowest);
  expect(list.map((service) => service.id)).not.toContain(middle);
  expect(list.map((service) => service.id)).not.toContain(highest);
  await expect.poll(() => statusOf(middle)).toBe("failed");
  await expect.poll(() => statusOf(highest)).toBe("failed");
  expect(await statusOf(lowest), "as its writer left it").toBe("pending_config");
  await acknowledge(node.key, lowest, 1);
  expect(await statusOf(lowest)).toBe("active");
});

test("a hostname that was active stays its account's for 7 days after a rename or deletion, for 20 hostnames at most", async () => {
  const [first, second] = [await newOwner(), await newOwner()];
  const node = await newNode();
  const { id, input } = await newService(first);
  const activate = async (service: number) => {
    await get(node.key);
    await acknowledge(node.key, service, (await stateOf(service))?.config_version ?? 0);
    expect(await statusOf(service)).toBe("active");
  };
  const rename = (javaHostname: string) => services.editService(first, id, { ...input, javaHostname }, RULES);
  const create = (owner: number, javaHostname: string) =>
    services.createService(owner, { ...input, name: "Survival", javaHostname }, RULES);
  await activate(id);
  expect((await rename(`${unique("renamed")}.example.com`)).kind).toBe("changed");
  await activate(id);
  expect(await create(second, input.javaHostname)).toMatchObject({ kind: "invalid", field: "javaHostname" });
  // Written by another program, it is not served for somebody else either.
  const [foreign] = await sql<{ id: number }>(
    `insert into game_services (account_id, name, java_hostname, origin_host, origin_port)
     values ($1, 'Theirs', $2, '192.0.2.9', 25565) returning id`,
    [second, input.javaHostname],
  );
  const served = (await get(node.key)).json.data.services as { id: number }[];
  expect(served.map((service) => service.id)).not.toContain(foreign?.id);
  await sql("delete from game_services where id = $1", [foreign?.id]);
  // The way back is open, and another service of the account may take what it left.
  expect((await rename(input.javaHostname)).kind).toBe("changed");
  await activate(id);
  await services.deleteService(first, id, "Survival");
  await acknowledge(node.key, id, null);
  expect(await statusOf(id)).toBe("no row");
  expect(await create(second, input.javaHostname)).toMatchObject({ kind: "invalid", field: "javaHostname" });
  const other = await create(first, input.javaHostname);
  if (other.kind !== "created") throw new Error(JSON.stringify(other));
  await activate(other.id);
  await services.deleteService(first, other.id, "Survival");
  await acknowledge(node.key, other.id, null);

  const kept = () =>
    sql<{ hostname: string }>("select hostname from hostname_claims where account_id = $1 order by released_at", [
      first,
    ]);
  const [oldest] = await kept();
  await sql(
    `insert into hostname_claims (hostname, account_id, claimed_at, active_at, released_at)
     select $2 || n || '.example.com', $1, now(), now(), now() - interval '1 day' + n * interval '1 second'
     from generate_series(1, $3::int) n`,
    [first, unique("kept"), MAX_KEPT_HOSTNAMES - (await kept()).length],
  );
  const [{ hostname: leaves } = { hostname: "" }] = await kept();
  expect(leaves).not.toBe(oldest?.hostname);
  const last = await newService(first);
  await activate(last.id);
  await services.editService(first, last.id, { ...last.input, javaHostname: `${unique("away")}.example.com` }, RULES);
  const after = (await kept()).map(({ hostname }) => hostname);
  expect(after).toHaveLength(MAX_KEPT_HOSTNAMES);
  expect(after).not.toContain(leaves);
  expect(after).toContain(last.input.javaHostname);

  await sql("update hostname_claims set released_at = now() - interval '7 days 1 minute' where hostname = $1", [
    input.javaHostname,
  ]);
  expect((await create(second, input.javaHostname)).kind).toBe("created");
});

test("a node says what it serves of a version that it refuses, and warns without a change of the status; older nodes say neither", async () => {
  const owner = await newOwner();
  const node = await newNode();
  const { id, input } = await newService(owner);
  await get(node.key);
  const say = (version: number, words: object) =>
    report(node.key, { acknowledgements: [{ service_id: id, version, error: null, ...words }] });
  const warning =
    "origin.example.com has not been found in DNS since 2026-11-23 09:04 UTC; this node goes on with 192.0.2.80.";
  expect((await say(1, { serving_version: 1, warning })).status).toBe(200);
  expect(await stateOf(id)).toMatchObject({ status: "active", error: null });
  expect(await sql("select serving_version, warning from edge_acknowledgements where service_id = $1", [id])).toEqual([
    { serving_version: 1, warning },
  ]);
  await services.editService(owner, id, { ...input, originPort: "1" }, RULES);
  await say(2, { error: "The origin cannot be found in DNS.", serving_version: 1, warning: null });
  expect(await stateOf(id)).toMatchObject({
    status: "failed",
    error: `${node.name}: The origin cannot be found in DNS. Players still reach version 1.`,
  });
  // A program of before these fields.
  expect((await say(2, { error: "no route" })).status).toBe(200);
  expect(await stateOf(id)).toMatchObject({ status: "failed", error: `${node.name}: no route` });
  for (const words of [
    { serving_version: -1 },
    { serving_version: "1" },
    { warning: "a".repeat(513) },
    { warning: "\n" },
  ]) {
    expect((await say(2, words)).status, JSON.stringify(words)).toBe(400);
  }

  // The console itself refuses a version that another program wrote: nodes are told to keep what they have.
  await sql("update game_services set origin_host = 'a b', config_version = 3 where id = $1", [id]);
  const problem = "This origin is neither a DNS name nor an IP.";
  const { data } = (await get(node.key)).json;
  expect(data.services.map((service: { id: number }) => service.id)).not.toContain(id);
  expect(data.held).toContainEqual({ id, version: 3, problem });
  await say(3, { error: problem, serving_version: 1 });
  await expect
    .poll(() => stateOf(id))
    .toMatchObject({ status: "failed", error: `${problem} Players still reach version 1.` });
  await services.setServiceWish(owner, id, "off");
  expect((await get(node.key)).json.data.held ?? []).not.toContainEqual(expect.objectContaining({ id }));
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

test("a request that waits is answered within seconds of a change, and with 304 after its time", async () => {
  const owner = await newOwner();
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
  const { id } = await newService(owner);
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

test("a change in the very moment in which a node begins to wait is not slept through", async ({ skip }) => {
  skip(!process.env.E2E_POSTGRES_URL, "the embedded database has one session");
  const owner = await newOwner();
  const [first, second] = [await newNode(), await newNode()];
  const [kept, gone] = [await newService(owner), await newService(owner)];
  await report(second.key, {});
  const known = await get(first.key);
  await acknowledge(first.key, gone.id, 1);
  await services.deleteService(owner, gone.id, "Survival");
  const { etag } = await get(first.key, { "If-None-Match": known.etag });
  await expect.poll(() => sql("select 1 from edge_nodes where unsettled_since is not null")).toEqual([]);
  // Somebody else locks the deleted service, so the second node's request stops between its look and its wait.
  const other = new pg.Client(process.env.DATABASE_URL);
  await other.connect();
  try {
    await other.query("begin");
    await other.query("select from game_services where id = $1 for update", [gone.id]);
    const waits = get(second.key, { "If-None-Match": etag, Prefer: "wait=25" });
    await expect
      .poll(() => sql("select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))
      .toHaveLength(1);
    await services.editService(owner, kept.id, { ...kept.input, originPort: "1" }, RULES);
    // The console learns of the change when the first node asks.
    const { etag: next } = await get(first.key, { "If-None-Match": known.etag });
    await other.query("rollback");
    expect(next).not.toBe(etag);
    expect(await waits).toMatchObject({ status: 200, etag: next });
  } finally {
    await other.end();
  }
});

test("the wait of a node that is removed meanwhile ends without the next configuration", async () => {
  const owner = await newOwner();
  const [removed, stays] = [await newNode(), await newNode()];
  const { etag } = await get(removed.key);
  const waits = [removed, stays].map(({ key }) => get(key, { "If-None-Match": etag, Prefer: "wait=25" }));
  await expect.poll(() => sql("select 1 from edge_nodes where is_live")).toHaveLength(2);
  await nodes.removeNode(removed.id);
  const { id } = await newService(owner);
  const [ofRemoved, ofOther] = await Promise.all(waits);
  expect([ofRemoved?.status, ofRemoved?.text]).toEqual([304, ""]);
  expect(ofOther?.json.data.services).toMatchObject([{ id }]);
  expect((await get(removed.key)).status).toBe(401);
});

test("a node that comes, falls silent or is removed writes the services whose status changes, and no others", async () => {
  const owner = await newOwner();
  const [one, two] = [await newNode(), await newNode()];
  await sql(
    `insert into game_services (account_id, name, java_hostname, origin_host, origin_port, config_version, wish, status,
       first_fetched_at)
     select $1, 'Many', 'row-' || i || '.example.com', '192.0.2.1', i, 1, 'on', 'active', now() from generate_series(1, 450) i`,
    [owner],
  );
  // The second node lacks three of them, in different batches.
  await sql(
    `insert into edge_acknowledgements (service_id, node_id, version)
     select s.id, n.id, 1 from game_services s, edge_nodes n
     where n.id = $1 or n.id = $2 and s.origin_port not in (1, 250, 450)`,
    [one.id, two.id],
  );
  await get(one.key);
  const rows = () =>
    sql<{ port: number; row: string; status: string }>(
      `select origin_port as port, xmin::text || updated_at as row, status::text from game_services
       order by origin_port`,
    );
  const settled = () =>
    expect.poll(() => sql("select 1 from edge_nodes where unsettled_since is not null")).toEqual([]);
  let before = await rows();
  expect(new Set(before.map(({ status }) => status))).toEqual(new Set(["active"]));
  for (const [change, status] of [
    [() => get(two.key), "configuring"],
    [() => sql("update edge_nodes set last_heard_at = now() - interval '2 minutes' where id = $1", [two.id]), "active"],
    [() => get(two.key), "configuring"],
    [() => nodes.removeNode(two.id), "active"],
  ] as const) {
    await change();
    // Looks for silent nodes, too.
    await get(one.key);
    await expect.poll(async () => (await rows())[449]?.status).toBe(status);
    await settled();
    const after = await rows();
    const written = after.filter(({ row }, index) => row !== before[index]?.row);
    expect(written.map(({ port, status }) => [port, status])).toEqual([1, 250, 450].map((port) => [port, status]));
    before = after;
  }
});

test("a node that asks or reports too often is told when to come again, and the others go on", async () => {
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

test("intervals of a service that the node has are stored once; those of gone and foreign ones are dropped and counted", async () => {
  const owner = await newOwner();
  const [node, other] = [await newNode(), await newNode()];
  const { id } = await newService(owner);
  await get(node.key);
  await acknowledge(node.key, id, 1);
  const ts = thisMinute() - 2 * MINUTE;
  const intervals = [interval(id, ts), interval(id, ts - MINUTE), interval(id, ts), interval(2 ** 31 - 1, ts)];
  expect((await report(node.key, { intervals })).json).toEqual({ data: { stored: 2, dropped: 1 } });
  expect((await report(node.key, { intervals: intervals.slice(0, 3) })).json).toEqual({ data: { stored: 0 } });
  // A node that never had the service counts nothing of it.
  expect((await report(other.key, { intervals: [interval(id, ts)] })).json).toEqual({
    data: { stored: 0, dropped: 1 },
  });
  const rows = await sql("select node_id, packets, bytes, dropped, connections, latency_ms from metric_samples");
  const counted = { packets: "1", bytes: "2", dropped: "3", connections: "4", latency_ms: 12.5 };
  expect(rows).toEqual([
    { node_id: node.id, ...counted },
    { node_id: node.id, ...counted },
  ]);
  // The node goes, what it counted stays.
  await nodes.removeNode(node.id);
  expect(await sql("select 1 from metric_samples")).toHaveLength(2);
});

test("a report is taken whole or refused in one sentence that names what is wrong", async () => {
  const owner = await newOwner();
  const node = await newNode();
  const { id } = await newService(owner);
  await get(node.key);
  const ts = thisMinute() - 3 * MINUTE;
  const good = interval(id, ts);
  const acknowledgement = { service_id: id, version: 1, error: null };
  for (const [body, message] of [
    ["", /^The body is not JSON\.$/],
    ["[]", /must be a JSON object/],
    [{ intervals: {} }, /^intervals: /],
    [{ more: 1 }, /^more: is not a field of a report\.$/],
    [{ intervals: [{ ...good, extra: 1 }] }, /^intervals\.0\.extra: is not a field of a report\.$/],
    [{ intervals: [good, { ...good, packets: -1 }] }, /^intervals\.1\.packets: /],
    [{ intervals: [{ ...good, bytes: 2 ** 53 }] }, /^intervals\.0\.bytes: /],
    [{ intervals: [{ ...good, bytes: 1.5 }] }, /^intervals\.0\.bytes: /],
    [{ intervals: [{ ...good, dropped: "1" }] }, /^intervals\.0\.dropped: /],
    [{ intervals: [{ ...good, latency_ms: -1 }] }, /^intervals\.0\.latency_ms: /],
    [{ intervals: [{ ...good, latency_ms: 1e9 }] }, /^intervals\.0\.latency_ms: /],
    [{ intervals: [{ ...good, service_id: 0 }] }, /^intervals\.0\.service_id: /],
    [{ intervals: [{ ...good, ts: ts + 1 }] }, /^intervals\.0\.ts: is not the beginning of a minute\.$/],
    [{ intervals: [{ ...good, ts: thisMinute() + MINUTE }] }, /^intervals\.0\.ts: is of a minute that has not ended/],
    [{ intervals: [{ ...good, ts: ts + 60 * MINUTE }] }, /Check this machine's clock\.$/],
    [
      { intervals: [{ ...good, ts: thisMinute() - 122 * MINUTE }] },
      /^intervals\.0\.ts: is 12\d minutes old, and 2 hours/,
    ],
    [{ intervals: Array.from({ length: 1001 }, () => good) }, /^intervals: has more than 1000 entries\.$/],
    [{ acknowledgements: [{ service_id: id, version: 1 }] }, /^acknowledgements\.0\.error: /],
    [{ acknowledgements: [{ ...acknowledgement, version: -1 }] }, /^acknowledgements\.0\.version: /],
    [{ acknowledgements: [{ ...acknowledgement, error: "a\nb" }] }, /^acknowledgements\.0\.error: holds control/],
    [{ acknowledgements: [{ ...acknowledgement, error: "\ud800" }] }, /^acknowledgements\.0\.error: holds control/],
    [{ acknowledgements: [{ ...acknowledgement, error: "a\u202Eb" }] }, /^acknowledgements\.0\.error: holds control/],
    [{ acknowledgements: [{ ...acknowledgement, error: "a\u0000b" }] }, /^acknowledgements\.0\.error: holds control/],
    [{ acknowledgements: [{ ...acknowledgement, error: "x".repeat(257) }] }, /^acknowledgements\.0\.error: /],
  ] as [unknown, RegExp][]) {
    const answer = await report(node.key, body);
    expect(answer.json, JSON.stringify(body).slice(0, 90)).toEqual({ error: expect.stringMatching(message) });
    expect(answer.status).toBe(400);
  }
  expect((await report(node.key, { intervals: [{ ...good, latency_ms: null }] })).status).toBe(200);
  expect((await report(node.key, " ".repeat(256 * 1024 + 1))).json).toEqual({
    error: "The body is larger than 256 KB.",
  });
  for (const headers of [{ "Content-Type": "text/plain" }, { "Content-Encoding": "gzip" }] as Record<
    string,
    string
  >[]) {
    expect((await report(node.key, "{}", { headers })).status).toBe(415);
  }
  expect(await sql("select 1 from metric_samples")).toHaveLength(0);
  // Ignores a version that does not exist.
  await acknowledge(node.key, id, 99);
  expect(await statusOf(id)).toBe("configuring");
});

/** What a line of 100 Gbit/s carries in a minute, both ways: bytes, frames of 84 bytes, and three of them for a connection. */
const MOST = { bytes: 1.5e12, packets: 17_857_142_857, dropped: 17_857_142_857, connections: 5_952_380_952 };

test("a node reports no more than its line carries in a minute, over all services and reports; what was told twice counts once", async () => {
  const owner = await newOwner();
  const [node, other] = [await newNode(), await newNode()];
  const [a, b] = [await newService(owner), await newService(owner)];
  for (const { key } of [node, other]) {
    await get(key);
    for (const { id } of [a, b]) await acknowledge(key, id, 1);
  }
  const ts = thisMinute() - 3 * MINUTE;
  const nothing = { packets: 0, bytes: 0, dropped: 0, connections: 0, latency_ms: null };
  const said = (id: number, figures: object, at = ts) => ({ service_id: id, ts: at, ...nothing, ...figures });
  const refusal = (index: number, counter: keyof typeof MOST, total: number) => ({
    error:
      `intervals.${index}.${counter}: with it the node counted ${total} in this minute, all services together, and ` +
      `a line of 100 Gbit/s (EDGE_LINE_GBIT) carries ${MOST[counter]} at most.`,
  });
  for (const [place, counter] of (["bytes", "packets", "dropped", "connections"] as const).entries()) {
    const at = ts - place * MINUTE;
    const most = MOST[counter];
    const send = (key: string, intervals: object[], acknowledgements: object[] = []) =>
      report(key, { intervals, acknowledgements });
    // In one report, of one service or of several.
    const alone = await send(node.key, [said(a.id, {}, at), said(b.id, { [counter]: most + 1 }, at)]);
    expect([alone.status, alone.json]).toEqual([400, refusal(1, counter, most + 1)]);
    const both = await send(node.key, [said(a.id, { [counter]: most }, at), said(b.id, { [counter]: 1 }, at)]);
    expect([both.status, both.json]).toEqual([400, refusal(0, counter, most + 1)]);
    // Over several reports. Told again, it is the same.
    for (const stored of [1, 0]) {
      expect((await send(node.key, [said(a.id, { [counter]: most }, at)])).json).toEqual({ data: { stored } });
    }
    const failed = { service_id: b.id, version: 1, error: "refused with its report" };
    const more = await send(node.key, [said(b.id, { [counter]: 1 }, at)], [failed]);
    expect([more.status, more.json]).toEqual([400, refusal(0, counter, most + 1)]);
    expect(await stateOf(b.id), "a refused report leaves nothing").toMatchObject({ status: "active" });
    // Other minutes and other nodes have lines of their own.
    expect((await send(node.key, [said(b.id, { [counter]: 1 }, at - 10 * MINUTE)])).json).toEqual({
      data: { stored: 1 },
    });
    expect((await send(other.key, [said(b.id, { [counter]: most }, at)])).json).toEqual({ data: { stored: 1 } });
  }
  const minutes = await sql<{ node_id: number; count: number }>(
    "select node_id, count(*)::int from edge_node_minutes group by node_id order by node_id",
  );
  expect(minutes).toEqual([
    { node_id: node.id, count: 8 },
    { node_id: other.id, count: 4 },
  ]);
  // The largest report there can be, with figures of nonsense, is refused before anything is stored.
  const nonsense = Array.from({ length: 1000 }, () => said(a.id, { bytes: 2 ** 53 - 1 }, ts - 60 * MINUTE));
  expect((await report(node.key, { intervals: nonsense })).json).toEqual(refusal(0, "bytes", 2 ** 53 - 1));
});

test("reports of one node that arrive at once cannot pass the cap of its line together", async () => {
  const owner = await newOwner();
  const node = await newNode();
  const made = [];
  for (let index = 0; index < 8; index++) made.push(await newService(owner));
  await get(node.key);
  for (const { id } of made) await acknowledge(node.key, id, 1);
  const ts = thisMinute() - 3 * MINUTE;
  const answers = await Promise.all(
    made.map(({ id }) => report(node.key, { intervals: [{ ...interval(id, ts), bytes: MOST.bytes / 4 }] })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 400, 400, 400, 400]);
  const [sum] = await sql("select sum(bytes)::float8 as bytes from metric_samples");
  expect(sum).toEqual({ bytes: MOST.bytes });
});

test("a node key reads the configuration and reports, and nothing else; other keys and those of removed nodes do neither", async () => {
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
  const checkIn = await answer("/ingest/v1/check-ins", {
    method: "POST",
    headers: { Authorization: `Bearer ${node.key}`, "Content-Type": "application/json" },
    body: "{}",
  });
  expect(checkIn.status).toBe(401);
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

test("an owner who edits in a loop makes 30 versions in ten minutes, and not one more; other owners go on", async () => {
  const [owner, other] = [await newOwner(), await newOwner()];
  const { id, input } = await newService(owner);
  const edit = (n: number) => services.editService(owner, id, { ...input, originPort: String(1000 + n) }, RULES);
  const results = [];
  // The creation was the first change.
  for (let n = 0; n < 32; n++) results.push(await edit(n));
  expect(results.filter(({ kind }) => kind === "changed")).toHaveLength(29);
  const message = "Game services of this account were changed very often just now. Try again in 10 minutes.";
  expect(results.slice(29)).toEqual([1, 2, 3].map(() => ({ kind: "too-often", message })));
  expect(await stateOf(id)).toMatchObject({ config_version: 30 });
  await newService(other);
});

import { expect, test, vi } from "vitest";
import { getData } from "@/e2e/support/ask";
import { edgeNodesInProcess } from "@/e2e/support/edge-in-process";
import { interval, RULES, thisMinute } from "@/e2e/support/edge-nodes";
import { newAccount } from "@/e2e/support/factories";
import { HOUR, MINUTE } from "@/lib/format/time";
import * as nodes from "@/lib/game-services/edges/nodes";
import * as services from "@/lib/game-services/management";
import { STANDINGS, type Standing, standingOf } from "@/lib/game-services/standing";
import { standingsOfNodes, standingsOfServices } from "@/lib/game-services/standings";

// What an edge node reports: acknowledgements, warnings and intervals.

const { sql, newNode, newOwner, newService, get, report, acknowledge, stateOf, statusOf } = edgeNodesInProcess();

test("a node can report what it still serves and warn without changing the status", async () => {
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
  for (const words of [
    { serving_version: -1 },
    { serving_version: "1" },
    { warning: "a".repeat(513) },
    { warning: "\n" },
  ]) {
    expect((await say(2, words)).status, JSON.stringify(words)).toBe(400);
  }

  // The console itself refuses a version whose hostname another service has: nodes are told to keep what they have.
  const { id: other } = await newService();
  await sql("update hostname_claims set service_id = $2 where service_id = $1", [id, other]);
  await sql("update game_services set config_version = 3 where id = $1", [id]);
  const problem = "Another service has this public hostname.";
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

test("intervals of a node's services are stored once; others are dropped and counted", async () => {
  const [node, other] = [await newNode(), await newNode()];
  const { id } = await newService();
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

test("intervals are judged and shown by PostgreSQL's time", async () => {
  const { id: owner, token } = await newAccount();
  const node = await newNode();
  const { id } = await newService(owner);
  await get(node.key);
  await acknowledge(node.key, id, 1);
  const ts = thisMinute() - MINUTE;
  for (const off of [-HOUR, 3 * HOUR]) {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + off });
    try {
      const told = await report(node.key, { intervals: [interval(id, ts)] });
      expect(told.json, `${off}`).toEqual({ data: { stored: off < 0 ? 1 : 0 } });
      const { series } = await getData<{ series: unknown[] }>(`/api/v1/game-services/${id}/metrics`, token);
      expect(series, `${off}`).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  }
});

test("a report is taken whole or refused in a sentence that names the fault", async () => {
  const node = await newNode();
  const { id } = await newService();
  await get(node.key);
  const ts = thisMinute() - 3 * MINUTE;
  const good = interval(id, ts);
  const acknowledgement = { service_id: id, version: 1, error: null };
  for (const [body, message] of [
    ["", /^The body is not JSON\.$/],
    ["[]", /must be a JSON object/],
    [`{"intervals":${"[".repeat(100_000)}`, /^The body is nested deeper than 32 levels\.$/],
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
    const answered = { status: 400, json: { error: expect.stringMatching(message) } };
    expect(await report(node.key, body), JSON.stringify(body).slice(0, 90)).toMatchObject(answered);
  }
  expect((await report(node.key, { intervals: [{ ...good, latency_ms: null }] })).status).toBe(200);
  expect((await report(node.key, " ".repeat(256 * 1024 + 1))).json).toEqual({
    error: "The body is larger than 256 KB.",
  });
  expect((await report(node.key, "{}", { headers: { "Content-Encoding": "gzip" } })).status).toBe(415);
  expect(await sql("select 1 from metric_samples")).toHaveLength(0);
  // Ignores a version that does not exist.
  await acknowledge(node.key, id, 99);
  expect(await statusOf(id)).toBe("configuring");
});

/** Services in every state, and what two live nodes said of each: version, -1 when they lack it, and error. */
const SAID: [status: string, version: number, hostname: string, ...([number, string | null] | null)[]][] = [
  ["active", 2, "active.example.com", [2, null], [2, null]],
  ["configuring", 3, "configuring.example.com", [3, null], [2, null]],
  ["failed", 5, "failed.example.com", [5, "no route"], [4, null]],
  ["failed", 2, "taken.example.com", null, [-1, null]],
  ["disabled", 1, "disabled.example.com", [1, null], [1, null]],
  ["pending_config", 1, "pending.example.com", null, [-1, null]],
  ["deleting", 4, "deleting.example.com", [4, null], [3, null]],
];

test("the standings that the database counts follow the rule of one standing", async () => {
  const owner = await newOwner();
  const nodeIds = [(await newNode()).id, (await newNode()).id];
  await sql("update edge_nodes set is_live = true where id = any($1)", [nodeIds]);
  const ofServices = new Map<number, Standing[]>();
  const ofNodes = new Map(nodeIds.map((id): [number, Standing[]] => [id, []]));
  for (const [status, configVersion, hostname, ...said] of SAID) {
    const [{ id } = { id: 0 }] = await sql<{ id: number }>(
      `insert into game_services (account_id, name, java_hostname, origin_host, origin_port, status, config_version, wish)
       values ($5, $2, $2, '192.0.2.80', 25565, $1::game_service_status, $3, $4::service_wish) returning id`,
      [status, hostname, configVersion, { disabled: "off", deleting: "gone" }[status] ?? "on", owner],
    );
    if (status === "active") await sql("insert into hostname_claims values ('taken.example.com', $1)", [id]);
    for (const [index, nodeId] of nodeIds.entries()) {
      const [version, error] = said[index] ?? [-1, null];
      if (said[index]) {
        const values = [id, nodeId, version, error];
        await sql(
          "insert into edge_acknowledgements (service_id, node_id, version, error) values ($1, $2, $3, $4)",
          values,
        );
      }
      const isWithheld = hostname.startsWith("taken");
      const standing = standingOf({ version: version < 0 ? null : version, error }, { configVersion, isWithheld });
      ofServices.set(id, [...(ofServices.get(id) ?? []), standing]);
      // No node is asked to serve what is being deleted.
      if (status !== "deleting") ofNodes.get(nodeId)?.push(standing);
    }
  }
  const counted = (all: Map<number, Standing[]>) =>
    new Map(
      [...all].map(([id, of]) => [
        id,
        Object.fromEntries(STANDINGS.map((one) => [one, of.filter((standing) => standing === one).length])),
      ]),
    );
  expect(new Set([...ofNodes.values()].flat())).toEqual(new Set(STANDINGS));
  expect(await standingsOfServices([...ofServices.keys()])).toEqual(counted(ofServices));
  expect(await standingsOfNodes(nodeIds)).toEqual(counted(ofNodes));
});

/** What a line of 100 Gbit/s carries in a minute, both ways: bytes, frames of 84 bytes, and three of them for a connection. */
const MOST = { bytes: 1.5e12, packets: 17_857_142_857, dropped: 17_857_142_857, connections: 5_952_380_952 };

test("a node cannot report more than its line carries in a minute", async () => {
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

test("concurrent reports of one node together cannot exceed what its line carries", async () => {
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

import { afterAll, afterEach, expect, test } from "vitest";
import { expectBreakable } from "@/e2e/support/breakable-ips";
import { startConsole } from "@/e2e/support/console-server";
import { CONFIGURATION, edgeNodesAt, interval, thisMinute } from "@/e2e/support/edge-nodes";
import { insertSession } from "@/e2e/support/insert-caller";
import { createTestDatabase } from "@/e2e/support/test-database";
import { type Part, Visitor } from "@/e2e/support/visitor";
import { MINUTE } from "@/lib/format/time";
import { describeStandings, STANDINGS, type Standing, type Standings } from "@/lib/game-services/standing";
import { serviceDnsPath } from "@/lib/page-paths";

// What pages say of edge nodes, and what only a console of its own shows of their endpoints. These tests have their own
// database, because every service in a database waits for its live nodes.

const database = await createTestDatabase();
const app = await startConsole(database.url);
const edge = edgeNodesAt(database.url, (path, init) => fetch(app.origin + path, init));
afterEach(() => edge.clear());
afterAll(async () => {
  await app.stop();
  await database.stop();
});

/** A visitor who is signed in as the account, in this database. */
const visitorOf = async (accountId: number) =>
  Visitor.withSession(app.origin, await insertSession(database.url, accountId));

test("a compressed configuration is the same", async () => {
  const { key } = await edge.newNode();
  const read = async (encoding: string) => {
    const headers = { Authorization: `Bearer ${key}`, "Accept-Encoding": encoding };
    const answer = await fetch(app.origin + CONFIGURATION, { headers });
    return [answer.headers.get("content-encoding"), await answer.text()];
  };
  const [encoding, plain] = await read("identity");
  expect(encoding).toBeNull();
  expect(await read("gzip")).toEqual(["gzip", plain]);
});

test("a node over ten times the median of a service's other nodes is marked", async () => {
  const { acknowledge, get, newNode, newOwner, newService, report, sql } = edge;
  const owner = await newOwner();
  const [quiet, usual, busy, forger] = [await newNode(), await newNode(), await newNode(), await newNode()];
  const { id } = await newService(owner);
  const { id: small } = await newService(owner);
  const ts = thisMinute() - 3 * MINUTE;
  const packets = new Map([
    [quiet, 10_000],
    [usual, 40_000],
    [busy, 400_000],
    [forger, 400_001],
  ]);
  for (const [{ key }, count] of packets) {
    await get(key);
    for (const service of [id, small]) await acknowledge(key, service, 1);
    const intervals = [
      { ...interval(id, ts), packets: count },
      // So little that it says nothing.
      { ...interval(small, ts), packets: count === 400_001 ? 90_000 : 1 },
    ];
    expect((await report(key, { intervals })).status).toBe(200);
  }
  const admin = await newOwner();
  await sql("update accounts set role = 'admin' where id = $1", [admin]);
  const page = await (await visitorOf(admin)).goto("/dashboard/edge-nodes");
  const row = (node: { id: number }) => page.textOf(`[data-node="${node.id}"]`);
  // The others of `busy` have 10,000, 40,000 and 400,001: the median is 40,000, and ten times that is not passed.
  for (const node of [quiet, usual, busy]) expect(row(node)).toContain("Like other nodes in the last 60 minutes");
  expect(row(forger)).toMatch(
    new RegExp(
      `Over 10 times the others ?400,001 packets of service ${id} in a minute, \\d minutes ago; the median of its other nodes is 40,000$`,
    ),
  );
});

/** Services in every state, and what two live nodes said of each: version, error, serving version. */
const SAID: [
  status: string,
  version: number,
  hostname: string,
  ...([number, string | null, number | null] | null)[],
][] = [
  ["active", 2, "active.example.com", [2, null, 2], [2, null, 2]],
  ["configuring", 3, "configuring.example.com", [3, null, 3], [2, null, 2]],
  ["failed", 5, "failed.example.com", [5, "no route", 4], [4, null, null]],
  ["failed", 2, "taken.example.com", null, [-1, null, null]],
  ["disabled", 1, "disabled.example.com", [1, null, null], [1, null, null]],
  ["pending_config", 1, "pending.example.com", null, null],
  ["deleting", 4, "deleting.example.com", [4, null, null], [3, null, 3]],
];

test("all pages tell the same state of a service, and problems come first", async () => {
  const { sql, newOwner } = edge;
  const owner = await newOwner();
  await sql("update accounts set role = 'admin' where id = $1", [owner]);
  const page = await visitorOf(owner);
  const nodes = await sql<{ id: number }>(
    "insert into edge_nodes (name, is_live, last_heard_at) select 'edge-' || n, true, now() from generate_series(1, 2) n returning id",
  );
  edge.added.push(...nodes.map(({ id }) => id));
  // The page of nodes leaves it out: no node is asked to serve it.
  let deleted = "";
  for (const [status, version, hostname, ...said] of SAID) {
    const [row] = await sql<{ id: number }>(
      `insert into game_services
         (account_id, name, java_hostname, origin_host, origin_port, status, config_version, wish, first_fetched_at)
       values ($5, $2, $2, '192.0.2.80', 25565, $1::game_service_status, $3, $4::service_wish, now()) returning id`,
      [status, hostname, version, { disabled: "off", deleting: "gone" }[status] ?? "on", owner],
    );
    if (status === "deleting") deleted = String(row?.id);
    if (status === "active") {
      await sql("insert into hostname_claims (hostname, service_id) values ('taken.example.com', $1)", [row?.id]);
    }
    for (const [index, word] of said.entries()) {
      if (!word) continue;
      await sql(
        `insert into edge_acknowledgements (service_id, node_id, version, error, serving_version)
         values ($1, $2, $3, $4, $5)`,
        [row?.id, nodes[index]?.id, ...word],
      );
    }
  }

  await page.goto("/dashboard/game-services");
  const rows = () => page.$("tr[data-service]").toArray();
  expect(page.textsOf("tr[data-service] data")).toEqual(
    [/! Failed/, /! Failed/, /● Active/, /◐/, /–/, /○/, /×/].map((text) => expect.stringMatching(text)),
  );
  expect(page.$("data.danger[value=failed]").length).toBe(2);
  expect(page.$("data.good[value=active]").length).toBe(1);
  const listed = new Map<string, string>();
  for (const row of rows()) {
    const hints = page
      .textsOf(page.$(row).find(".hint") as unknown as Part)
      .filter((hint) => hint.includes("Edge nodes"));
    listed.set(page.$(row).attr("data-service") ?? "", hints.join());
  }

  const ofNodes = new Map<string, Standing[]>();
  for (const [id, hint] of listed) {
    await page.goto(`/dashboard/game-services/${id}`);
    const ofService: Standing[] = [];
    for (const row of page.$("tr[data-node]").toArray()) {
      const standing = readStanding(page.textsOf(page.$(row).find("td") as unknown as Part)[1] ?? "");
      ofService.push(standing);
      const node = page.$(row).attr("data-node") ?? "";
      if (id !== deleted) ofNodes.set(node, [...(ofNodes.get(node) ?? []), standing]);
    }
    expect(ofService).toHaveLength(2);
    const isSettled = ofService.every((standing) => standing === "current");
    expect(hint, `service ${id}`).toBe(isSettled ? "" : `Edge nodes: ${describeStandings(countOf(ofService))}`);
  }
  expect([...new Set([...ofNodes.values()].flat())].sort()).toEqual([...STANDINGS].sort());

  expect(new URL(page.link("edge-1").attr("href") ?? "", page.origin).pathname).toBe("/dashboard/edge-nodes");
  expect(page.link("edge-1").attr("href")).toMatch(new RegExp(`#node-${nodes[0]?.id}$`));
  await page.follow("edge-1");
  for (const [node, standings] of ofNodes) {
    expect(page.textOf(`tr[data-node="${node}"]`)).toContain(describeStandings(countOf(standings)));
  }
});

test("ips for a game service's DNS break after their colons, and nowhere else", async () => {
  const { sql, newNode, newOwner } = edge;
  const ip = "2001:db8:85a3:8d3:1319:8a2e:370:7348";
  const owner = await newOwner();
  const { id: node } = await newNode();
  await sql("update edge_nodes set last_heard_at = now(), last_heard_ip = $2, agent = $3 where id = $1", [
    ...[node, ip, "console-edge/1.2 port/25570"],
  ]);
  // Not over a form, which takes no such name.
  const [service] = await sql<{ id: number }>(
    `insert into game_services (account_id, name, java_hostname, origin_host, origin_port)
     values ($1, 'Survival', 'survival.invalid', '192.0.2.1', 25565) returning id`,
    [owner],
  );
  const page = await (await visitorOf(owner)).goto(serviceDnsPath(service?.id ?? 0));
  expectBreakable(page, ip);
  // Where the nodes listen elsewhere than Minecraft's clients ask, there has to be a record that says so.
  expect(page.textOf(page.rows("SRV"))).toContain("This name, port 25570");
});

test("a stopping console answers waits with 304", async () => {
  const { get, newNode } = edge;
  const { key } = await newNode();
  const { etag } = await get(key);
  const cut = get(key, { "If-None-Match": etag, Prefer: "wait=25" });
  // Sent later, on a connection of its own: when it is answered, the one that waits has arrived.
  expect((await fetch(`${app.origin}/healthz`)).status).toBe(200);
  // The last test: nothing needs the console any more.
  const [answer] = await Promise.all([cut, app.stop()]);
  expect(answer.status).toBe(304);
});

/** What a node's cell on the page of a service means. */
function readStanding(text: string): Standing {
  if (text.includes("Cannot serve")) return "failed";
  if (text.includes("is not handed out")) return "withheld";
  if (text.includes("Not fetched yet")) return "waiting";
  return text.endsWith("not fetched yet") ? "behind" : "current";
}

function countOf(standings: readonly Standing[]): Standings {
  const count = (wanted: Standing) => standings.filter((standing) => standing === wanted).length;
  return Object.fromEntries(STANDINGS.map((standing) => [standing, count(standing)])) as Standings;
}

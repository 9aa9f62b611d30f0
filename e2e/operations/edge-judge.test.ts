import { Resolver } from "node:dns/promises";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, type TestContext, test, vi } from "vitest";
import { edgeNodeParts } from "@/e2e/support/edge-node";
import { askKick, askStatus, askWholeStatus, Player } from "@/e2e/support/minecraft";
import { type NameAnswer, NameServer } from "@/e2e/support/name-server";
import { answerClient } from "@/edge/answers.mjs";
import { apply } from "@/edge/apply.mjs";
import type { Service } from "@/edge/configuration.mjs";
import { readCounters } from "@/edge/counters.mjs";
import { Haproxy } from "@/edge/haproxy.mjs";
import type { Node } from "@/edge/node.mjs";
import { Responder } from "@/edge/responder.mjs";
import { tidy } from "@/edge/servers.mjs";
import { leadAgain } from "@/edge/ways.mjs";
import { MINUTE, SECOND } from "@/lib/format/time";

// What an edge node makes of a configuration and of names, by its parts in this process and a HAProxy in a folder.

const PORT = 25_565;
const here = edgeNodeParts();
const { newOrigin } = here;
let players: { path: string };
let names: NameServer;
let commands: string[];
/** What changed HAProxy since this was asked for last. */
const changes = () => commands.splice(0).filter((command) => !command.startsWith("show "));

beforeEach(async () => {
  players = { path: join(here.dir, "players.sock") };
  names = new NameServer();
  here.closers.push(() => names.close());
  const server = `127.0.0.1:${await names.listen("127.0.0.1")}`;
  const { resolve4 } = Resolver.prototype;
  // Each look-up has a resolver of its own, which would ask the name servers of this machine.
  vi.spyOn(Resolver.prototype, "resolve4").mockImplementation(function (this: Resolver, host: string) {
    this.setServers([server]);
    return resolve4.call(this, host, { ttl: false }) as never;
  });
  commands = [];
  const { ask } = Haproxy.prototype;
  vi.spyOn(Haproxy.prototype, "ask").mockImplementation(function (this: Haproxy, command) {
    commands.push(command);
    return ask.call(this, command);
  });
});

const service = (id: number, origin_host: string, origin_port: number, more: Partial<Service> = {}): Service => ({
  ...{ id, version: 1, java_hostname: `${id}.example.test`, origin_host, origin_port, enabled: true, ...more },
});

async function serve(node: Node, services: Service[]): Promise<void> {
  node.configuration = { revision: "1", services };
  await apply(node);
}

/** A HAProxy and a node; with more slots, for more services. */
async function startNode(context: TestContext, slots = 4) {
  const haproxy = await here.startHaproxy(context, `unix@${players.path}`, slots);
  return { haproxy, node: await here.newNode() };
}

/** The program has ended and starts anew. */
async function startAgain({ allowPrivate }: Node): Promise<Node> {
  const node = await here.newNode();
  node.allowPrivate = allowPrivate;
  node.load();
  await apply(node);
  return node;
}

const errorsOf = (node: Node) => [...node.acknowledgements.values()].flatMap(({ error }) => error ?? []);
const joinAs = (name: string, id = 1) => Player.join(players, PORT, `${id}.example.test`, name);

/** What would be a command, a pattern or another service's name if it were written as it is; edge-program.test knows more. */
const HOSTILE_HOSTNAMES = [
  "",
  "a.example.test\nset server slot_1/origin state maint",
  "GOOD.example.test",
  "good.example.test",
  "good.example.test.",
  "g\u043eod.example.test",
  "*.example.test",
  "-a.example.test",
  `${"a".repeat(60)}.`.repeat(4) + "b".repeat(10),
];
const HOSTILE_ORIGINS = [
  "",
  "192.0.2.1\nset server slot_1/origin state maint",
  "192.0.2.1 . 1 : accept }",
  "fe80::1%lo",
  "[::1]",
  "-a",
];

test("what cannot be served is its own error and no command; others are served", async (context) => {
  const { node } = await startNode(context, 64);
  here.nftIs(`[ "$1" = -j ] && echo '{"nftables":[]}' || cat >>${here.dir}/rules`);
  const { port } = await newOrigin();
  const good = service(1, "127.0.0.1", port, { java_hostname: "good.example.test" });
  // The console's own form refuses NUL.
  const offline_text = 'Back "at\0 \u00a7anine\u{1f600}\\';
  const own = Object.values(networkInterfaces()).flatMap((infos) => infos?.map(({ address }) => address) ?? []);
  const rows: [string, Partial<Service>[]][] = [
    ["The public hostname is no DNS name.", HOSTILE_HOSTNAMES.map((java_hostname) => ({ java_hostname }))],
    ["The origin is neither an ip nor a hostname.", HOSTILE_ORIGINS.map((origin_host) => ({ origin_host }))],
    [
      "The origin is this node itself.",
      [...own, "::ffff:127.0.0.1", "0:0:0:0:0:ffff:7f00:1"].map((origin_host) => ({ origin_host, origin_port: PORT })),
    ],
    ["The origin nowhere.example.test cannot be found in DNS.", [{ origin_host: "nowhere.example.test" }]],
  ];
  const refused = rows.flatMap(([error, changed]) => changed.map((one) => ({ error, one })));
  const bad = refused.map(({ one }, n) => service(n + 3, "127.0.0.1", 1000 + n, one));
  await serve(node, [good, service(2, "127.0.0.1", 1, { offline_text }), ...bad]);
  const said = new Map([...node.acknowledgements].map(([id, { error }]) => [id, error]));
  expect([said.get(1), said.get(2)]).toEqual([null, null]);
  for (const [n, { error, one }] of refused.entries()) {
    const isTaken = one.java_hostname === "good.example.test";
    expect(said.get(n + 3), JSON.stringify(one)).toBe(isTaken ? "Another service has this public hostname." : error);
  }
  const word =
    /^(?:add server slot_\d+\/o\d+ 127\.0\.0\.1:\d+|set server slot_\d+\/o\d+ state ready|add map \S+\/hosts\.map (?:good|2)\.example\.test slot_\d+)$/;
  expect(changes().filter((command) => !word.test(command))).toEqual([]);
  const rules = fs.readFileSync(join(here.dir, "rules"), "utf8");
  expect(rules.match(/(?<=add element ).*/g)).toEqual(
    [port, 1].map((port, n) => `inet console_edge origins4 { 127.0.0.1 . ${port} : "service_${n + 1}" }`),
  );
  expect([...(await node.haproxy.hostnames()).keys()].sort()).toEqual(["2.example.test", "good.example.test"]);
  expect(await askStatus(players, PORT, "good.example.test")).toBe("one");
  expect(here.said).not.toMatch(/HAProxy did not take|nft failed|Not applied/);

  const responder = new Responder(node.haproxy.responder, (asked) => answerClient(node, asked));
  await responder.listen();
  here.closers.push(() => responder.close());
  node.isAnswering = true;
  node.away.set(2, { reachedAt: null });
  await leadAgain(node, 2);
  await expect.poll(() => askKick(players, PORT, "2.example.test")).toBe(offline_text);
  expect(await askWholeStatus(players, PORT, "2.example.test")).toMatchObject({ description: { text: offline_text } });
});

test("players stay and join while an origin's name is not found, over restarts", async (context) => {
  let { node, haproxy } = await startNode(context);
  onTestFinished(() => void vi.useRealTimers());
  const services = [service(1, "origin.example.test", (await newOrigin()).port)];
  names.answers.set("origin.example.test", ["127.0.0.1"]);
  await serve(node, services);
  const alice = await joinAs("Alice");
  const warningOf = ({ acknowledgements }: Node) => acknowledgements.get(1)?.warning;
  const expectServed = async (what: string) => {
    expect(errorsOf(node), what).toEqual([]);
    expect(warningOf(node), what).toMatch(
      /^origin\.example\.test has not been found in DNS since \S+ \S+ UTC; this node goes on with 127\.0\.0\.1\./,
    );
    expect(await askStatus(players, PORT, "1.example.test"), what).toBe("one");
  };
  for (const answer of ["NXDOMAIN", "SERVFAIL", "silent"] satisfies NameAnswer[]) {
    names.answers.set("origin.example.test", answer);
    if (answer === "silent") vi.useFakeTimers({ toFake: ["setTimeout"] });
    const applied = apply(node);
    if (answer === "silent") {
      await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(1);
      await vi.advanceTimersByTimeAsync(3 * SECOND);
      vi.useRealTimers();
    }
    await applied;
    await expectServed(answer);
    if (answer === "SERVFAIL") node = await startAgain(node);
    await expectServed(`${answer}, the edge node has started anew`);
    expect(await alice?.plays(1000), answer).toBe(true);
    names.answers.set("origin.example.test", ["127.0.0.1"]);
    await apply(node);
    expect(warningOf(node), answer).toBeNull();
  }
  // Both are away while the name is lost, as after a power cut.
  names.answers.set("origin.example.test", "NXDOMAIN");
  await haproxy.stop();
  await startNode(context);
  node = await startAgain(node);
  await expectServed("both have started anew");
});

test("a name that turns private leaves players on its public ip and says why", async (context) => {
  let { node } = await startNode(context);
  node.allowPrivate = false;
  names.answers.set("origin.example.test", ["192.0.2.80"]);
  names.answers.set("inner.example.test", ["10.0.0.1"]);
  const isPrivate = (name: string) =>
    `The origin ${name}.example.test is a private ip, which this node does not serve.`;
  await serve(node, [service(1, "origin.example.test", 1), service(2, "inner.example.test", 1)]);
  expect(errorsOf(node)).toEqual([isPrivate("inner")]);
  expect(changes()).toContain("add server slot_1/o1 192.0.2.80:1");
  for (const what of ["while it runs", "over a restart"]) {
    names.answers.set("origin.example.test", ["10.0.0.2"]);
    await apply(node);
    if (what === "over a restart") node = await startAgain(node);
    expect(errorsOf(node), what).toEqual([isPrivate("origin"), isPrivate("inner")]);
    expect(node.acknowledgements.get(1)?.serving_version, what).toBe(1);
    expect(node.acknowledgements.get(2)?.serving_version, what).toBeNull();
  }
  // A private ip beside a public one is passed over.
  names.answers.set("origin.example.test", ["10.0.0.2", "192.0.2.80"]);
  await apply(node);
  expect(errorsOf(node)).toEqual([isPrivate("inner")]);
  // Nothing was changed: who plays stays, and who joins comes there.
  expect(changes()).toEqual([]);
  expect(await node.haproxy.hostnames()).toEqual(new Map([["1.example.test", "slot_1"]]));
});

test("services beyond an origin's free ports fail without taking anything from the others", async (context) => {
  const { haproxy, node } = await startNode(context, 40);
  const { readFileSync } = fs;
  // Linux gives other clients the ports from 32768 on. Something listens at 25565, which is in one of the 25 blocks.
  vi.spyOn(fs, "readFileSync").mockImplementation(((file: string, options: "utf8") => {
    if (file.endsWith("/ip_local_port_range")) return "32768\t60999\n";
    if (file.startsWith("/proc/net/tcp")) return "   0: 00000000:63DD 00000000:0000 0A 00000000:00000000\n";
    return readFileSync(file, options);
  }) as typeof readFileSync);
  syncBuiltinESMExports();
  here.closers.push(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  const shared = Array.from({ length: 30 }, (_, n) => service(n + 1, "127.0.0.1", 1, { enabled: n > 0 }));
  const services = [...shared, service(31, "127.0.0.1", 2)];
  await serve(node, services);
  const room = "This node has no room for another service with this origin. Choose another origin, or ask support.";
  // The first leaves from any port, each further one from a block of its own.
  const servedIds = () => node.wanted.map(({ id }) => id).sort((one, other) => one - other);
  const placed = [...Array.from({ length: 25 }, (_, n) => n + 2), 31];
  expect(servedIds()).toEqual(placed);
  const blocks = changes().flatMap((command) => Number(/ source 127\.0\.0\.1:(\d+)-/.exec(command)?.[1] ?? 0) || []);
  expect([blocks.length, new Set(blocks).size]).toEqual([24, 24]);
  expect(blocks.filter((first) => first <= PORT && first + 1023 >= PORT)).toEqual([]);
  expect(errorsOf(node)).toEqual(Array(4).fill(room));

  // Nobody's place is for somebody who comes later, however low the id.
  const [late, second] = shared as [Service, Service];
  late.enabled = true;
  await serve(node, services);
  expect([servedIds(), errorsOf(node), changes()]).toEqual([placed, Array(5).fill(room), []]);
  await haproxy.stop();
  await startNode(context, 40);
  await serve(node, services);
  expect(servedIds(), "HAProxy has started anew").toEqual(placed);
  changes();
  // A place that was left is the next one's.
  second.enabled = false;
  for (let n = 0; n < 2; n++) await serve(node, services);
  expect(servedIds()).toEqual([1, ...placed.slice(1)]);
  expect(changes().filter((command) => /slot_(?!(?:1|27)\b)/.test(command))).toEqual([]);
});

test("players of an old origin are closed an hour after the change, not earlier", async (context) => {
  let { node } = await startNode(context);
  const [{ port: one }, { port: two }] = [await newOrigin("one"), await newOrigin("two")];
  await serve(node, [service(1, "127.0.0.1", one)]);
  const alice = await joinAs("Alice");
  await serve(node, [service(1, "127.0.0.1", two)]);
  const bob = await joinAs("Bob");
  const { now } = performance;
  let ahead = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + ahead);
  const servers = async () => [...((await node.haproxy.servers()).get(1)?.values() ?? [])].map(({ port }) => port);
  const tidyUp = async () => {
    await readCounters(node);
    await tidy(node);
  };
  for (ahead of [59 * MINUTE, 59.5 * MINUTE]) {
    await tidyUp();
    expect(await servers()).toEqual([one, two]);
    expect(await alice?.plays(1000)).toBe(true);
    node = await startAgain(node);
  }
  ahead = 60 * MINUTE;
  await tidyUp();
  await alice?.closed;
  await expect.poll(async () => [await tidyUp(), await servers()][1]).toEqual([two]);
  expect(await bob?.plays(1000)).toBe(true);
  expect(await askStatus(players, PORT, "1.example.test")).toBe("two");
});

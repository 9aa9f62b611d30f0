import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, type TestContext, test, vi } from "vitest";
import { type Answer, edgeNodeParts } from "@/e2e/support/edge-node";
import { listen } from "@/e2e/support/listen";
import { answerClient } from "@/edge/answers.mjs";
import { apply } from "@/edge/apply.mjs";
import { Haproxy } from "@/edge/haproxy.mjs";
import { NOTHING } from "@/edge/intervals.mjs";
import { keepTime } from "@/edge/minutes.mjs";
import type { Node } from "@/edge/node.mjs";
import { readPackets } from "@/edge/packets.mjs";
import { pingAll } from "@/edge/ping-origins.mjs";
import { deliver } from "@/edge/reports.mjs";
import { MINUTE, SECOND } from "@/lib/format/time";

// What an edge node does while something around it fails, by its parts in this process.

const here = edgeNodeParts();
const { closers, listening, newNode, newOrigin, nftIs, startHaproxy } = here;
/** A loop of a node, which stops with the test. */
const runs = (loop: Promise<void>) => closers.push(() => loop);

test("a report that a proxy refuses waits, and nothing of it is lost", async () => {
  const stored: number[] = [];
  let [status, body, asked] = [413, "<html>Request Entity Too Large</html>", 0];
  const node = await newNode((response, told) => {
    asked++;
    response.writeHead(status);
    if (status === 200) stored.push(...JSON.parse(told).intervals.map(({ ts }: { ts: number }) => ts));
    response.end(status === 200 ? '{"data":{"stored":1}}' : body);
  });
  const minutes = [1, 2, 3].map((n) => n * 60_000);
  for (const ts of minutes) node.spool.push({ ...NOTHING, service_id: 1, ts, latency_ms: null });
  runs(deliver(node));
  await expect.poll(() => asked).toBe(1);
  [status, body] = [400, '{"error":{"code":400}}'];
  await expect.poll(() => asked).toBe(2);
  status = 200;
  await expect.poll(() => node.spool).toEqual([]);
  expect(stored).toEqual(minutes);
  expect(here.said).toMatch(/^\S+ A proxy answered 413, not the console\. [^\n]*\n[^\n]*reachable again[^\n]*\n$/);
});

test("a proxy that takes less than the console is sent smaller reports", async () => {
  const stored = new Set<number>();
  let refused = 0;
  const node = await newNode((response, told) => {
    const isLarge = told.length > 16_384;
    if (isLarge) refused++;
    else for (const { ts } of JSON.parse(told).intervals) stored.add(ts);
    response.writeHead(isLarge ? 413 : 200).end(isLarge ? "<html>" : '{"data":{"stored":1}}');
  });
  for (let n = 1; n <= 400; n++) node.spool.push({ ...NOTHING, service_id: 1, ts: n * 60_000, latency_ms: null });
  runs(deliver(node));
  await expect.poll(() => stored.size).toBe(400);
  expect(refused).toBeLessThan(5);
});

test("what the console refuses is given up alone, and all else is delivered", async () => {
  const stored: unknown[] = [];
  const node = await newNode((response, told) => {
    const { acknowledgements, intervals, node_minutes = [] } = JSON.parse(told);
    const isRefused = intervals.some(({ ts }: { ts: number }) => ts === 1);
    if (!isRefused) stored.push(...acknowledgements, ...intervals, ...node_minutes);
    response.writeHead(isRefused ? 400 : 200).end(isRefused ? '{"error":"too old"}' : '{"data":{"stored":1}}');
  });
  node.acknowledgements.set(7, { service_id: 7, version: 1, error: null });
  for (const ts of [1, 2]) node.spool.push({ ...NOTHING, service_id: 1, ts, latency_ms: null });
  node.nodeSpool.push({ ts: 3, refused: 4 });
  runs(deliver(node));
  await expect.poll(() => node.spool.length + node.nodeSpool.length).toBe(0);
  expect(stored).toMatchObject([{ service_id: 7 }, { ts: 2 }, { refused: 4 }]);
  expect(here.said).toContain('too old {"acknowledgements":[],"intervals":[{');
});

test("what answers in the console's place is named, and the key follows no redirect", async () => {
  let [status, body, asked] = [301, "", 0];
  const node = await newNode((response) => {
    asked++;
    response.writeHead(status, status === 301 ? { Location: "/elsewhere" } : {});
    response.end(body);
  });
  const ask = () => node.console.configuration(null, node.stop.signal);
  await expect(ask()).rejects.toThrow("A proxy answered 301 and leads to /elsewhere, not the console.");
  await expect(node.console.report({ acknowledgements: [], intervals: [] }, node.stop.signal)).rejects.toThrow("301");
  expect(asked).toBe(2);
  for ([status, body] of [
    [200, "<html>Sign in</html>"],
    [200, '{"ok":true}'],
    [403, ""],
    [503, '{"error":{}}'],
  ] as const) {
    await expect(ask(), body).rejects.toThrow(`A proxy answered ${status}, not the console.`);
  }
  [status, body] = [403, '{"error":"No."}'];
  await expect(ask()).rejects.toThrow("The console answered 403: No.");
});

test("an nft that does not end fails once a minute and holds up nothing", async () => {
  const log = join(here.dir, "started");
  // It heeds no signal that it can heed.
  nftIs(`echo x >>${log}; trap '' TERM; while :; do sleep 1; done`);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const asked = readPackets().catch(String);
  await expect.poll(() => existsSync(log)).toBe(true);
  await vi.advanceTimersByTimeAsync(15 * SECOND);
  expect(await asked).toContain("nft did not answer in 15 s");
  await expect(readPackets()).rejects.toThrow("nft did not answer in 15 s");
  expect(execFileSync("wc", ["-l", log], { encoding: "utf8" })).toMatch(/^1 /);
});

/** A server in HAProxy's place that answers by the beginning of a command. */
function answerAsHaproxy(answerOf: (command: string) => string | undefined) {
  const server = createServer((socket) =>
    socket.once("data", (command) => socket.end(`${answerOf(String(command).slice(0, 9)) ?? ""}\n`)),
  );
  return listening(server, join(here.dir, "haproxy.sock"));
}

test("an answer of HAProxy that is cut off is a failure, not servers gone", async () => {
  let answer = "";
  await listening(
    createServer((socket) => socket.once("data", () => socket.end(answer))),
    join(here.dir, "haproxy.sock"),
  );
  const haproxy = new Haproxy(here.dir);
  const header = "1\n# be_name srv_name srv_addr srv_admin_state srv_port\n";
  for (answer of ["", header, `${header}slot_1 o1 127.0.0.1 0 2`, `${header}slot_1 o1 127.0.0.1 0 25565\n`]) {
    await expect(haproxy.servers(), answer).rejects.toThrow("HAProxy cannot be asked");
  }
  answer = `${header}slot_1 o1 127.0.0.1 0 25565\n\n`;
  expect((await haproxy.servers()).size).toBe(1);
  answer = "\n";
  expect((await haproxy.hostnames()).size).toBe(0);
  answer = "Server deleted.\n";
  expect(await haproxy.ask("del server slot_1/o1")).toBe("Server deleted.");
});

test("a new HAProxy that takes nothing is one line of the log, tried again", async () => {
  let tries = 0;
  await answerAsHaproxy((command) => {
    if (command === "show serv") tries++;
    return new Map([
      ["show info", "Pid: 2\n"],
      ["show map ", "0x1 left.example.com slot_1\n"],
    ]).get(command);
  });
  const node = await newNode();
  node.haproxyId = 1;
  node.configuration = { revision: "1", services: [] };
  runs(keepTime(node));
  await expect.poll(() => tries).toBeGreaterThan(4);
  expect(here.said.match(/started anew/g)).toHaveLength(1);
});

test("services with one origin learn its protocol in one ping a second", async () => {
  const { port, origin } = await newOrigin();
  const node = await newNode();
  node.wanted = [1, 2, 3, 4, 5].map((id) => ({
    ...{ id, version: 1, hostname: `s${id}.example.com`, ip: "127.0.0.1", port, range: null, isProxied: false },
  }));
  for (const { hostname } of node.wanted) answerClient(node, { hostname, protocol: 765, isPing: true });
  await expect.poll(() => node.statuses.knows(1, 765)).toBe(true);
  expect(origin.connections).toBe(1);
  await pingAll(node);
  // Of a minute: one for all of them, and one in a protocol of their clients.
  expect(origin.connections).toBe(3);
});

test("hundreds of silent origins cost no other origin its latency", async () => {
  const node = await newNode();
  let asked = 0;
  let isMute = false;
  const open = new Set<Socket>();
  const mute = createServer((socket) => {
    asked++;
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    if (isMute) socket.resume();
    else socket.destroy();
  });
  const port = await listen(mute, "0.0.0.0");
  closers.push(() => mute.close());
  const of = (id: number, ip: string, port: number) => ({ id, ip, port, range: null, isProxied: false });
  const silent = Array.from({ length: 400 }, (_, n) =>
    of(n + 1, `127.0.${1 + Math.floor(n / 200)}.${1 + (n % 200)}`, port),
  );
  node.wanted = [...silent, of(401, "127.0.0.1", (await newOrigin()).port)].map((one) => ({
    ...{ ...one, version: 1, hostname: `${one.id}.example.test` },
  }));
  for (isMute of [false, true]) {
    asked = 0;
    node.minute += MINUTE;
    node.latencies = new Map();
    const pinged = pingAll(node);
    if (isMute) {
      await expect.poll(() => node.latencies.get(401)).toEqual(expect.any(Number));
      // As many are pinged at once.
      expect(asked).toBeLessThanOrEqual(32);
    }
    isMute = false;
    for (const socket of open) socket.destroy();
    await pinged;
    expect([...node.latencies].filter(([, latency]) => latency !== null)).toEqual([[401, expect.any(Number)]]);
  }
});

/** A node that has applied services with one origin at this port, behind PROXY protocol or not, and has not pinged it. */
async function newServingNode(context: TestContext, port: number, answer?: Answer, ways = [false]): Promise<Node> {
  await startHaproxy(context, `unix@${join(here.dir, "players.sock")}`, ways.length);
  const node = await newNode(answer);
  const common = { version: 1, enabled: true, origin_host: "127.0.0.1", origin_port: port };
  const services = ways.map((isProxied, n) => ({
    ...{ id: n + 1, java_hostname: `${n}.example.com`, ...common },
    ...(isProxied && { proxy_protocol: "v2" as const }),
  }));
  node.configuration = { revision: "1", services };
  node.minute = 60_000;
  await apply(node);
  return node;
}

test("services with one origin each read whether it answers in their way", async (context) => {
  const { port, origin } = await newOrigin();
  const node = await newServingNode(context, port, undefined, [false, true, false]);
  const warningsNow = async () => {
    node.minute += MINUTE;
    await pingAll(node);
    return [...node.acknowledgements.values()].map(({ warning }) => warning);
  };
  origin.expectsProxy = true;
  const only =
    "The origin answers with PROXY protocol v2 only: switch real ips on here, or it off there. Until then nobody can join.";
  expect(await warningsNow()).toEqual([only, null, only]);
  origin.expectsProxy = false;
  const without =
    "The origin answers without PROXY protocol v2 only: switch it on there, or real ips off here. Until then nobody can join.";
  expect(await warningsNow()).toEqual([null, without, null]);
});

test("what is applied where a minute begins is pinged with that minute alone", async (context) => {
  const { port, origin } = await newOrigin();
  const node = await newServingNode(context, port);
  node.pinged = node.minute;
  await pingAll(node);
  expect([node.wanted.length, origin.connections]).toEqual([1, 1]);
});

test("findings about an origin during a report are sent with the next one", async (context) => {
  const warnings: (string | null)[] = [];
  const answers: (() => void)[] = [];
  // Nothing listens at the port of its origin.
  const node = await newServingNode(context, 1, (response, told) => {
    for (const { warning } of JSON.parse(told).acknowledgements) warnings.push(warning);
    answers.push(() => response.end('{"data":{"stored":0}}'));
  });
  runs(deliver(node));
  await expect.poll(() => warnings).toEqual([null]);
  await pingAll(node);
  answers[0]?.();
  const silent = "The origin does not answer a status ping, neither with PROXY protocol v2 nor without it.";
  await expect.poll(() => warnings.slice(1)).toEqual([silent]);
});

test("systemd never gives up on an edge node, however often it fails", () => {
  const words = ["edge/main.mjs", "unit", "https://console.example.com"];
  const [, seconds] = /^RestartSec=(\d+)$/m.exec(execFileSync(process.execPath, words, { encoding: "utf8" })) ?? [];
  // By default it does after five starts within ten seconds.
  expect(4 * Number(seconds)).toBeGreaterThan(10);
});

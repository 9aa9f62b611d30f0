import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Origin } from "@/e2e/support/minecraft";
import { answerClient } from "@/edge/answers.mjs";
import { apply } from "@/edge/apply.mjs";
import { Console } from "@/edge/console.mjs";
import { Haproxy } from "@/edge/haproxy.mjs";
import { NOTHING } from "@/edge/intervals.mjs";
import { keepTime } from "@/edge/minutes.mjs";
import { Node } from "@/edge/node.mjs";
import { readPackets } from "@/edge/packets.mjs";
import { pingAll } from "@/edge/ping-origins.mjs";
import { deliver } from "@/edge/reports.mjs";
import { Store } from "@/edge/store.mjs";
import { SECOND } from "@/lib/format/time";

// What an edge node does while something around it fails, by its parts in this process.

let dir: string;
let said: string;
const closers: (() => void)[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "console-edge-"));
  said = "";
  // The rules of this machine are left alone.
  nftIs("exit 1");
  vi.stubEnv("PATH", `${dir}:${process.env.PATH}`);
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    said += text;
    return true;
  });
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

function nftIs(script: string): void {
  writeFileSync(join(dir, "nft"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(dir, "nft"), 0o755);
}

async function listening(server: Server, end: string | number): Promise<Server> {
  server.listen(end);
  await once(server, "listening");
  closers.push(() => server.close());
  return server;
}

/** Answers a request with this body. */
type Answer = (response: ServerResponse, body: string) => void;

async function newNode(answer: Answer = (response) => response.end()): Promise<Node> {
  const server = createServer(async (request, response) => answer(response, await text(request)));
  const { port } = (await listening(server, 0)).address() as AddressInfo;
  closers.push(() => server.closeAllConnections());
  const node = new Node({
    haproxy: new Haproxy(dir),
    console: new Console(`http://127.0.0.1:${port}`, "key", 25_565),
    store: new Store(dir),
    allowPrivate: true,
    listenPort: 25_565,
  });
  closers.push(() => node.stop.abort());
  return node;
}

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
  const ended = deliver(node);
  await expect.poll(() => asked).toBe(1);
  [status, body] = [400, '{"error":{"code":400}}'];
  await expect.poll(() => asked).toBe(2);
  status = 200;
  await expect.poll(() => node.spool).toEqual([]);
  expect(stored).toEqual(minutes);
  expect(said).toMatch(/^\S+ A proxy answered 413, not the console\. [^\n]*\n[^\n]*reachable again[^\n]*\n$/);
  node.stop.abort();
  await ended;
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
  const ended = deliver(node);
  await expect.poll(() => stored.size).toBe(400);
  expect(refused).toBeLessThan(5);
  node.stop.abort();
  await ended;
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
  const ended = deliver(node);
  await expect.poll(() => node.spool.length + node.nodeSpool.length).toBe(0);
  expect(stored).toMatchObject([{ service_id: 7 }, { ts: 2 }, { refused: 4 }]);
  expect(said).toContain('too old {"acknowledgements":[],"intervals":[{');
  node.stop.abort();
  await ended;
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
  const log = join(dir, "started");
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
  const server = createSocketServer((socket) =>
    socket.once("data", (command) => socket.end(`${answerOf(String(command).slice(0, 9)) ?? ""}\n`)),
  );
  return listening(server, join(dir, "haproxy.sock"));
}

test("an answer of HAProxy that is cut off is a failure, not servers gone", async () => {
  let answer = "";
  await listening(
    createSocketServer((socket) => socket.once("data", () => socket.end(answer))),
    join(dir, "haproxy.sock"),
  );
  const haproxy = new Haproxy(dir);
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
  const ended = keepTime(node);
  await expect.poll(() => tries).toBeGreaterThan(4);
  node.stop.abort();
  await ended;
  expect(said.match(/started anew/g)).toHaveLength(1);
});

async function newOrigin() {
  let pings = 0;
  const origin = new Origin("one", () => {
    pings++;
    return true;
  });
  const port = await origin.listen("127.0.0.1");
  closers.push(() => void origin.stop());
  return { port, pings: () => pings };
}

test("services with one origin learn its protocol in one ping a second", async () => {
  const { port, pings } = await newOrigin();
  const node = await newNode();
  node.wanted = [1, 2, 3, 4, 5].map((id) => ({
    ...{ id, version: 1, hostname: `s${id}.example.com`, ip: "127.0.0.1", port, range: null, isProxied: false },
  }));
  for (const { hostname } of node.wanted) answerClient(node, { hostname, protocol: 765, isPing: true });
  await expect.poll(() => node.statuses.knows(1, 765)).toBe(true);
  expect(pings()).toBe(1);
  await pingAll(node);
  // Of a minute: one for all of them, and one in a protocol of their clients.
  expect(pings()).toBe(3);
});

/** A node that has applied a service with an origin at this port, which it has not pinged. */
async function newServingNode(port: number, answer?: Answer): Promise<Node> {
  await answerAsHaproxy((command) =>
    new Map([
      ["show serv", `1\n# be_name srv_name srv_addr srv_admin_state srv_port\nslot_1 o1 127.0.0.1 0 ${port}\n`],
      ["show map ", "0x1 one.example.com slot_1\n"],
      ["show stat", "# pxname,svname,scur,stot\nslot_1,BACKEND,0,0\n"],
    ]).get(command),
  );
  const node = await newNode(answer);
  const service = { id: 1, version: 1, java_hostname: "one.example.com", enabled: true };
  node.configuration = { revision: "1", services: [{ ...service, origin_host: "127.0.0.1", origin_port: port }] };
  const way = { ip: "127.0.0.1", port, range: null, isProxied: false };
  node.servers.set("slot_1/o1", { service: 1, ...way, drainedAt: null });
  node.slots.set(1, { service: 1 });
  node.minute = 60_000;
  await apply(node);
  return node;
}

test("what is applied where a minute begins is pinged with that minute alone", async () => {
  const { port, pings } = await newOrigin();
  const node = await newServingNode(port);
  node.pinged = node.minute;
  await pingAll(node);
  expect([node.wanted.length, pings()]).toEqual([1, 1]);
});

test("findings about an origin during a report are sent with the next one", async () => {
  const warnings: (string | null)[] = [];
  const answers: (() => void)[] = [];
  // Nothing listens at the port of its origin.
  const node = await newServingNode(1, (response, told) => {
    for (const { warning } of JSON.parse(told).acknowledgements) warnings.push(warning);
    answers.push(() => response.end('{"data":{"stored":0}}'));
  });
  const ended = deliver(node);
  await expect.poll(() => warnings).toEqual([null]);
  await pingAll(node);
  answers[0]?.();
  await expect.poll(() => warnings.slice(1)).toEqual([expect.stringContaining("does not answer a status ping")]);
  node.stop.abort();
  await ended;
});

test("systemd never gives up on an edge node, however often it fails", () => {
  const words = ["edge/main.mjs", "unit", "https://console.example.com"];
  const [, seconds] = /^RestartSec=(\d+)$/m.exec(execFileSync(process.execPath, words, { encoding: "utf8" })) ?? [];
  // By default it does after five starts within ten seconds.
  expect(4 * Number(seconds)).toBeGreaterThan(10);
});

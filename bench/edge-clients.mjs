// Programs of the benchmark of an edge node. They run in its network namespace, each alone, so that none measures the work
// of another:
//   node edge-clients.mjs world CONSOLE_PORT ORIGIN_PORT   a console with one service, and its origin
//   node edge-clients.mjs attack PORT SECONDS              half silent, half asking for unknown hostnames, from 1,000 ips
//   node edge-clients.mjs players PORT SECONDS             some play, others join; from ips of their own
//   node edge-clients.mjs pings PORT SECONDS               status pings
//   node edge-clients.mjs away PORT SECONDS                status pings of an origin that is away, until one is answered
// Each prints one line of JSON.
import { createServer as createHttpServer } from "node:http";
import { connect, createServer } from "node:net";

const SECOND = 1000;
const HOSTNAME = "play.example.test";
const [STATUS, LOGIN] = [1, 2];
/** New connections a second of the attack that are tried for; what is reached is printed. */
const ATTACK_RATE = 6000;
const ATTACKERS = 1000;
const PLAYERS = 20;
/** Below what one ip may open to one service. */
const JOINS_A_SECOND = 60;
const JOIN_IPS = 4;
const PINGS_A_SECOND = 50;
const PING_IPS = 5;

/** A handshake and the first packet behind it. @param {string} hostname @param {number} next */
function opening(hostname, next) {
  const name = Buffer.from(hostname);
  const body = Buffer.concat([Buffer.from([0, 0xfd, 0x05, name.length]), name, Buffer.from([0x63, 0xdd, next])]);
  const rest = next === STATUS ? Buffer.from([1, 0]) : Buffer.from([7, 0, 5, ...Buffer.from("Alice")]);
  return Buffer.concat([Buffer.from([body.length]), body, rest]);
}

/** @param {number} consolePort @param {number} originPort */
function world(consolePort, originPort) {
  const text = Buffer.from(
    '{"version":{"name":"x","protocol":765},"players":{"max":20,"online":1},"description":{"text":"x"}}',
  );
  const status = Buffer.concat([Buffer.from([text.length + 2, 0, text.length]), text]);
  createServer((socket) => {
    let isIn = false;
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      if (isIn) return void socket.write(chunk);
      isIn = chunk.at(chunk[0] ?? 0) === LOGIN;
      socket.write(isIn ? "welcome" : status);
    });
  }).listen({ host: "127.0.0.1", port: originPort, backlog: 1024 });
  const origin = { origin_host: "127.0.0.1", origin_port: originPort };
  const services = [{ id: 1, version: 1, java_hostname: HOSTNAME, ...origin, enabled: true }];
  createHttpServer((request, response) => {
    request.resume();
    const data = request.method === "POST" ? { stored: 0 } : { revision: "1", services };
    response.end(JSON.stringify({ data }));
  }).listen(consolePort, "127.0.0.1", () => console.log("{}"));
}

/**
 * Calls `task` so many times a second, evenly, for some seconds. Answers the seconds that it took.
 * @param {number} perSecond
 * @param {number} seconds
 * @param {(index: number) => void} task
 * @returns {Promise<number>}
 */
function evenly(perSecond, seconds, task) {
  const startedAt = performance.now();
  let done = 0;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const elapsed = (performance.now() - startedAt) / SECOND;
      for (const due = Math.min(elapsed, seconds) * perSecond; done < due; done++) task(done);
      if (elapsed < seconds) return;
      clearInterval(timer);
      resolve(elapsed);
    }, 1);
  });
}

/** @param {number} port @param {number} seconds */
async function attack(port, seconds) {
  const unknown = opening("nobody.example.test", STATUS);
  let opened = 0;
  const elapsed = await evenly(ATTACK_RATE, seconds, (index) => {
    const own = index % ATTACKERS;
    const localAddress = `127.1.${own >> 8}.${own & 255}`;
    const isSilent = index % 2 === 0;
    const socket = connect({ host: "127.0.0.1", port, localAddress });
    socket.on("connect", () => {
      opened++;
      if (!isSilent) socket.write(unknown);
    });
    socket.on("error", () => {});
    socket.resume();
  });
  console.log(JSON.stringify({ perSecond: Math.round(opened / elapsed) }));
  process.exit();
}

/**
 * Milliseconds from the first packet to the first byte of an answer; null when there is none.
 * @param {number} port
 * @param {string} localAddress
 * @param {Buffer} bytes
 * @returns {Promise<number | null>}
 */
function answerTime(port, localAddress, bytes) {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const socket = connect({ host: "127.0.0.1", port, localAddress }, () => socket.write(bytes));
    const end = (/** @type {number | null} */ time) => {
      resolve(time);
      socket.destroy();
    };
    socket.setTimeout(10 * SECOND, () => end(null));
    socket.once("data", () => end(performance.now() - startedAt));
    socket.on("error", () => end(null));
    socket.on("close", () => resolve(null));
  });
}

/** @param {(number | null)[]} times */
function summary(times) {
  const answered = times.flatMap((time) => time ?? []).sort((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    answered[Math.min(answered.length - 1, Math.floor(answered.length * share))] ?? null;
  return { asked: times.length, answered: answered.length, p50: at(0.5), p99: at(0.99) };
}

/** @param {number} port @param {number} seconds */
async function players(port, seconds) {
  let closed = 0;
  const playing = Array.from({ length: PLAYERS }, (_, index) => {
    const socket = connect({ host: "127.0.0.1", port, localAddress: `127.2.0.${index + 1}` }, () => {
      socket.write(opening(HOSTNAME, LOGIN));
    });
    socket.on("error", () => {});
    socket.on("close", () => closed++);
    socket.resume();
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, SECOND));
  /** @type {Promise<number | null>[]} */
  const asked = [];
  await evenly(JOINS_A_SECOND, seconds, (index) => {
    asked.push(answerTime(port, `127.3.0.${(index % JOIN_IPS) + 1}`, opening(HOSTNAME, LOGIN)));
    playing[index % PLAYERS]?.write("still here");
  });
  const joins = summary(await Promise.all(asked));
  console.log(JSON.stringify({ ...joins, closed }));
  process.exit();
}

/** @param {number} port @param {number} seconds */
async function pings(port, seconds) {
  /** @type {Promise<number | null>[]} */
  const asked = [];
  await evenly(PINGS_A_SECOND, seconds, (index) => {
    asked.push(answerTime(port, `127.4.0.${(index % PING_IPS) + 1}`, opening(HOSTNAME, STATUS)));
  });
  console.log(JSON.stringify(summary(await Promise.all(asked))));
  process.exit();
}

/** Milliseconds from the second failed ping to the first that is answered. @param {number} port @param {number} seconds */
async function away(port, seconds) {
  const until = performance.now() + seconds * SECOND;
  let failed = 0;
  let since = 0;
  while (performance.now() < until) {
    if ((await answerTime(port, "127.4.0.1", opening(HOSTNAME, STATUS))) !== null) break;
    if (++failed === 2) since = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  console.log(JSON.stringify({ ms: Math.round(performance.now() - since) }));
  process.exit();
}

const PROGRAMS = { world, attack, players, pings, away };
const [, , name, first, second] = process.argv;
await PROGRAMS[/** @type {keyof typeof PROGRAMS} */ (name)](Number(first), Number(second));

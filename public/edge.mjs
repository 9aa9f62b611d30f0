#!/usr/bin/env node
// An edge node of the console's game protection: drives a HAProxy on this machine. Node 20 or newer and nothing else.
//
//   node edge.mjs haproxy-config [--listen IP:PORT] [--slots N] [--rate N] [--handshakes N]
//       [--connections N] [--run-dir DIR]
//       prints the configuration that HAProxy needs
//   node edge.mjs run URL [--key-file FILE] [--run-dir DIR] [--state-dir DIR] [--listen IP:PORT] [--allow-private]
//       fetches what to protect, applies it, reports what it saw; the node's key comes from --key-file, from the systemd
//       credential "edge-key", or from standard input
//
//   node edge.mjs unit URL [the options of run]
//       prints shell lines that make a systemd unit of "run", and of what it needs under /run
//
// HAProxy runs with one backend per slot, and a slot belongs to one service: a player of one service can never reach the
// origin of another. Everything is applied through HAProxy's socket, without a reload. Packets are counted by nftables.
//
// A node never serves less than before because something failed: the last ip that a name had, and the last version that
// could be served, stay until better ones are there. Only "disabled" and "gone" hold at once.
//
// Made of the modules in the folder edge of its project: change those, and run "npm run documents".
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { BlockList, connect, createServer, isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

// ---- limits

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** Intervals are kept this long while the console is away. It takes them until they are two hours old. */
const SPOOL_TIME = 118 * MINUTE;
/** The console takes no longer text as the error of a service. */
const MAX_ERROR = 256;
/** The console refuses what is further ahead of its clock. */
const MAX_CLOCK_ERROR = 3 * SECOND;
/** For this long a console that refused a report is sent only what its first version knew. */
const PLAIN_TIME = 10 * MINUTE;
/** The most intervals, and the most acknowledgements, of one report. */
const REPORT_SIZE = 500;
/** Seconds that the console may hold a request for the configuration. */
const HOLD_SECONDS = 25;
/** No request to the console takes longer. */
const REQUEST_TIME = 40 * SECOND;
/** No configuration is longer, in bytes. */
const MAX_ANSWER = 32 * 2 ** 20;
/** The longest wait that the console may ask for. */
const MAX_RETRY_AFTER = 15 * MINUTE;
/** A slot rests this long before another service gets it: HAProxy may still be connecting a player of the one before. */
const SLOT_REST = 30 * SECOND;
/** Players stay with an origin that was changed until they leave, this long at most. */
const DRAIN_TIME = 60 * MINUTE;
/** Counters are read and kept this often, so that a restart of HAProxy loses little. */
const READ_EVERY = 10 * SECOND;
/** HAProxy and nft answer within this time, on a busy machine too. */
const TOOL_TIME = 15 * SECOND;
/** An origin answers a ping and DNS a question within this time. */
const PING_TIME = 3 * SECOND;
/** No answer to a status ping is longer, in bytes; so many bytes of a service's answers are kept, and of all together. */
const MAX_STATUS = 64 * 1024;
const MAX_STATUSES = 64 * 2 ** 20;
/** Answers of a service that are kept, each for another version of the protocol. */
const MAX_PROTOCOLS = 8;
/** With so many failed connections of players in a row, the origin is away. */
const AWAY_AFTER = 2;
/** An origin that is reached but answers no status ping is back after this time. */
const SILENT_TIME = MINUTE;
/** More status pings a second of a service are answered by the node. */
const PINGS_TO_ORIGIN = 20;
/** Connections a second that the node answers itself, and those of them that ask for unknown hostnames. */
const ANSWERS_A_SECOND = 1000;
const UNKNOWN_A_SECOND = 200;
/** A client of the node's own answers is closed after this time, and when it sends more bytes. */
const ANSWER_TIME = 5 * SECOND;
const MAX_REQUEST = 1024;
/** Clients that wait for the node's own answers at once. */
const MAX_ASKERS = 2000;
/** Pings that run at once. */
const PINGS_AT_ONCE = 32;
/** Look-ups that run at once: many, because a name whose servers are silent takes its whole time. */
const NAMES_AT_ONCE = 512;
/** Pings leave from these ports, which nftables does not count. They lie above Linux' own range for clients. */
const PING_PORTS = { first: 61_000, last: 61_999 };
/**
 * Where services share an origin, all but the first leave from ports of their own, so that packets can be told apart. The
 * ranges lie below and above Linux' own range for clients and the ports of pings.
 */
const RANGE_SIZE = 1024;
const RANGES = [
  ...Array.from({ length: 22 }, (_, index) => 10_240 + index * RANGE_SIZE),
  ...Array.from({ length: 3 }, (_, index) => 62_464 + index * RANGE_SIZE),
];

// ---- log

/** An error whose message is all that the operator needs. */
class PlainError extends Error {}

/** What an error says, with its cause. @param {unknown} error */
function messageOf(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** A number and what it counts, such as "1 service" and "2 services". @param {number} number @param {string} word */
const amount = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

/** One line; what others wrote loses its control characters. @param {string} text */
function log(text) {
  // biome-ignore lint: control characters are what is taken away
  process.stderr.write(`${new Date().toISOString()} ${text.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ")}\n`);
}

// ---- clock

/** What the console's clock is ahead of this machine's when this program started, in milliseconds. */
let clockOffset = 0;

/** The time by the console's clock: minutes are its minutes. Setting this machine's clock meanwhile changes nothing. */
const now = () => Math.round(performance.timeOrigin + performance.now()) + clockOffset;

/**
 * Takes in what time the console says it is. Its answers are seconds old at the most and whole seconds.
 * @param {string | null} date
 */
function followClock(date) {
  const time = Date.parse(date ?? "");
  if (Number.isNaN(time)) return;
  const offset = time + SECOND / 2 - (now() - clockOffset);
  if (Math.abs(offset - clockOffset) <= MAX_CLOCK_ERROR) return;
  clockOffset = Math.abs(offset) <= MAX_CLOCK_ERROR ? 0 : offset;
  log(
    `This machine's clock and the console's differ by ${amount(Math.round(offset / SECOND), "second")}; the console's counts.`,
  );
}

/** When the minute of a time began. @param {number} time */
const startOfMinute = (time) => time - (time % MINUTE);

// ---- configuration

/**
 * @typedef {{ id: number, version: number, java_hostname: string, origin_host: string, origin_port: number, enabled: boolean,
 *   proxy_protocol?: "v2", offline_text?: string }} Service `offline_text`: what players read while the origin is away.
 *   `proxy_protocol`: the origin is told each player's ip by it; without it, it sees this node's.
 */

/** @typedef {{ id: number, version: number, problem: string }} Held A service whose new version the console itself refuses. */

/** @typedef {{ revision: string, services: Service[], held?: Held[] }} Configuration */

/** @param {unknown} number @param {number} min @param {number} max */
const isWhole = (number, min, max) => Number.isInteger(number) && Number(number) >= min && Number(number) <= max;

/** Whether it is a held service, whole. @param {unknown} value */
function isHeld(value) {
  const { id, version, problem } = /** @type {Held} */ (value);
  return isWhole(id, 1, 2 ** 31 - 1) && isWhole(version, 0, 2 ** 31 - 1) && typeof problem === "string";
}

/** Whether it is a service, whole. @param {unknown} value */
function isService(value) {
  const service = /** @type {Service} */ (value);
  return (
    isWhole(service?.id, 1, 2 ** 31 - 1) &&
    // Another writer's new service has version 0.
    isWhole(service.version, 0, 2 ** 31 - 1) &&
    isWhole(service.origin_port, 1, 65_535) &&
    typeof service.java_hostname === "string" &&
    typeof service.origin_host === "string" &&
    typeof service.enabled === "boolean" &&
    [undefined, "v2"].includes(service.proxy_protocol) &&
    ["undefined", "string"].includes(typeof service.offline_text)
  );
}

// ---- console

const VERSION = "1.2";

/** @typedef {{ service_id: number, version: number | null, error: string | null, serving_version?: number | null, warning?: string | null }} Acknowledgement */

/** What the console answered when it did not take what was sent. */
class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} message
   * @param {number} retryAfter milliseconds; 0 when it said nothing
   */
  constructor(status, message, retryAfter) {
    super(`The console answered ${status}: ${message}`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** What a node asks the console and tells it. */
class Console {
  /**
   * @param {string} url
   * @param {string} key
   * @param {number} listenPort
   */
  constructor(url, key, listenPort) {
    // Players need an SRV record for another port than Minecraft's own, which the console tells their owners of.
    this.agent = `console-edge/${VERSION}${listenPort === 25_565 ? "" : ` port/${listenPort}`}`;
    this.base = `${url.replace(/\/+$/, "")}/ingest/v1/edge`;
    this.key = key;
  }

  /** Sets the clock by the console's answer, if it comes soon: what is kept on disk counts the console's minutes. */
  async askTime() {
    await this.#fetch("configuration", { method: "HEAD" }, AbortSignal.timeout(PING_TIME)).catch(() => {});
  }

  /**
   * Waits for a configuration other than the one of `etag`. Null: there is none yet.
   * @param {string | null} etag
   * @param {AbortSignal} signal
   */
  async configuration(etag, signal) {
    const headers = etag ? { "If-None-Match": etag, Prefer: `wait=${HOLD_SECONDS}` } : {};
    const response = await this.#fetch("configuration", { headers }, signal);
    if (response.status === 304) return null;
    const body = await readJson(response);
    const data = body?.data;
    const isWhole = Array.isArray(data?.services) && data.services.every(isService) && (data.held ?? []).every(isHeld);
    if (typeof data?.revision !== "string" || !isWhole) {
      throw new Error("The console's configuration cannot be read.");
    }
    return { configuration: /** @type {Configuration} */ (data), etag: response.headers.get("etag") };
  }

  /**
   * @param {{ acknowledgements: Acknowledgement[], intervals: Interval[], node_minutes?: NodeMinute[] }} report
   * @param {AbortSignal} signal
   * @throws Refusal
   */
  async report(report, signal) {
    const headers = { "Content-Type": "application/json" };
    const response = await this.#fetch("reports", { method: "POST", headers, body: JSON.stringify(report) }, signal);
    const body = await readJson(response);
    // Something between may answer 200 with a page of its own.
    if (typeof body?.data?.stored !== "number") throw new Error("The answer is not the console's.");
  }

  /**
   * @param {string} path
   * @param {RequestInit} init
   * @param {AbortSignal} signal
   */
  async #fetch(path, init, signal) {
    const response = await fetch(`${this.base}/${path}`, {
      ...init,
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIME)]),
      headers: { ...init.headers, Authorization: `Bearer ${this.key}`, "User-Agent": this.agent },
    });
    followClock(response.headers.get("date"));
    if (response.ok || response.status === 304) return response;
    const message = String((await readJson(response).catch(() => null))?.error ?? "no reason");
    const retryAfter = /^\d{1,6}$/.test(response.headers.get("retry-after") ?? "")
      ? Math.min(Number(response.headers.get("retry-after")) * SECOND, MAX_RETRY_AFTER)
      : 0;
    throw new Refusal(response.status, message.slice(0, 300), retryAfter);
  }
}

/** @param {Response} response */
async function readJson(response) {
  const chunks = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER) throw new Error("The console's answer is too long.");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** Waits longer after each failure, up to half a minute, or as long as the console asks. */
class Backoff {
  failures = 0;

  reset() {
    this.failures = 0;
  }

  /** @param {unknown} error */
  next(error) {
    const own = Math.min(2 ** this.failures++ * SECOND, 30 * SECOND) * (0.75 + Math.random() / 2);
    return Math.max(own, error instanceof Refusal ? error.retryAfter : 0);
  }
}

// ---- haproxy-config

/**
 * The configuration that HAProxy needs. Nothing of it comes from the console: services are applied through the socket.
 * @param {{ listen: string, slots: number, rate: number, handshakes: number, connections: number, runDir: string }} options
 *   Of one ip, or one network of 64 bits in IPv6: `rate` connections a second to one service; to this node `handshakes` new
 *   connections a second, and `connections` that are open at once.
 */
function haproxyConfig({ listen, slots, rate, handshakes, connections, runDir }) {
  const map = join(runDir, "hosts.map");
  const backends = Array.from({ length: slots }, (_, index) => [
    `backend ${slotName(index + 1)}`,
    "    stick-table type ipv6 size 10k expire 10s store conn_rate(1s)",
    "    tcp-request content track-sc1 src,ipmask(32,64)",
    `    tcp-request content reject if { sc1_conn_rate gt ${rate} }`,
    `    tcp-request content track-sc2 str(${slotName(index + 1)}) table joins if !{ var(sess.ping) -m found }`,
    // Servers are added at run time: one that takes new players, and those that keep theirs until they leave.
    "    balance roundrobin",
  ]);
  return [
    "# Made by edge.mjs. Before HAProxy starts, make the folder and an empty map:",
    `#   mkdir -p ${runDir} && touch ${map}`,
    "global",
    `    stats socket ${socketPath(runDir)} mode 600 level admin`,
    "defaults",
    "    mode tcp",
    // Bytes are counted as they pass, not when a player leaves.
    "    option contstats",
    // A second try would count twice.
    "    retries 0",
    "    timeout connect 5s",
    "    timeout client 60s",
    "    timeout server 60s",
    "backend clients",
    "    stick-table type ipv6 size 1m expire 1m store conn_cur,conn_rate(1s)",
    // By slot. Entries never expire, because they count.
    `backend ${JOINS}`,
    `    stick-table type string len 16 size ${slots} store conn_cur,conn_cnt`,
    "backend pings",
    `    stick-table type string len 16 size ${slots} store conn_rate(1s)`,
    "frontend players",
    ...bindsOf(listen).map((bind) => `    bind ${bind}`),
    "    tcp-request connection track-sc0 src,ipmask(32,64) table clients",
    `    tcp-request connection reject if { sc0_conn_cur gt ${connections} } || { sc0_conn_rate gt ${handshakes} }`,
    "    tcp-request inspect-delay 2s",
    ...handshakeRules(map),
    `    use_backend ${RESPONDER} if !{ var(sess.slot) -m found }`,
    `    use_backend ${RESPONDER} if { var(sess.way) -m beg ${AWAY} } ${IS_ANSWERING}`,
    `    use_backend ${RESPONDER} if { var(sess.way) -m beg ${KEPT} } { var(sess.ping) -m found } { sc2_conn_rate gt ${PINGS_TO_ORIGIN} } ${IS_ANSWERING}`,
    "    use_backend %[var(sess.slot)]",
    `backend ${RESPONDER}`,
    `    tcp-request content reject if { be_sess_rate gt ${ANSWERS_A_SECOND} }`,
    `    server edge unix@${responderPath(runDir)} check inter 500ms fall 1 rise 1`,
    ...backends.flat(),
    "",
  ].join("\n");
}

/** Which slot counted what its players asked for. */
const JOINS = "joins";
/** The backend of what this program answers itself, and whether it runs. */
const RESPONDER = "responder";
const IS_ANSWERING = `{ nbsrv(${RESPONDER}) gt 0 }`;
/** Before the slot of a hostname: the origin is away; this node has an answer of the origin to status pings. */
const AWAY = "off_";
const KEPT = "kept_";

/** Where HAProxy listens: without an ip in IPv4 and, where this machine has it, in IPv6. @param {string} listen */
const bindsOf = (listen) =>
  listen.startsWith(":") && existsSync("/proc/net/if_inet6") ? [listen, `::${listen} v6only`] : [listen];

/**
 * Reads the hostname of a Minecraft handshake: length, 0, protocol (1, 2 or 5 bytes), hostname with its length, port. All
 * lengths are varints: a first byte below 0x80 is the whole number. The second byte of those used here is 1 (128 to 255),
 * for which the first byte alone is the number as well.
 * @param {string} map path of the file that says which hostname has which slot
 */
function handshakeRules(map) {
  const rules = [];
  const isShort = (/** @type {number} */ offset) => `{ req.payload(${offset},1),hex -m reg ^[0-7] }`;
  for (const lengthBytes of [1, 2]) {
    const protocol = lengthBytes + 1;
    const length = lengthBytes === 1 ? isShort(0) : `!${isShort(0)}`;
    for (const [protocolBytes, condition] of /** @type {const} */ ([
      [1, isShort(protocol)],
      [2, `!${isShort(protocol)} ${isShort(protocol + 1)}`],
      [5, `!${isShort(protocol)} !${isShort(protocol + 1)}`],
    ])) {
      const hostname = protocol + protocolBytes;
      rules.push(`set-var(sess.host) req.payload_lv(${hostname},1) if ${length} ${condition} ${isShort(hostname)}`);
      if (lengthBytes === 2) {
        rules.push(
          `set-var(sess.host) req.payload_lv(${hostname},1,+1) if ${length} ${condition} !${isShort(hostname)}`,
        );
      }
    }
  }
  // Clients behind an SRV record send a final dot, and modded ones append NUL and more.
  const clean = String.raw`regsub("(?s)^([^\x00]*?)[.]?(\x00.*)?$","\1"),lower`;
  const isAnswered = `${IS_ANSWERING} !{ be_sess_rate(${RESPONDER}) gt ${UNKNOWN_A_SECOND} }`;
  rules.push(
    // The last byte of a handshake says what comes next: 1 is the status. A length of two bytes is 128 to 255, or more.
    `set-var(sess.ping) bool(true) if ${isShort(0)} { req.payload_lv(0,1),hex -m end 01 }`,
    `set-var(sess.ping) bool(true) if !${isShort(0)} { req.payload(1,1),hex -m str 01 } { req.payload_lv(0,1,+1),hex -m end 01 }`,
    `set-var(sess.ping) bool(true) if !${isShort(0)} { req.payload(1,1),hex -m str 02 } { req.payload_lv(0,1,+129),hex -m end 01 }`,
    `set-var(sess.way) 'var(sess.host),${clean},map(${map})'`,
    `set-var(sess.slot) var(sess.way),regsub(^${AWAY}|^${KEPT},) if { var(sess.way) -m found }`,
    "track-sc2 var(sess.slot) table pings if { var(sess.slot) -m found } { var(sess.ping) -m found }",
    "accept if { var(sess.slot) -m found }",
    `accept if { var(sess.host) -m found } ${isAnswered}`,
    // Waits for more bytes until here. What never becomes a handshake is closed.
    "reject",
  );
  // What clients of before 2013 send is no handshake. One of 254 bytes begins alike.
  const isOld = "{ req.payload(0,1),hex -m str FE } !{ req.payload(1,2),hex -m str 0100 }";
  rules.unshift(`accept if ${isOld} ${isAnswered}`, `reject if ${isOld}`);
  return rules.map((rule) => `    tcp-request content ${rule}`);
}

/** The backend of a slot. @param {number} slot counted from 1 */
const slotName = (slot) => `slot_${slot}`;
/** Where this program's own answers are. @param {string} runDir */
const responderPath = (runDir) => join(runDir, "responder.sock");
/** Where HAProxy is asked. @param {string} runDir */
const socketPath = (runDir) => join(runDir, "haproxy.sock");

// ---- haproxy

/** @typedef {{ source: string, first: number }} Range An own ip, and the first port of a range, to leave from. */

/**
 * @typedef {{ service: number, ip: string, port: number, range: Range | null, isProxied?: boolean,
 *   drainedAt: number | null }} Server A server of HAProxy that this program added. One that is drained keeps its players and gets no new ones.
 */

/** @typedef {{ ip: string, port: number, isReady: boolean, isDrained: boolean }} FoundServer A server as HAProxy has it. */

/**
 * @typedef {{ sessions: number, attempts: number, failed: number, bytes: number, open: number, joins: number,
 *   players: number, waiting: number }} ServerCounters Counted by HAProxy since it started, but for `open`, `players` and
 *   `waiting`: sessions now, players now, and sessions that are about to be led to a server.
 */

/** The part of a server's state that says that its configuration disabled it at the start. It never goes away. */
const WAS_DISABLED = 4;
const IS_DRAINED = 8;

/** Asks a running HAProxy. Only numbers, checked hostnames and numeric ips are ever written to it. */
class Haproxy {
  /** @param {string} runDir */
  constructor(runDir) {
    this.path = socketPath(runDir);
    this.responder = responderPath(runDir);
    this.map = join(runDir, "hosts.map");
  }

  /**
   * @param {string} command
   * @returns {Promise<string>}
   */
  ask(command) {
    return new Promise((resolve, reject) => {
      const socket = connect(this.path);
      let answer = "";
      socket.setEncoding("utf8");
      socket.setTimeout(TOOL_TIME, () =>
        socket.destroy(new Error(`HAProxy did not answer in ${TOOL_TIME / SECOND} s`)),
      );
      socket.on("connect", () => socket.write(`${command}\n`));
      socket.on("data", (chunk) => (answer += chunk));
      socket.on("error", (error) =>
        reject(new PlainError(`HAProxy cannot be asked at ${this.path}: ${error.message}`)),
      );
      socket.on("close", () => resolve(answer.trim()));
    });
  }

  /** The number of the HAProxy process: another one knows nothing of what was applied. */
  async processId() {
    return Number(/^Pid: (\d+)/m.exec(await this.ask("show info"))?.[1] ?? 0);
  }

  /** The servers as HAProxy has them, by their slot and name. */
  async servers() {
    /** @type {Map<number, Map<string, FoundServer>>} */
    const slots = new Map();
    const [, header = "", ...rows] = (await this.ask("show servers state")).split("\n");
    const names = header.replace(/^# /, "").split(" ");
    for (const row of rows) {
      const values = Object.fromEntries(row.split(" ").map((value, index) => [names[index], value]));
      const slot = Number(/^slot_(\d+)$/.exec(values.be_name ?? "")?.[1] ?? 0);
      if (!slot) continue;
      const state = Number(values.srv_admin_state) & ~WAS_DISABLED;
      const servers = slots.get(slot) ?? new Map();
      const [ip, port] = [values.srv_addr ?? "", Number(values.srv_port)];
      servers.set(values.srv_name ?? "", { ip, port, isReady: state === 0, isDrained: state === IS_DRAINED });
      slots.set(slot, servers);
    }
    return slots;
  }

  /** Where each hostname leads: a slot, and before it what its players get instead of the origin. */
  async hostnames() {
    /** @type {Map<string, string>} */
    const hostnames = new Map();
    for (const row of (await this.ask(`show map ${this.map}`)).split("\n")) {
      const [, hostname, way] = /^0x[0-9a-f]+ (\S+) ((?:off_|kept_)?slot_\d+)$/.exec(row) ?? [];
      if (hostname && way) hostnames.set(hostname, way);
    }
    return hostnames;
  }

  /**
   * What each slot and each of its servers has counted, by `slot_1` and `slot_1/o1`, and what the frontend refused.
   * `joins`: whether HAProxy's configuration has them counted. `isAnswering`: whether it knows of this program's answers.
   */
  async counters() {
    /** @type {Map<string, ServerCounters>} */
    const counters = new Map();
    const joins = await this.#joins();
    let refused = 0;
    let isAnswering = false;
    let openOnServers = 0;
    for (const values of await this.#stat("")) {
      const { pxname = "", svname = "" } = values;
      if (pxname === "players") refused = Number(values.dreq) + Number(values.dcon);
      if (pxname === RESPONDER) isAnswering = true;
      if (!/^slot_\d+$/.test(pxname)) continue;
      const open = Number(values.scur);
      if (svname === "BACKEND") {
        const asked = joins?.get(pxname) ?? { joins: 0, players: 0 };
        const waiting = Math.max(0, open - openOnServers);
        counters.set(pxname, { ...NOTHING_COUNTED, sessions: Number(values.stot), open, waiting, ...asked });
        // The servers of a slot come before its sum.
        openOnServers = 0;
        continue;
      }
      openOnServers += open;
      counters.set(`${pxname}/${svname}`, {
        ...NOTHING_COUNTED,
        attempts: Number(values.stot),
        failed: Number(values.econ),
        bytes: Number(values.bin) + Number(values.bout),
        open,
      });
    }
    return { counters, refused, hasJoins: joins !== null, isAnswering };
  }

  /** The failed connections of each server since HAProxy started, and the bytes that came from it. */
  async failures() {
    /** @type {Map<string, { failed: number, bytes: number }>} */
    const failures = new Map();
    // Of servers alone: it is asked for twice a second.
    for (const { pxname, svname, econ, bout } of await this.#stat(" -1 4 -1")) {
      failures.set(`${pxname}/${svname}`, { failed: Number(econ), bytes: Number(bout) });
    }
    return failures;
  }

  /** @param {string} filter */
  async #stat(filter) {
    const [header = "", ...rows] = (await this.ask(`show stat${filter}`)).split("\n");
    const names = header.replace(/^# /, "").split(",");
    return rows.map((row) => Object.fromEntries(row.split(",").map((value, index) => [names[index], value])));
  }

  /** The connections of each slot that asked to play, and those of them that are open. Null: an older configuration. */
  async #joins() {
    const answer = await this.ask(`show table ${JOINS}`);
    if (!answer.startsWith("# table")) return null;
    return new Map(
      Array.from(answer.matchAll(/ key=(slot_\d+) .*$/gm), ([row, slot = ""]) => {
        const value = (/** @type {string} */ name) => Number(new RegExp(` ${name}=(\\d+)`).exec(row)?.[1] ?? 0);
        return [slot, { joins: value("conn_cnt"), players: value("conn_cur") }];
      }),
    );
  }

  /** @param {string} hostname */
  forget(hostname) {
    return this.ask(`del map ${this.map} ${hostname}`);
  }

  /** @param {string} hostname @param {string} way */
  lead(hostname, way) {
    return this.ask(`add map ${this.map} ${hostname} ${way}`);
  }

  /** Changes what players of a hostname get, in one step. @param {string} hostname @param {string} way */
  leadAgain(hostname, way) {
    return this.ask(`set map ${this.map} ${hostname} ${way}`);
  }

  /**
   * Adds a server to a slot, which takes the slot's new players from now on. Its players leave from `range`, if any.
   * @param {number} slot
   * @param {string} name
   * @param {Pick<Server, "ip" | "port" | "range" | "isProxied">} server
   */
  async add(slot, name, { ip, port, range, isProxied }) {
    const proxy = isProxied ? " send-proxy-v2" : "";
    const source = range ? ` source ${endOf(range.source, range.first)}-${range.first + RANGE_SIZE - 1}` : "";
    const answer = await this.ask(`add server ${slotName(slot)}/${name} ${endOf(ip, port)}${source}${proxy}`);
    if (!answer.includes("registered")) throw new PlainError(`HAProxy did not take a server: ${answer.slice(0, 200)}`);
    await this.take(slot, name);
  }

  /** A server takes new players. @param {number} slot @param {string} name */
  async take(slot, name) {
    await this.ask(`set server ${slotName(slot)}/${name} state ready`);
  }

  /** A server takes no new players, and keeps those that it has. @param {number} slot @param {string} name */
  async drain(slot, name) {
    await this.ask(`set server ${slotName(slot)}/${name} state drain`);
  }

  /** Closes a server and its players. @param {number} slot @param {string} name */
  async close(slot, name) {
    await this.ask(`set server ${slotName(slot)}/${name} state maint`);
    await this.ask(`shutdown sessions server ${slotName(slot)}/${name}`);
  }

  /** Deletes a server that has no players. @param {number} slot @param {string} name */
  async remove(slot, name) {
    await this.ask(`set server ${slotName(slot)}/${name} state maint`);
    await this.ask(`del server ${slotName(slot)}/${name}`);
  }
}

/** @param {string} ip @param {number} port */
const endOf = (ip, port) => (isIPv6(ip) ? `[${ip}]:${port}` : `${ip}:${port}`);

/** What a server has counted that has just been added. */
const NOTHING_COUNTED = {
  sessions: 0,
  attempts: 0,
  failed: 0,
  bytes: 0,
  open: 0,
  joins: 0,
  players: 0,
  waiting: 0,
};

// ---- intervals

/**
 * @typedef {{ packets: number, bytes: number, dropped: number, connections: number, joins: number, pings: number,
 *   answered: number, players: number }} Counters `joins`, `pings`: connections to the origin that asked to play, and for the
 *   status. `answered`: status pings that this node answered itself. `players`: now.
 */

/**
 * @typedef {{ packets: number, bytes: number, dropped: number, connections: number, joins?: number, pings?: number,
 *   answered?: number, players?: number, service_id: number, ts: number, latency_ms: number | null }} Interval
 */

/** @typedef {{ ts: number, refused: number }} NodeMinute What a node refused in a minute that belongs to no service. */

/** What a service had in a minute that has just begun. */
const NOTHING = {
  packets: 0,
  bytes: 0,
  dropped: 0,
  connections: 0,
  joins: 0,
  pings: 0,
  answered: 0,
  players: 0,
};

/** A counter that went back has started anew. @param {number} now @param {number} before */
const difference = (now, before) => (now < before ? now : now - before);

/** What all services had together. @param {Iterable<Counters>} all */
function sum(all) {
  const total = { ...NOTHING };
  for (const counters of all) {
    for (const name of /** @type {const} */ (["packets", "bytes", "dropped", "connections"])) {
      total[name] += counters[name];
    }
  }
  return total;
}

// ---- ips

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Whether a text is a DNS name in lower case: nothing else is ever written to HAProxy's socket as a hostname. */
function isHostname(/** @type {unknown} */ text) {
  return typeof text === "string" && text.length <= 253 && text.split(".").every((label) => LABEL.test(label));
}

/** The console's own list, word for word (its `special-ranges.ts`). */
const SPECIAL_RANGES = [
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.88.99.0/24",
  "192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4",
  "100::/64 2001::/23 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8",
  // These embed an IPv4 address, which may be private.
  "::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 2002::/16",
].flatMap((line) => line.split(" "));
const SPECIAL = new BlockList();
for (const range of SPECIAL_RANGES) {
  const [network = "", prefix] = range.split("/");
  SPECIAL.addSubnet(network, Number(prefix), network.includes(":") ? "ipv6" : "ipv4");
}

/** The ranges that the console refuses as well. @param {string} ip */
const isPrivate = (ip) => SPECIAL.check(ip, isIPv6(ip) ? "ipv6" : "ipv4");

/**
 * The one spelling of an ip: the shortest for IPv6, and IPv4 for one that is embedded in IPv6 (::ffff:192.0.2.1). Null for
 * any other text, and for an ip with a zone.
 * @param {string} text
 * @returns {string | null}
 */
function canonicalIp(text) {
  if (isIP(text) === 4) return text;
  if (isIP(text) !== 6 || text.includes("%")) return null;
  const ip = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(ip) ?? [];
  if (!high || !low) return ip;
  return [high, low].flatMap((half) => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 255]).join(".");
}

/** The ips under which this machine reaches itself. */
function ownIps() {
  const infos = Object.values(networkInterfaces()).flat();
  return new Set(["0.0.0.0", "::", ...infos.flatMap((info) => canonicalIp(info?.address ?? "") ?? [])]);
}

/**
 * HAProxy may write an IPv6 ip in another form.
 * @param {string} one
 * @param {string} other
 */
function sameIp(one, other) {
  if (one === other) return true;
  if (!isIPv6(one) || !isIPv6(other)) return false;
  const list = new BlockList();
  list.addAddress(one, "ipv6");
  return list.check(other, "ipv6");
}

// ---- names

/** @typedef {{ ips: string[], isWhole: boolean }} Answer `isWhole`: both IPv4 and IPv6 were answered. No ips: not found. */

/** Looks up names, each once at a time. One whose servers are silent keeps nobody else waiting. */
class Names {
  /** Those that are looked up now. @type {Map<string, Promise<Answer>>} */
  #asked = new Map();
  /** @type {(() => void)[]} */
  #waiting = [];
  #free = NAMES_AT_ONCE;

  /** @param {string} host @returns {Promise<Answer>} never fails */
  find(host) {
    const asked = this.#asked.get(host) ?? this.#find(host).finally(() => this.#asked.delete(host));
    this.#asked.set(host, asked);
    return asked;
  }

  /** @param {string} host @returns {Promise<Answer>} */
  async #find(host) {
    if (this.#free > 0) this.#free--;
    else await new Promise((resolve) => this.#waiting.push(() => resolve(null)));
    try {
      return await lookUp(host);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

/**
 * The ips of a name: those of /etc/hosts, or those in DNS, IPv4 first.
 * @param {string} host
 * @returns {Promise<Answer>}
 */
async function lookUp(host) {
  const known = ipsOfHostsFile(host);
  if (known.length > 0) return { ips: known, isWhole: true };
  // A new one each time, because the name servers of this machine may change. It does not use the threads that
  // requests to the console need.
  const resolver = new Resolver({ timeout: SECOND, tries: 2 });
  const timer = setTimeout(() => resolver.cancel(), PING_TIME);
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  clearTimeout(timer);
  const ips = answers.flatMap((answer) =>
    answer.status === "fulfilled" ? answer.value.flatMap((ip) => canonicalIp(ip) ?? []).sort() : [],
  );
  const isWhole = answers.every(
    ({ status, ...answer }) => status === "fulfilled" || /** @type {any} */ (answer).reason?.code === "ENODATA",
  );
  return { ips: [...new Set(ips)], isWhole };
}

/** @param {string} host */
function ipsOfHostsFile(host) {
  try {
    const lines = readFileSync("/etc/hosts", "utf8").split("\n");
    return lines.flatMap((line) => {
      const [ip = "", ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
      return names.includes(host) ? (canonicalIp(ip) ?? []) : [];
    });
  } catch {
    return [];
  }
}

// ---- node

/** What a node serves, has counted and has told, and how that is kept over a restart. */
class Node {
  /** @type {Configuration | null} */
  configuration = null;
  /** @type {string | null} */
  etag = null;
  /** The service that each slot belongs to. @type {Map<number, { service: number }>} */
  slots = new Map();
  /** The last version of each service that worked. @type {Map<number, Served>} */
  served = new Map();
  /** The servers that were added to HAProxy, by `slot_1/o1`. @type {Map<string, Server>} */
  servers = new Map();
  /** The number of the server that was added last. */
  lastServer = 0;
  names = new Names();
  /** When a slot was left, as `performance.now()`. @type {Map<number, number>} */
  leftAt = new Map();
  /** Beginning of the minute that is being counted. */
  minute = 0;
  /** What each service had in this minute. @type {Map<number, Counters>} */
  current = new Map();
  /** @type {Map<string, ServerCounters>} */
  counters = new Map();
  /** What is to be taken from the next numbers of a service. @type {Map<number, { connections: number, dropped: number, pings: number }>} */
  owed = new Map();
  /** @type {Map<number, number>} */
  packetCounters = new Map();
  /** @type {Map<number, number | null>} */
  latencies = new Map();
  /** How the origin of each service answers status pings. @type {Map<number, Answers>} */
  answers = new Map();
  /** @type {Interval[]} */
  spool = [];
  /** What this node refused in this minute that belongs to no service, and HAProxy's counter of it. */
  refused = 0;
  refusedBefore = 0;
  /** @type {NodeMinute[]} */
  nodeSpool = [];
  /** Whether HAProxy's configuration has joins counted, and knows of this program's answers. */
  hasJoins = false;
  isAnswering = false;
  /** @type {Statuses} */
  statuses;
  /** Services whose origin is away. `reachedAt`: since when it is reached but answers no ping, as `performance.now()`. @type {Map<number, { reachedAt: number | null }>} */
  away = new Map();
  /** How often players could not be connected in a row, by `slot_1/o1`. @type {Map<string, { failed: number, bytes: number, inARow: number }>} */
  failures = new Map();
  /** Services that are asked now with a version of the protocol that a client brought. @type {Set<number>} */
  learning = new Set();
  /** Services that were applied once, and those of them that are gone. @type {Set<number>} */
  applied = new Set();
  /** @type {Set<number>} */
  gone = new Set();
  /** What is true now, by service. @type {Map<number, Acknowledgement>} */
  acknowledgements = new Map();
  /** What the console was told, by service. @type {Map<number, string>} */
  told = new Map();
  /** Until then the console is sent only what its first version knew. */
  plainUntil = 0;
  /** @type {Wanted[]} */
  wanted = [];
  haproxyId = 0;
  isReachable = true;
  lastMinute = { ...NOTHING };
  stop = new AbortController();
  /** Changes of HAProxy come one after the other. @type {Promise<unknown>} */
  work = Promise.resolve();

  /** @param {{ haproxy: Haproxy, console: Console, store: Store, allowPrivate: boolean, listenPort: number }} parts */
  constructor({ haproxy, console, store, allowPrivate, listenPort }) {
    this.haproxy = haproxy;
    this.console = console;
    this.store = store;
    this.allowPrivate = allowPrivate;
    this.listenPort = listenPort;
    this.statuses = store.readStatuses();
  }

  load() {
    const state = this.store.read();
    this.minute = startOfMinute(now());
    this.configuration = state.configuration ?? null;
    this.etag = state.etag ?? null;
    this.slots = new Map(state.slots);
    this.served = new Map(state.served);
    this.servers = new Map(state.servers);
    this.lastServer = state.lastServer ?? 0;
    this.counters = new Map(state.counters);
    this.packetCounters = new Map(state.packetCounters);
    this.spool = state.spool ?? [];
    this.refused = state.refused ?? 0;
    this.hasJoins = state.hasJoins ?? false;
    this.refusedBefore = state.refusedBefore ?? 0;
    this.nodeSpool = state.nodeSpool ?? [];
    this.applied = new Set(state.applied);
    this.gone = new Set(state.gone);
    if (!state.served) this.#loadOldState(/** @type {any} */ (state));
    // An older program counted less.
    const current = new Map((state.current ?? []).map(([id, counted]) => [id, { ...NOTHING, ...counted }]));
    if (state.minute === this.minute) this.current = current;
    else if (state.minute) this.closeMinute(state.minute, current);
  }

  /**
   * Takes over what version 1.0 of this program left, whose slots had one server each that was there from the start.
   * @param {{ slots?: [number, { service: number, ip: string, port: number }][], slotCounters?: [number, ServerCounters][] }} state
   */
  #loadOldState({ slots = [], slotCounters = [] }) {
    const services = new Map(this.configuration?.services.map((service) => [service.id, service]));
    for (const [slot, { service: id, ip, port }] of slots) {
      const service = services.get(id);
      if (service) this.served.set(id, { service, ip, lostSince: null, isOff: false });
      this.servers.set(`${slotName(slot)}/origin`, { service: id, ip, port, range: null, drainedAt: null });
    }
    for (const [slot, counted] of slotCounters) {
      this.counters.set(slotName(slot), { ...NOTHING_COUNTED, sessions: counted.sessions });
      this.counters.set(`${slotName(slot)}/origin`, { ...counted, sessions: 0, open: 0 });
    }
  }

  save() {
    this.store.write({
      configuration: this.configuration,
      etag: this.etag,
      slots: [...this.slots],
      served: [...this.served],
      servers: [...this.servers],
      lastServer: this.lastServer,
      minute: this.minute,
      current: [...this.current],
      counters: [...this.counters],
      packetCounters: [...this.packetCounters],
      spool: this.spool,
      hasJoins: this.hasJoins,
      refused: this.refused,
      refusedBefore: this.refusedBefore,
      nodeSpool: this.nodeSpool,
      applied: [...this.applied],
      gone: [...this.gone],
    });
  }

  /**
   * @template Result
   * @param {() => Promise<Result>} task
   * @returns {Promise<Result>}
   */
  inOrder(task) {
    const done = this.work.then(task);
    this.work = done.catch(() => {});
    return done;
  }

  /** A client that this node answered itself. @param {number} service @param {"answered" | "dropped"} name */
  count(service, name) {
    const of = this.current.get(service) ?? { ...NOTHING };
    this.current.set(service, { ...of, [name]: of[name] + 1 });
  }

  /**
   * Puts a minute that is over into the spool.
   * @param {number} ts
   * @param {ReadonlyMap<number, Counters>} counters
   */
  closeMinute(ts, counters) {
    for (const [id, { packets, bytes, dropped, connections, ...values }] of counters) {
      const latency = this.latencies.get(id);
      const { answered, ...asked } = values;
      this.spool.push({
        service_id: id,
        ts,
        packets,
        bytes,
        dropped,
        connections,
        ...(this.hasJoins && { ...asked, answered }),
        latency_ms: latency == null ? null : Math.round(latency * 100) / 100,
      });
    }
    const oldest = now() - SPOOL_TIME;
    this.spool = this.spool.filter((interval) => interval.ts >= oldest);
    if (this.hasJoins) this.nodeSpool.push({ ts, refused: this.refused });
    this.nodeSpool = this.nodeSpool.filter((minute) => minute.ts >= oldest);
    this.refused = 0;
  }

  reached() {
    if (!this.isReachable) log("The console is reachable again.");
    this.isReachable = true;
  }

  /** @param {unknown} error */
  failed(error) {
    if (this.stop.signal.aborted) return;
    if (this.isReachable || error instanceof Refusal) log(`${messageOf(error)} What is served stays as it is.`);
    this.isReachable = false;
  }
}

// ---- minecraft

/** A handshake without a version of the protocol: a client that pings does not play. */
const ANY_PROTOCOL = -1;

/** A number of the protocol of Minecraft. @param {number} number @returns {Buffer} */
function varint(number) {
  const bytes = [];
  let rest = number >>> 0;
  do {
    bytes.push(rest > 127 ? (rest & 127) | 128 : rest);
    rest >>>= 7;
  } while (rest > 0);
  return Buffer.from(bytes);
}

/** A packet of it: its length, then its parts. @param {...Buffer} parts */
function packet(...parts) {
  const body = Buffer.concat(parts);
  return Buffer.concat([varint(body.length), body]);
}

/**
 * Reads the answer to a status ping: a packet with the id 0 and a text of JSON. Null: not one. Undefined: more bytes are
 * needed.
 * @param {Buffer} bytes
 * @returns {string | null | undefined}
 */
function readStatus(bytes) {
  let at = 0;
  const number = () => {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) return undefined;
      if (shift > 28) return null;
      value |= (byte & 127) << shift;
      shift += 7;
      if (byte < 128) return value >>> 0;
    }
  };
  const numbers = [];
  for (let index = 0; index < 3; index++) {
    const value = number();
    if (value == null) return value;
    numbers.push(value);
  }
  const [length = 0, id, textLength = 0] = numbers;
  if (id !== 0 || length > MAX_STATUS || textLength > length) return null;
  if (bytes.length < at + textLength) return undefined;
  const text = bytes.toString("utf8", at, at + textLength);
  try {
    const status = JSON.parse(text);
    return status && typeof status === "object" && !Array.isArray(status) ? text : null;
  } catch {
    return null;
  }
}

/** @typedef {{ hostname: string, protocol: number, isPing: boolean }} Asked */

/**
 * Reads what a client asks for: a handshake, or the ping of clients of before 2013. Undefined: more bytes are needed. Null:
 * it is neither. `length`: bytes of the handshake.
 * @param {Buffer} bytes
 * @returns {(Asked & { length: number }) | "old ping" | null | undefined}
 */
function readHandshake(bytes) {
  if (bytes[0] === 0xfe && (bytes[1] !== 1 || bytes[2] !== 0)) return "old ping";
  const reader = new Reader(bytes);
  const length = reader.varint();
  const start = reader.at;
  const id = reader.varint();
  const protocol = reader.varint();
  const nameLength = reader.varint();
  const name = reader.bytes(nameLength);
  reader.bytes(2);
  const next = reader.varint();
  if (reader.isBroken || (reader.isShort && bytes.length >= MAX_REQUEST)) return null;
  if (reader.isShort) return undefined;
  if (id !== 0 || reader.at - start !== length) return null;
  // Clients behind an SRV record send a final dot, and modded ones append NUL and more.
  const hostname = name.toString("latin1").replace(/\0.*$/s, "").replace(/\.$/, "").toLowerCase();
  return { hostname, protocol: protocol | 0, isPing: next === 1, length: reader.at };
}

/** Reads numbers and texts of the protocol of Minecraft. Past the end it reads zeros and `isShort` is true. */
class Reader {
  at = 0;
  isShort = false;
  isBroken = false;
  #bytes;

  /** @param {Buffer} bytes */
  constructor(bytes) {
    this.#bytes = bytes;
  }

  varint() {
    let value = 0;
    for (let shift = 0; shift <= 28; shift += 7) {
      const byte = this.#bytes[this.at++];
      if (byte === undefined) {
        this.isShort = true;
        return 0;
      }
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
    this.isBroken = true;
    return 0;
  }

  /** @param {number} length */
  bytes(length) {
    const part = this.#bytes.subarray(this.at, this.at + length);
    this.at += length;
    if (this.at > this.#bytes.length) this.isShort = true;
    return part;
  }
}

/** A packet that holds a text. @param {number} id @param {string} value */
function textPacket(id, value) {
  const bytes = Buffer.from(value);
  return packet(varint(id), varint(bytes.length), bytes);
}

/** The kick of clients of before 2013, which show its text in their list. @param {string} text */
function oldKick(text) {
  const fields = ["\u00a71", "127", "", text, "0", "0"].join("\0");
  const body = Buffer.from(fields, "utf16le").swap16();
  return Buffer.concat([Buffer.from([0xff, fields.length >> 8, fields.length & 255]), body]);
}

// ---- ping

/** @typedef {{ plain: boolean, proxied: boolean }} Answers Which pings an origin answers: without PROXY protocol, and with it. */

/** What PROXY protocol v2 begins with. */
const PROXY_SIGNATURE = Buffer.from("0d0a0d0a000d0a515549540a", "hex");

/**
 * The header of PROXY protocol v2 that says who connects, as HAProxy sends it for players.
 * @param {import("node:net").Socket} socket a connected one
 */
function proxyHeader({ localAddress = "", localPort = 0, remoteAddress = "", remotePort = 0 }) {
  const isV6 = isIPv6(remoteAddress);
  const ports = Buffer.alloc(4);
  ports.writeUInt16BE(localPort, 0);
  ports.writeUInt16BE(remotePort, 2);
  const body = Buffer.concat([ipBytes(localAddress), ipBytes(remoteAddress), ports]);
  // Version 2, a connection for somebody else; TCP over IPv4 or IPv6.
  const head = Buffer.from([0x21, isV6 ? 0x21 : 0x11, body.length >> 8, body.length & 255]);
  return Buffer.concat([PROXY_SIGNATURE, head, body]);
}

/** The 4 or 16 bytes of an ip. @param {string} ip */
function ipBytes(ip) {
  if (!isIPv6(ip)) return Buffer.from(ip.split(".").map(Number));
  const [before = "", after] = (canonicalIp(ip) ?? "::").split("::");
  const groups = (/** @type {string} */ text) => (text ? text.split(":") : []);
  const [first, last] = [groups(before), groups(after ?? "")];
  const all = [...first, ...Array(8 - first.length - last.length).fill("0"), ...last];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}

/**
 * Sends an origin a status ping of Minecraft. `latency`: milliseconds until its first byte, null when none came.
 * `status`: the JSON of its answer, null when there was none that can be read.
 * @param {Pick<Wanted, "hostname" | "ip" | "port" | "isProxied">} service
 * @param {number} [protocol] the version that the ping claims
 * @returns {Promise<{ isConnected: boolean, latency: number | null, status: string | null }>}
 */
function pingOrigin({ hostname, ip, port, isProxied }, protocol = ANY_PROTOCOL) {
  const name = Buffer.from(hostname);
  const handshake = packet(
    Buffer.from([0]),
    varint(protocol),
    varint(name.length),
    name,
    Buffer.from([port >> 8, port & 255]),
    Buffer.from([1]),
  );
  const { first, last } = PING_PORTS;
  return new Promise((resolve) => {
    const localPort = first + Math.floor(Math.random() * (last - first + 1));
    const socket = connect({ host: ip, port, localPort });
    let startedAt = 0;
    /** @type {number | null} */
    let latency = null;
    let seen = Buffer.alloc(0);
    const end = (/** @type {string | null} */ status) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ isConnected: startedAt > 0, latency: status === null ? null : latency, status });
    };
    const timer = setTimeout(() => end(null), PING_TIME);
    socket.on("connect", () => {
      startedAt = performance.now();
      const header = isProxied ? [proxyHeader(socket)] : [];
      socket.write(Buffer.concat([...header, handshake, packet(Buffer.from([0]))]));
    });
    socket.on("data", (chunk) => {
      latency ??= performance.now() - startedAt;
      seen = Buffer.concat([seen, chunk]);
      const status = readStatus(seen);
      if (status !== undefined) end(status);
    });
    socket.on("error", () => end(null));
    socket.on("close", () => end(null));
  });
}

// ---- judge

/**
 * @typedef {{ service: Service, ip: string, lostSince: number | null, isOff: boolean }} Served The last version that worked, the
 *   ip of its origin, since when the name of the origin has not been found, and whether the owner disabled it since.
 */

/**
 * @typedef {{ id: number, version: number, hostname: string, ip: string, port: number, range: Range | null,
 *   isProxied: boolean }} Wanted A service that this node can serve now. `isProxied`: by PROXY protocol v2.
 */

/**
 * Finds the ip of a service's origin. The one in use stays while DNS still names it, and for as long as the name is not
 * found.
 * @param {Service} service
 * @param {Served | undefined} served the version in use
 * @param {{ allowPrivate: boolean, listenPort: number, names: Names, deadline: Promise<null> }} options `deadline`: a
 *   name that is in use is not waited for any longer
 * @returns {Promise<{ ip: string, lostSince: number | null }>}
 * @throws PlainError that the owner reads as the service's error
 */
async function resolveOrigin(service, served, { allowPrivate, listenPort, names, deadline }) {
  const { origin_port: port } = service;
  const host = service.origin_host.toLowerCase();
  const current = served?.service.origin_host.toLowerCase() === host ? served : undefined;
  const numeric = canonicalIp(host);
  if (numeric === null && !isHostname(host)) throw new PlainError("The origin is neither an ip nor a hostname.");
  const answer =
    numeric === null ? await Promise.race([names.find(host), deadline]) : { ips: [numeric], isWhole: true };
  if (answer === null && current) return { ip: current.ip, lostSince: current.lostSince };
  if (answer === null || answer.ips.length === 0) {
    if (!current) throw new PlainError(`The origin ${host} cannot be found in DNS.`);
    return { ip: current.ip, lostSince: current.lostSince ?? now() };
  }
  const allowed = answer.ips.filter((ip) => allowPrivate || !isPrivate(ip));
  if (allowed.length === 0) throw new PlainError(`The origin ${host} is a private ip, which this node does not serve.`);
  const own = ownIps();
  // Also when the name has further ips: those of other nodes, which would send players back here.
  if (port === listenPort && allowed.some((ip) => own.has(ip) || ip.startsWith("127."))) {
    throw new PlainError("The origin is this node itself.");
  }
  const stays = current && (allowed.includes(current.ip) || !answer.isWhole);
  return { ip: stays ? current.ip : /** @type {string} */ (allowed[0]), lostSince: null };
}

/**
 * What of a configuration this node can serve, and what stands in the way of the rest. Where a new version cannot be
 * served, the last servable version goes on.
 * @param {Configuration} configuration
 * @param {{ allowPrivate: boolean, listenPort: number, names: Names, served: ReadonlyMap<number, Served>,
 *   servers: ReadonlyMap<number, Server> }} options `servers`: of each service that has one, that which takes new players
 * @param {Origins} origins
 */
async function judge({ services, held = [] }, { served, servers, ...rules }, origins) {
  // A look-up that began at once has ended by then: silence is an answer, too.
  const deadline = new Promise((resolve) => setTimeout(() => resolve(null), PING_TIME + SECOND).unref());
  const options = { ...rules, deadline: /** @type {Promise<null>} */ (deadline) };
  /** @type {Map<number, Wanted>} */
  const wanted = new Map();
  /** @type {Map<number, Served>} */
  const next = new Map();
  /** @type {Map<number, string>} */
  const errors = new Map();
  const hostnames = new Set();
  const take = async (
    /** @type {Service} */ service,
    /** @type {{ ip: string, lostSince: number | null }} */ { ip, lostSince },
  ) => {
    const { id, version, java_hostname: hostname, origin_port: port } = service;
    if (!isHostname(hostname)) throw new PlainError("The public hostname is no DNS name.");
    if (hostnames.has(hostname)) throw new PlainError("Another service has this public hostname.");
    const server = servers.get(id);
    const isSame = server && sameIp(server.ip, ip) && server.port === port;
    const range = await origins.take(id, ip, port, isSame ? server.range : undefined);
    hostnames.add(hostname);
    wanted.set(id, { id, version, hostname, ip, port, range, isProxied: service.proxy_protocol === "v2" });
    next.set(id, { service, ip, lostSince, isOff: false });
  };

  // Services that are served already come first, so that a new one takes nothing from them.
  const byAge = (/** @type {{ id: number }} */ one, /** @type {{ id: number }} */ other) =>
    Number(servers.has(other.id) || served.has(other.id)) - Number(servers.has(one.id) || served.has(one.id)) ||
    one.id - other.id;
  const enabled = services.filter(({ enabled }) => enabled).sort(byAge);
  const found = await Promise.allSettled(
    enabled.map(async (service) => resolveOrigin(service, served.get(service.id), options)),
  );
  for (const [index, service] of enabled.entries()) {
    const origin = /** @type {PromiseSettledResult<{ ip: string, lostSince: number | null }>} */ (found[index]);
    try {
      if (origin.status === "rejected") throw origin.reason;
      await take(service, origin.value);
    } catch (error) {
      errors.set(service.id, messageOf(error));
    }
  }
  for (const { id, problem } of held) errors.set(id, problem);
  for (const id of [...errors.keys()]) {
    const last = served.get(id);
    if (!last || last.isOff) continue;
    try {
      await take(last.service, await resolveOrigin(last.service, last, options).catch(() => last));
    } catch {
      // Its hostname or its room is somebody else's by now; the error says why the new version is not served.
    }
  }
  for (const { id } of [...services, ...held]) {
    const last = served.get(id);
    // The ip that its name had is remembered; the version itself is not served again.
    if (last && !next.has(id)) next.set(id, { ...last, isOff: last.isOff || !errors.has(id) });
  }
  return { wanted: [...wanted.values()], served: next, errors };
}

/**
 * Whether a service leads to the same end in the same way.
 * @param {Wanted | undefined} one @param {Wanted} other
 */
const isSameOrigin = (one, other) =>
  one?.ip === other.ip &&
  one.port === other.port &&
  one.isProxied === other.isProxied &&
  one.hostname === other.hostname;

// ---- acknowledge

/**
 * Says of each service which version this node serves, and why not a newer one.
 * @param {Node} node
 * @param {Configuration} configuration
 * @param {ReadonlyMap<number, string>} errors
 */
function acknowledge(node, { services, held = [] }, errors) {
  const all = [...services, ...held];
  const present = new Set(all.map(({ id }) => id));
  for (const id of node.applied) if (!present.has(id)) node.gone.add(id);
  for (const id of present) node.gone.delete(id);
  node.applied = present;
  const versions = new Map(node.wanted.map(({ id, version }) => [id, version]));
  node.acknowledgements = new Map(
    all.map(({ id, version }) => {
      const error = errors.get(id)?.slice(0, MAX_ERROR) ?? null;
      const serving_version = versions.get(id) ?? null;
      return [id, { service_id: id, version, error, serving_version, warning: warningOf(node, id) }];
    }),
  );
  for (const id of node.gone) node.acknowledgements.set(id, { service_id: id, version: null, error: null });
}

/** What the owner should know of a service that is served. @param {Node} node @param {number} id */
function warningOf(node, id) {
  const served = node.served.get(id);
  const service = node.wanted.find((one) => one.id === id);
  if (!served || !service) return null;
  const warnings = [];
  if (served.lostSince) {
    const since = `${new Date(served.lostSince).toISOString().slice(0, 16).replace("T", " ")} UTC`;
    const name = served.service.origin_host;
    warnings.push(`${name} has not been found in DNS since ${since}; this node goes on with ${served.ip}.`);
  }
  const answers = node.answers.get(id);
  if (answers) warnings.push(...warningsOfPings(answers, service.isProxied));
  return warnings.join(" ") || null;
}

/**
 * Keeps which pings an origin answers, and what its owner should know of it.
 * @param {Node} node
 * @param {Wanted} service
 * @param {Answers} answers
 */
function learnAnswers(node, service, answers) {
  // It may have changed during the ping.
  if (!node.wanted.some((one) => one.id === service.id && isSameOrigin(one, service))) return;
  node.answers.set(service.id, answers);
  const said = node.acknowledgements.get(service.id);
  if (said?.warning === undefined) return;
  // A report that is under way carries the one before.
  node.acknowledgements.set(service.id, { ...said, warning: warningOf(node, service.id) });
}

/**
 * What the owner should know of how an origin answers. Players get in the way in which the service is set up alone.
 * @param {Answers} answers
 * @param {boolean} isProxied
 */
function warningsOfPings({ plain, proxied }, isProxied) {
  if (isProxied ? proxied : plain) return [];
  if (!plain && !proxied)
    return ["The origin does not answer a status ping, neither with PROXY protocol v2 nor without it."];
  return isProxied
    ? [
        "The origin answers without PROXY protocol v2 only: switch it on there, or real ips off here. Until then nobody can join.",
      ]
    : [
        "The origin answers with PROXY protocol v2 only: switch real ips on here, or it off there. Until then nobody can join.",
      ];
}

// ---- waiting

/**
 * Does a task for each item, a few at a time.
 * @template Item
 * @param {readonly Item[]} items
 * @param {(item: Item) => Promise<void>} task
 */
async function inTurns(items, task) {
  let next = 0;
  const work = async () => {
    while (next < items.length) await task(/** @type {Item} */ (items[next++]));
  };
  await Promise.all(Array.from({ length: PINGS_AT_ONCE }, work));
}

/**
 * Waits so long, or until the signal.
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function sleep(milliseconds, signal) {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}

// ---- ways

/** Where the hostname of a service leads now. @param {Node} node @param {number} slot @param {number} service */
function wayOf(node, slot, service) {
  if (!node.isAnswering) return slotName(slot);
  if (node.away.has(service)) return AWAY + slotName(slot);
  return node.statuses.has(service) ? KEPT + slotName(slot) : slotName(slot);
}

/** Has the hostname of a service lead where it should by now. @param {Node} node @param {number} id */
function leadAgain(node, id) {
  return node
    .inOrder(async () => {
      const [slot] = [...node.slots].find(([, { service }]) => service === id) ?? [];
      const hostname = node.wanted.find((one) => one.id === id)?.hostname;
      if (slot === undefined || !hostname) return;
      const way = wayOf(node, slot, id);
      const before = (await node.haproxy.hostnames()).get(hostname);
      // A missing hostname is added by the next turn.
      if (before !== undefined && before !== way) await node.haproxy.leadAgain(hostname, way);
    })
    .catch((error) => log(messageOf(error)));
}

// ---- ping-origins

/** Finds out which pings an origin answers, and tells the console. @param {Node} node @param {Wanted} service */
async function tryBothWays(node, service) {
  const [plain, proxied] = await Promise.all([
    pingOrigin({ ...service, isProxied: false }),
    pingOrigin({ ...service, isProxied: true }),
  ]);
  learnAnswers(node, service, { plain: plain.status !== null, proxied: proxied.status !== null });
}

/**
 * Pings the origin of each service: for its latency, for its answers, and for how it wants to be reached.
 * @param {Node} node
 */
async function pingAll(node) {
  const minute = node.minute;
  const isSilent = (/** @type {Wanted} */ { id }) => {
    const { plain, proxied } = node.answers.get(id) ?? { plain: true, proxied: true };
    return Number(!plain && !proxied);
  };
  // Those that were silent take longest. They come last, so that the others are measured within their minute.
  const inOrder = [...node.wanted].sort((one, other) => isSilent(one) - isSilent(other));
  await inTurns(inOrder, async (service) => {
    const { latency, status } = await pingOrigin(service);
    if (minute === node.minute) node.latencies.set(service.id, latency);
    const { isProxied } = service;
    const other = status === null && (await pingOrigin({ ...service, isProxied: !isProxied })).status !== null;
    learnAnswers(
      node,
      service,
      isProxied ? { plain: other, proxied: status !== null } : { plain: status !== null, proxied: other },
    );
    keepStatus(node, service, ANY_PROTOCOL, status);
    if (status === null) return;
    for (const protocol of node.statuses.protocolsOf(service.id)) {
      keepStatus(node, service, protocol, (await pingOrigin(service, protocol)).status);
    }
  });
  await node.store.writeStatuses(node.statuses);
}

/**
 * Keeps an answer of an origin that is still the one of the service.
 * @param {Node} node
 * @param {Wanted} service
 * @param {number} protocol
 * @param {string | null} status null: the last one stays
 */
function keepStatus(node, service, protocol, status) {
  if (status === null || !node.wanted.some((one) => one.id === service.id && isSameOrigin(one, service))) return;
  const isFirst = !node.statuses.has(service.id);
  node.statuses.keep(service.id, protocol, status);
  if (isFirst) void leadAgain(node, service.id);
}

// ---- statuses

/** What players read of a hostname that no service has, and of an origin that is away and has no text of its owner. */
const UNKNOWN_TEXT = "There is no game server with this name here.";
const AWAY_TEXT = "This server is offline. Try again later.";
const SOON_TEXT = "This server is busy. Try again in a moment.";

/**
 * The status of a server that is away: the last one that it had, without players, and crossed out by clients.
 * @param {string | null} last the JSON of its last status
 * @param {string | undefined} text of the owner
 */
function awayStatus(last, text) {
  /** @type {{ description?: unknown, favicon?: unknown, players?: { max?: unknown } }} */
  const { description, favicon, players } = last === null ? {} : JSON.parse(last);
  const max = Number.isInteger(players?.max) ? players?.max : 0;
  return JSON.stringify({
    // Clients show the name of a version that they cannot play in the place of the players.
    version: { name: "Offline", protocol: -1 },
    players: { max, online: 0 },
    description: text || last === null ? { text: text || AWAY_TEXT } : description,
    ...(typeof favicon === "string" && { favicon }),
  });
}

/** The last answers of origins to this node's own pings, by service and version of the protocol. */
class Statuses {
  /** The version that was asked for last comes last. @type {Map<number, Map<number, string>>} */
  #kept = new Map();
  #size = 0;

  /** @param {readonly [number, [number, string][]][]} kept */
  constructor(kept) {
    for (const [service, answers] of kept) for (const [protocol, text] of answers) this.keep(service, protocol, text);
  }

  /** The versions of the protocol that clients of a service asked with. @param {number} service */
  protocolsOf(service) {
    return [...(this.#kept.get(service)?.keys() ?? [])].filter((protocol) => protocol !== ANY_PROTOCOL);
  }

  /** @param {number} service */
  has(service) {
    return this.#kept.has(service);
  }

  /** The answer to this version of the protocol, or to none. @param {number} service @param {number} protocol */
  find(service, protocol) {
    const answers = this.#kept.get(service);
    const own = answers?.get(protocol);
    if (own === undefined || protocol === ANY_PROTOCOL) return own ?? answers?.get(ANY_PROTOCOL) ?? null;
    answers?.delete(protocol);
    answers?.set(protocol, own);
    return own;
  }

  /** Whether there is an answer to exactly this version. @param {number} service @param {number} protocol */
  knows(service, protocol) {
    return this.#kept.get(service)?.has(protocol) ?? false;
  }

  /**
   * Keeps an answer in the place of the one before. Those that were not asked for the longest make room.
   * @param {number} service
   * @param {number} protocol
   * @param {string} text
   */
  keep(service, protocol, text) {
    const answers = this.#kept.get(service) ?? new Map();
    const more = text.length - (answers.get(protocol)?.length ?? 0);
    const least = text.length + (protocol === ANY_PROTOCOL ? 0 : (answers.get(ANY_PROTOCOL)?.length ?? 0));
    if (least > MAX_STATUS || this.#size + more > MAX_STATUSES) return;
    this.#drop(answers, protocol);
    // The one of no version is every client's last resort, so it stays.
    const others = [...answers.keys()].filter((one) => one !== ANY_PROTOCOL);
    const sizeOf = () => [...answers.values()].reduce((sum, one) => sum + one.length, text.length);
    while (others.length > 0 && (answers.size >= MAX_PROTOCOLS || sizeOf() > MAX_STATUS))
      this.#drop(answers, others.shift());
    answers.set(protocol, text);
    this.#size += text.length;
    this.#kept.set(service, answers);
  }

  /** @param {number} service */
  forget(service) {
    const answers = this.#kept.get(service) ?? new Map();
    for (const protocol of answers.keys()) this.#drop(answers, protocol);
    this.#kept.delete(service);
  }

  /** Forgets the services that are not in this list. @param {ReadonlySet<number>} services */
  keepOnly(services) {
    for (const service of this.#kept.keys()) if (!services.has(service)) this.forget(service);
  }

  toJSON() {
    return [...this.#kept].map(([service, answers]) => [service, [...answers]]);
  }

  /** @param {Map<number, string>} answers @param {number | undefined} protocol */
  #drop(answers, protocol) {
    if (protocol === undefined) return;
    this.#size -= answers.get(protocol)?.length ?? 0;
    answers.delete(protocol);
  }
}

// ---- answers

/** What a client that HAProxy sent here gets; null asks for the text of the old ping. @param {Node} node @param {Asked | null} asked */
function answerClient(node, asked) {
  const service = asked && node.wanted.find(({ hostname }) => hostname === asked.hostname);
  if (!asked || !service) return asked?.isPing ? awayStatus(null, UNKNOWN_TEXT) : UNKNOWN_TEXT;
  const { id } = service;
  const isAway = node.away.has(id);
  const text = node.served.get(id)?.service.offline_text;
  node.count(id, asked.isPing ? "answered" : "dropped");
  if (!asked.isPing) return isAway ? text || AWAY_TEXT : SOON_TEXT;
  if (!node.statuses.knows(id, asked.protocol)) void learnProtocol(node, service, asked.protocol);
  const status = node.statuses.find(id, asked.protocol);
  return isAway || status === null ? awayStatus(status, isAway ? text : SOON_TEXT) : status;
}

/** Asks an origin with the version of the protocol that a client brought, one a second. @param {Node} node @param {Wanted} service @param {number} protocol */
async function learnProtocol(node, service, protocol) {
  if (node.away.has(service.id) || node.learning.has(service.id)) return;
  node.learning.add(service.id);
  keepStatus(node, service, protocol, (await pingOrigin(service, protocol)).status);
  await sleep(SECOND, node.stop.signal);
  node.learning.delete(service.id);
}

// ---- packets

/** The table of nftables in which packets are counted. */
const NFT_TABLE = "inet console_edge";

/**
 * Runs nft. @throws PlainError with what it said
 * @param {string[]} args
 * @param {string} [input]
 * @returns {Promise<string>}
 */
function nft(args, input = "") {
  return new Promise((resolve, reject) => {
    const child = spawn("nft", args, { stdio: "pipe", timeout: TOOL_TIME });
    let [output, problem] = ["", ""];
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (problem += chunk));
    child.stdin.on("error", () => {});
    child.on("error", (error) => reject(new PlainError(`nft cannot be run: ${error.message}`)));
    child.on("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new PlainError(`nft failed: ${problem.trim().split("\n")[0] ?? code}`));
    });
    child.stdin.end(input);
  });
}

/**
 * Counts the packets between this machine and the origins, both ways. @throws PlainError where that cannot be had: a
 * guess is no counter.
 */
async function preparePacketCounters() {
  const { first, last } = PING_PORTS;
  const maps = [4, 6].flatMap((version) => [
    `origins${version} { type ipv${version}_addr . inet_service : counter; }`,
    `ranges${version} { type ipv${version}_addr . inet_service . inet_service : counter; flags interval; }`,
  ]);
  const lines = [`add table ${NFT_TABLE}`, ...maps.map((map) => `add map ${NFT_TABLE} ${map}`)];
  for (const [chain, own, end] of [
    ["output", "sport", "daddr . tcp dport"],
    ["input", "dport", "saddr . tcp sport"],
  ]) {
    const count = (/** @type {string} */ ip, /** @type {number} */ version) => [
      `add rule ${NFT_TABLE} ${chain} counter name ${ip} ${end} . tcp ${own} map @ranges${version} return`,
      `add rule ${NFT_TABLE} ${chain} counter name ${ip} ${end} map @origins${version}`,
    ];
    lines.push(
      `add chain ${NFT_TABLE} ${chain} { type filter hook ${chain} priority 0; policy accept; }`,
      `flush chain ${NFT_TABLE} ${chain}`,
      `add rule ${NFT_TABLE} ${chain} tcp ${own} ${first}-${last} return`,
      ...count("ip", 4),
      ...count("ip6", 6),
    );
  }
  try {
    await nft(["-f", "-"], `${lines.join("\n")}\n`);
  } catch (error) {
    throw new PlainError(`Packets cannot be counted here, so this node does not start: ${messageOf(error)}.`);
  }
}

/** The packets counted for each service, and which ip, port and range of own ports each counts for. */
async function readPackets() {
  /** @type {Map<number, number>} */
  const packets = new Map();
  /** @type {Map<string, number>} */
  const origins = new Map();
  /** @type {{ nftables: { counter?: { name: string, packets: number }, map?: { elem?: unknown[] } }[] }} */
  const { nftables } = JSON.parse(await nft(["-j", "list", "table", ...NFT_TABLE.split(" ")]));
  for (const { counter, map } of nftables) {
    const id = Number(/^service_(\d+)$/.exec(counter?.name ?? "")?.[1] ?? 0);
    if (counter && id) packets.set(id, counter.packets);
    for (const element of /** @type {[{ concat: [string, number, { range: [number, number] }?] }, string][]} */ (
      map?.elem ?? []
    )) {
      const [
        {
          concat: [ip, port, own],
        },
        name,
      ] = element;
      origins.set(originKey(ip, port, own?.range[0]), Number(name.replace("service_", "")));
    }
  }
  return { packets, origins };
}

/**
 * Counts for exactly these servers from now on, each for its service. A service that is gone loses its counter.
 * @param {readonly Server[]} servers
 */
async function setPacketCounters(servers) {
  const { packets, origins } = await readPackets();
  const target = new Map(servers.map(({ service, ip, port, range }) => [originKey(ip, port, range?.first), service]));
  const lines = [];
  const element = (/** @type {string} */ key) => {
    const [ip = "", port, first] = key.split(" ");
    const kind = first ? "ranges" : "origins";
    const own = first ? ` . ${first}-${Number(first) + RANGE_SIZE - 1}` : "";
    return { map: `${kind}${isIPv6(ip) ? 6 : 4}`, text: `${ip} . ${port}${own}` };
  };
  for (const [key, id] of origins) {
    if (target.get(key) === id) continue;
    const { map, text } = element(key);
    lines.push(`delete element ${NFT_TABLE} ${map} { ${text} }`);
  }
  const kept = new Set(target.values());
  for (const id of kept) if (!packets.has(id)) lines.push(`add counter ${NFT_TABLE} service_${id}`);
  for (const [key, id] of target) {
    if (origins.get(key) === id) continue;
    const { map, text } = element(key);
    lines.push(`add element ${NFT_TABLE} ${map} { ${text} : "service_${id}" }`);
  }
  for (const id of packets.keys()) if (!kept.has(id)) lines.push(`delete counter ${NFT_TABLE} service_${id}`);
  if (lines.length > 0) await nft(["-f", "-"], `${lines.join("\n")}\n`);
}

/**
 * How an origin is called, or the way to it from a range of own ports.
 * @param {string} ip
 * @param {number} port
 * @param {number} [first] the first own port of a range
 */
const originKey = (ip, port, first) => (first ? `${ip} ${port} ${first}` : `${ip} ${port}`);

// ---- counters

/** Adds to the current minute what was counted since the last reading. @param {Node} node */
async function readCounters(node) {
  const { counters, refused, hasJoins, isAnswering } = await node.haproxy.counters();
  [node.hasJoins, node.isAnswering] = [hasJoins, isAnswering];
  const { packets } = await readPackets();
  const slotOf = new Map([...node.slots].map(([slot, { service }]) => [slotName(slot), service]));
  /** What each service had since. @type {Map<number, ServerCounters>} */
  const since = new Map();
  for (const [path, now] of counters) {
    const service = slotOf.get(path.replace(/\/.*/, ""));
    if (service === undefined) continue;
    const before = node.counters.get(path) ?? NOTHING_COUNTED;
    // HAProxy has started anew, and its counters with it.
    const isNew = now.sessions < before.sessions || now.attempts < before.attempts || now.bytes < before.bytes;
    const sum = since.get(service) ?? { ...NOTHING_COUNTED };
    for (const name of /** @type {const} */ (["sessions", "attempts", "failed", "bytes", "joins"])) {
      sum[name] += isNew ? now[name] : now[name] - (before[name] ?? 0);
    }
    sum.waiting += now.waiting - (isNew ? 0 : (before.waiting ?? 0));
    sum.players += now.players;
    since.set(service, sum);
  }
  let overRate = 0;
  for (const [service, { sessions, waiting, attempts, failed, bytes, joins, players }] of since) {
    const over = sessions - waiting - attempts;
    overRate += over;
    const { connections, dropped, pings } = settle(node, service, {
      connections: attempts - failed,
      // Each session that did not become a connection to the origin.
      dropped: over + failed,
      pings: attempts - joins,
    });
    const of = node.current.get(service) ?? { ...NOTHING };
    node.current.set(service, {
      ...of,
      joins: of.joins + joins,
      pings: of.pings + pings,
      players,
      packets: of.packets + difference(packets.get(service) ?? 0, node.packetCounters.get(service) ?? 0),
      bytes: of.bytes + Math.max(0, bytes),
      dropped: of.dropped + dropped,
      connections: of.connections + connections,
    });
  }
  node.counters = counters;
  node.packetCounters = packets;
  // HAProxy's frontend counts what its backends refuse as well, which is a service's.
  node.refused += Math.max(0, difference(refused, node.refusedBefore) - overRate);
  node.refusedBefore = refused;
}

/**
 * What a service had since the last reading. A connection that fails after it was counted makes a number negative, which is
 * taken from the next ones.
 * @param {Node} node
 * @param {number} service
 * @param {{ connections: number, dropped: number, pings: number }} counted
 */
function settle(node, service, counted) {
  const owed = node.owed.get(service) ?? { connections: 0, dropped: 0, pings: 0 };
  const settled = { ...counted };
  for (const name of /** @type {const} */ (["connections", "dropped", "pings"])) {
    const sum = counted[name] + owed[name];
    settled[name] = Math.max(0, sum);
    owed[name] = Math.min(0, sum);
  }
  node.owed.set(service, owed);
  return settled;
}

// ---- own-ports

/** Where the servers of HAProxy lead, and from which own ports. */
class Origins {
  /** The services of each origin and range. @type {Map<string, number>} */
  #users = new Map();
  /** @type {Set<number> | undefined} */
  #usable;

  /** @param {Iterable<Server>} servers those that there are */
  constructor(servers) {
    for (const { service, ip, port, range } of servers) this.#users.set(originKey(ip, port, range?.first), service);
  }

  /**
   * How a service leaves for an origin: from any port where no other service does, otherwise from a range of its own.
   * @param {number} service
   * @param {string} ip
   * @param {number} port
   * @param {Range | null | undefined} current how it leaves for this origin now, if it does
   * @returns {Promise<Range | null>}
   * @throws PlainError when no range is left
   */
  async take(service, ip, port, current) {
    const isOwn = (/** @type {number | undefined} */ first) => {
      const user = this.#users.get(originKey(ip, port, first));
      return user === undefined || user === service;
    };
    if (current !== undefined && isOwn(current?.first) && (!current || ownIps().has(current.source))) return current;
    if (isOwn(undefined)) {
      this.#users.set(originKey(ip, port), service);
      return null;
    }
    this.#usable ??= usableRanges();
    const source = await sourceOf(ip, port);
    const first = [...this.#usable].find(isOwn);
    if (!first || !source) {
      throw new PlainError(
        "This node has no room for another service with this origin. Choose another origin, or ask support.",
      );
    }
    this.#users.set(originKey(ip, port, first), service);
    return { source, first };
  }
}

/** The ranges of own ports in which nothing listens, and from which Linux takes no ports for other clients. */
function usableRanges() {
  const [low = 0, high = 0] = readNumbers("/proc/sys/net/ipv4/ip_local_port_range", /\d+/g);
  const listening = ["tcp", "tcp6"].flatMap((name) => {
    const rows = readText(`/proc/net/${name}`).matchAll(/^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:0000 0A /gm);
    return Array.from(rows, ([, port = ""]) => Number.parseInt(port, 16));
  });
  return new Set(
    RANGES.filter((first) => {
      const last = first + RANGE_SIZE - 1;
      return (last < low || first > high) && !listening.some((port) => port >= first && port <= last);
    }),
  );
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** @param {string} file @param {RegExp} pattern */
const readNumbers = (file, pattern) => (readText(file).match(pattern) ?? []).map(Number);

/**
 * The own ip from which this machine reaches another one. Nothing is sent.
 * @param {string} ip
 * @param {number} port
 * @returns {Promise<string | null>}
 */
function sourceOf(ip, port) {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(ip) ? "udp6" : "udp4");
    const end = (/** @type {string | null} */ source) => {
      socket.close();
      resolve(source);
    };
    socket.on("error", () => end(null));
    socket.connect(port, ip, () => end(canonicalIp(socket.address().address)));
  });
}

// ---- servers

/**
 * Forgets the servers that HAProxy does not have: it has started anew, or they were deleted.
 * @param {Node} node
 * @param {ReadonlyMap<number, ReadonlyMap<string, FoundServer>>} found
 */
function forgetServers(node, found) {
  const present = new Set(
    [...found].flatMap(([slot, servers]) => [...servers.keys()].map((name) => serverPath(slot, name))),
  );
  for (const path of node.servers.keys()) if (!present.has(path)) node.servers.delete(path);
}

/**
 * Brings HAProxy from what it serves to `target`. What goes is closed before anything opens, so that no slot ever
 * serves two services. Where the origin of a service changes, its players stay with the one that they have.
 * @param {Node} node
 * @param {Map<number, Wanted>} target
 */
async function reach(node, target) {
  const [found, hostnames] = [await node.haproxy.servers(), await node.haproxy.hostnames()];
  const leads = new Map([...target].map(([slot, { id, hostname }]) => [hostname, wayOf(node, slot, id)]));
  const slotOf = (/** @type {string | undefined} */ way) => way?.replace(/^[a-z]+_(?=slot)/, "");
  for (const [hostname, way] of hostnames) {
    if (slotOf(leads.get(hostname)) !== slotOf(way) && isHostname(hostname)) await node.haproxy.forget(hostname);
  }
  for (const [slot, servers] of found) {
    const isKept = target.has(slot) && node.slots.get(slot)?.service === target.get(slot)?.id;
    if (isKept) continue;
    for (const [name, { isReady, isDrained }] of servers) {
      if (isReady || isDrained) await node.haproxy.close(slot, name);
      node.servers.delete(serverPath(slot, name));
    }
  }
  for (const slot of node.slots.keys()) if (!target.has(slot)) node.leftAt.set(slot, performance.now());
  node.slots = new Map([...target].map(([slot, { id }]) => [slot, { service: id }]));
  for (const [slot, service] of target) await leadService(node, slot, service, found.get(slot) ?? new Map());
  for (const [hostname, way] of leads) {
    const before = hostnames.get(hostname);
    if (slotOf(before) !== slotOf(way)) await node.haproxy.lead(hostname, way);
    else if (before !== way) await node.haproxy.leadAgain(hostname, way);
  }
  await verify(node, target, leads);
}

/**
 * Has new players of a slot led to its origin, and drains the servers that led elsewhere.
 * @param {Node} node
 * @param {number} slot
 * @param {Wanted} service
 * @param {ReadonlyMap<string, FoundServer>} found
 */
async function leadService(node, slot, { id, ip, port, range, isProxied }, found) {
  const own = [...found].filter(
    ([name, { isReady, isDrained }]) => (isReady || isDrained) && node.servers.has(serverPath(slot, name)),
  );
  const [fits] =
    own.find(([name, server]) => {
      const known = node.servers.get(serverPath(slot, name));
      return leadsTo(server, ip, port) && isSameRange(known?.range, range) && Boolean(known?.isProxied) === isProxied;
    }) ?? [];
  const name = fits ?? `o${++node.lastServer}`;
  node.servers.set(serverPath(slot, name), { service: id, ip, port, range, isProxied, drainedAt: null });
  if (!fits) await node.haproxy.add(slot, name, { ip, port, range, isProxied });
  else if (!found.get(name)?.isReady) await node.haproxy.take(slot, name);
  for (const [other, { isReady, isDrained }] of found) {
    if (other === name || (!isReady && !isDrained)) continue;
    const server = node.servers.get(serverPath(slot, other));
    // Not added by this program, as far as it remembers: nobody can say where its players are counted.
    if (!server) await node.haproxy.close(slot, other);
    else if (isReady) {
      await node.haproxy.drain(slot, other);
      server.drainedAt ??= now();
    }
  }
}

/**
 * @param {Node} node
 * @param {Map<number, Wanted>} target
 * @param {Map<string, string>} leads
 * @throws PlainError when HAProxy serves something else
 */
async function verify(node, target, leads) {
  const [found, hostnames] = [await node.haproxy.servers(), await node.haproxy.hostnames()];
  const isServed = [...target].every(([slot, { ip, port }]) => {
    const ready = [...(found.get(slot) ?? new Map()).values()].filter(({ isReady }) => isReady);
    return ready.length === 1 && leadsTo(ready[0], ip, port);
  });
  const isLed = hostnames.size === leads.size && [...leads].every(([name, way]) => hostnames.get(name) === way);
  if (!isServed || !isLed) throw new PlainError("HAProxy did not take the configuration.");
}

/** Deletes the servers whose last player has left, and closes those that were drained long ago. @param {Node} node */
async function tidy(node) {
  for (const [slot, servers] of await node.haproxy.servers()) {
    for (const [name, { isReady }] of servers) {
      const path = serverPath(slot, name);
      const server = node.servers.get(path);
      if (isReady || (server && server.drainedAt === null)) continue;
      // Its last bytes are counted: it had no player when the counters were read, and gets none.
      if (node.counters.get(path)?.open === 0) {
        await node.haproxy.remove(slot, name);
        node.servers.delete(path);
      } else if (server) {
        // Drained by a clock that was ahead, it would stay longer.
        server.drainedAt = Math.min(server.drainedAt ?? 0, now());
        if (now() - server.drainedAt >= DRAIN_TIME) await node.haproxy.close(slot, name);
      }
    }
  }
  forgetServers(node, await node.haproxy.servers());
}

/** @param {number} slot @param {string} name */
const serverPath = (slot, name) => `${slotName(slot)}/${name}`;

/** @param {FoundServer} server @param {string} ip @param {number} port */
const leadsTo = (server, ip, port) => sameIp(server.ip, ip) && server.port === port;

/** @param {Range | null | undefined} one @param {Range | null} other */
const isSameRange = (one, other) => one?.first === other?.first && one?.source === other?.source;

// ---- apply

/** False when HAProxy or nftables cannot be asked, which is said: both go on with what they have. @param {Node} node */
async function tryToApply(node) {
  try {
    await node.inOrder(() => apply(node));
    return true;
  } catch (error) {
    log(`Not applied: ${messageOf(error)}`);
    return false;
  }
}

/** Makes HAProxy and nftables serve the configuration. Does nothing where both do already. @param {Node} node */
async function apply(node) {
  if (!node.configuration) return;
  forgetServers(node, await node.haproxy.servers());
  const current = [...node.servers.values()].filter(({ drainedAt }) => drainedAt === null);
  const { wanted, served, errors } = await judge(
    node.configuration,
    {
      allowPrivate: node.allowPrivate,
      listenPort: node.listenPort,
      names: node.names,
      served: node.served,
      servers: new Map(current.map((server) => [server.service, server])),
    },
    new Origins(node.servers.values()),
  );
  await readCounters(node);
  const target = assign(node, wanted, errors);
  const known = new Map(node.wanted.map((service) => [service.id, service]));
  for (const service of target.values()) {
    // Another origin may be there.
    if (!isSameOrigin(known.get(service.id), service)) node.away.delete(service.id);
  }
  const inUse = new Set([...target.values()].map(({ id }) => id));
  // From here on the hostnames that are no longer served get no status answer.
  node.wanted = node.wanted.filter(({ id }) => inUse.has(id));
  await reach(node, target);
  const before = new Map(node.wanted.map((service) => [service.id, service]));
  node.wanted = wanted.filter(({ id }) => inUse.has(id));
  const changed = node.wanted.filter((service) => !isSameOrigin(before.get(service.id), service));
  for (const id of node.answers.keys()) if (!inUse.has(id)) node.answers.delete(id);
  for (const { id } of changed) node.answers.delete(id);
  node.statuses.keepOnly(inUse);
  void inTurns(changed, (service) => tryBothWays(node, service));
  for (const { id } of wanted) if (!inUse.has(id) && !node.served.has(id)) served.delete(id);
  node.served = served;
  await setPacketCounters([...node.servers.values()]);
  const counted = new Set([...node.servers.values()].map(({ service }) => service));
  for (const id of node.packetCounters.keys()) if (!counted.has(id)) node.packetCounters.delete(id);
  acknowledge(node, node.configuration, errors);
  node.save();
}

/**
 * Gives each service a slot: the one that it has, or a free one.
 * @param {Node} node
 * @param {readonly Wanted[]} wanted
 * @param {Map<number, string>} errors gets an error for each service that finds no slot
 */
function assign(node, wanted, errors) {
  const known = new Set([...node.counters.keys()].flatMap((path) => Number(/^slot_(\d+)$/.exec(path)?.[1] ?? 0) || []));
  const bySlot = new Map([...node.slots].map(([slot, { service }]) => [service, slot]));
  /** @type {Map<number, Wanted>} */
  const target = new Map();
  const free = [...known]
    .filter((slot) => !node.slots.has(slot) && performance.now() - (node.leftAt.get(slot) ?? -SLOT_REST) >= SLOT_REST)
    .sort((a, b) => b - a);
  for (const service of wanted) {
    const own = bySlot.get(service.id);
    const slot = own && known.has(own) ? own : free.pop();
    if (slot) target.set(slot, service);
    else errors.set(service.id, "This node has no free slot: its HAProxy needs a configuration with more (--slots).");
  }
  return target;
}

// ---- away

/** Notices the origins to which players could not be connected. @param {Node} node */
async function watchOrigins(node) {
  if (!node.isAnswering) return;
  const counted = await node.haproxy.failures();
  const next = new Map();
  for (const [path, { service, drainedAt }] of node.servers) {
    const now = counted.get(path);
    if (drainedAt !== null || !now) continue;
    const before = node.failures.get(path) ?? { ...now, inARow: 0 };
    // An origin whose bytes come is there. Failures of the same half second count in the next one.
    const isHeard = now.bytes !== before.bytes;
    const inARow = (isHeard ? 0 : before.inARow) + difference(now.failed, before.failed);
    const isAway = !isHeard && inARow >= AWAY_AFTER;
    next.set(path, { ...now, inARow: isAway ? 0 : inARow });
    if (!isAway || node.away.has(service)) continue;
    log(`The origin of service ${service} is away.`);
    node.away.set(service, { reachedAt: null });
    await leadAgain(node, service);
  }
  node.failures = next;
}

/** Asks the origins that are away every second whether they are back, until the end. @param {Node} node */
async function probeAway(node) {
  /** @type {Set<number>} */
  const asked = new Set();
  while (!node.stop.signal.aborted) {
    await sleep(SECOND, node.stop.signal);
    for (const id of node.away.keys()) {
      const service = node.wanted.find((one) => one.id === id);
      if (!service) node.away.delete(id);
      if (!service || asked.has(id)) continue;
      asked.add(id);
      void pingOrigin(service).then((found) => {
        asked.delete(id);
        learnOfAway(node, service, found);
      });
    }
  }
}

/** @param {Node} node @param {Wanted} service @param {{ isConnected: boolean, status: string | null }} found */
function learnOfAway(node, service, { isConnected, status }) {
  const away = node.away.get(service.id);
  if (!away) return;
  const at = performance.now();
  away.reachedAt = isConnected ? (away.reachedAt ?? at) : null;
  const isMute = !node.statuses.has(service.id) || at - (away.reachedAt ?? at) >= SILENT_TIME;
  if (status === null && !(isConnected && isMute)) return;
  log(`The origin of service ${service.id} is back.`);
  keepStatus(node, service, ANY_PROTOCOL, status);
  node.away.delete(service.id);
  void leadAgain(node, service.id);
}

// ---- minutes

/** Reads counters, closes minutes, pings origins, and sees when HAProxy starts anew, until the end. @param {Node} node */
async function keepTime(node) {
  let readAt = now();
  let pinged = 0;
  while (!node.stop.signal.aborted) {
    await sleep(SECOND / 2, node.stop.signal);
    try {
      // A clock that was set back a little catches up with the minute that was begun.
      const ahead = startOfMinute(now()) - node.minute;
      if (ahead > 0 || ahead < -2 * MINUTE) await node.inOrder(() => endMinute(node));
      else if (Math.abs(now() - readAt) >= READ_EVERY) {
        readAt = now();
        await node.inOrder(() => readAndSave(node));
      }
      if (pinged !== node.minute) {
        pinged = node.minute;
        void pingAll(node);
      }
      await watchOrigins(node);
      const id = await node.haproxy.processId();
      if (id !== node.haproxyId) {
        log("HAProxy has started anew; applying everything again.");
        await node.inOrder(() => apply(node));
        node.haproxyId = id;
      }
    } catch (error) {
      log(messageOf(error));
      await sleep(SECOND, node.stop.signal);
    }
  }
}

/** @param {Node} node */
async function readAndSave(node) {
  await readCounters(node);
  await tidy(node);
  node.save();
}

/** @param {Node} node */
async function endMinute(node) {
  await readCounters(node);
  node.lastMinute = sum(node.current.values());
  node.closeMinute(node.minute, node.current);
  node.minute = startOfMinute(now());
  // A served service has an interval for each minute, even one in which nothing happens.
  node.current = new Map([...node.slots.values()].map(({ service }) => [service, { ...NOTHING }]));
  node.latencies = new Map();
  node.save();
  try {
    // Names of origins may lead elsewhere by now.
    await apply(node);
  } finally {
    tellMinute(node);
  }
}

/** @param {Node} node */
function tellMinute(node) {
  const errors = [...node.acknowledgements.values()].filter(({ error }) => error !== null).length;
  const { connections, bytes, dropped } = node.lastMinute;
  log(
    `${amount(node.wanted.length, "service")} served, ${errors} with an error; last minute ${amount(connections, "connection")}, ` +
      `${amount(bytes, "byte")}, ${dropped} dropped; console ${node.isReachable ? "reachable" : "away"}, ` +
      `${amount(node.spool.length, "interval")} to deliver.`,
  );
}

// ---- reports

/** Tells the console what there is to tell, until the end. What it does not take waits. @param {Node} node */
async function deliver(node) {
  const wait = new Backoff();
  let size = REPORT_SIZE;
  while (!node.stop.signal.aborted) {
    const isPlain = now() < node.plainUntil;
    const acknowledgements = [...node.acknowledgements.values()]
      .map((one) => (isPlain ? plain(one) : one))
      .filter((one) => node.told.get(one.service_id) !== JSON.stringify(one))
      .slice(0, size);
    const intervals = node.spool.slice(0, size);
    const minutes = isPlain ? [] : node.nodeSpool.slice(0, size);
    if (acknowledgements.length + intervals.length + minutes.length === 0) {
      await sleep(SECOND / 4, node.stop.signal);
      continue;
    }
    try {
      const report = { acknowledgements, intervals: isPlain ? intervals.map(plainInterval) : intervals };
      await node.console.report(minutes.length > 0 ? { ...report, node_minutes: minutes } : report, node.stop.signal);
      node.reached();
      delivered(node, acknowledgements, intervals, minutes);
      wait.reset();
      size = REPORT_SIZE;
    } catch (error) {
      const isTheirs = error instanceof Refusal && (error.status === 400 || error.status === 413);
      if (isTheirs && !isPlain && NEW_FIELDS.test(error.message)) {
        // A console that is older than this program refuses fields that it does not know. It is told them again later.
        node.plainUntil = now() + PLAIN_TIME;
      } else if (isTheirs && size > 1) {
        // One of them is refused: smaller reports find out which.
        size = Math.max(1, Math.floor(size / 4));
      } else if (isTheirs) {
        log(`Given up: ${messageOf(error)} ${JSON.stringify({ acknowledgements, intervals })}`);
        delivered(node, acknowledgements, intervals, minutes);
      } else {
        node.failed(error);
        await sleep(wait.next(error), node.stop.signal);
      }
    }
  }
}

/**
 * @param {Node} node
 * @param {readonly Acknowledgement[]} acknowledgements
 * @param {readonly Interval[]} intervals
 * @param {readonly NodeMinute[]} minutes
 */
function delivered(node, acknowledgements, intervals, minutes) {
  for (const one of acknowledgements) {
    node.told.set(one.service_id, JSON.stringify(one));
    if (one.version !== null) continue;
    node.gone.delete(one.service_id);
    node.acknowledgements.delete(one.service_id);
    node.told.delete(one.service_id);
  }
  const sent = new Set(intervals);
  node.spool = node.spool.filter((interval) => !sent.has(interval));
  node.nodeSpool = node.nodeSpool.filter((minute) => !minutes.includes(minute));
  node.save();
}

/** What an older console refuses of a report. */
const NEW_FIELDS = /\b(?:serving_version|warning|joins|pings|answered|players|node_minutes): is not a field of /;

/**
 * An interval as the first version of the console knows it.
 * @param {Interval} interval
 * @returns {Interval}
 */
const plainInterval = ({ joins: _, pings: __, answered: ___, players: ____, ...rest }) => rest;

/**
 * An acknowledgement as the first version of the console knows it.
 * @param {Acknowledgement} one
 * @returns {Acknowledgement}
 */
function plain({ service_id, version, error, serving_version }) {
  if (error === null || serving_version == null) return { service_id, version, error };
  const end =
    serving_version === version
      ? " Players still reach its last ip."
      : ` Players still reach version ${serving_version}.`;
  return { service_id, version, error: error.slice(0, MAX_ERROR - end.length) + end };
}

// ---- responder

/** Answers the clients that HAProxy sends to this program, on a socket of this machine. */
class Responder {
  #server;

  /**
   * @param {string} path
   * @param {(asked: Asked | null) => string} answer the JSON of a status, or the text of a kick; null asks for the text of
   *   the old ping
   */
  constructor(path, answer) {
    this.path = path;
    this.answer = answer;
    this.#server = createServer({ allowHalfOpen: false }, (socket) => this.#serve(socket));
    this.#server.maxConnections = MAX_ASKERS;
  }

  /** @returns {Promise<void>} */
  listen() {
    rmSync(this.path, { force: true });
    return new Promise((resolve, reject) => {
      this.#server.once("error", (error) => reject(new PlainError(`${this.path} cannot be made: ${error.message}`)));
      this.#server.listen(this.path, () => {
        // HAProxy may run as another user.
        chmodSync(this.path, 0o666);
        this.#server.on("error", (error) => log(messageOf(error)));
        resolve();
      });
    });
  }

  close() {
    this.#server.close();
    rmSync(this.path, { force: true });
  }

  /** @param {import("node:net").Socket} socket */
  #serve(socket) {
    let seen = Buffer.alloc(0);
    /** @type {(Asked & { length: number }) | null} */
    let asked = null;
    let isAnswered = false;
    let isOver = false;
    const timer = setTimeout(() => socket.destroy(), ANSWER_TIME);
    socket.on("close", () => clearTimeout(timer));
    socket.on("error", () => {});
    const end = (/** @type {Buffer} */ bytes) => {
      isOver = true;
      socket.end(bytes);
    };
    socket.on("data", (chunk) => {
      // What comes after the last answer is read all the same: a socket with unread bytes would lose the answer.
      if (isOver) return;
      seen = Buffer.concat([seen, chunk]);
      if (seen.length > MAX_REQUEST) return void socket.destroy();
      if (!asked) {
        const read = readHandshake(seen);
        if (read === undefined) return;
        if (read === null) return void socket.destroy();
        if (read === "old ping") return end(oldKick(this.answer(null)));
        asked = read;
        if (!asked.isPing) return end(textPacket(0, JSON.stringify({ text: this.answer(asked) })));
        seen = seen.subarray(asked.length);
      }
      // The request, an empty packet, and then a ping that is sent back as it came.
      if (!isAnswered && seen.length >= 2) {
        if (seen[0] !== 1 || seen[1] !== 0) return void socket.destroy();
        isAnswered = true;
        seen = seen.subarray(2);
        socket.write(textPacket(0, this.answer(asked)));
      }
      if (isAnswered && seen.length >= 10) end(seen.subarray(0, 10));
    });
  }
}

// ---- watch-console

/** Follows the console's configuration, until the end. @param {Node} node */
async function watchConsole(node) {
  const wait = new Backoff();
  while (!node.stop.signal.aborted) {
    try {
      const news = await node.console.configuration(node.etag, node.stop.signal);
      node.reached();
      if (news === null) {
        wait.reset();
        continue;
      }
      node.configuration = news.configuration;
      if (!(await tryToApply(node))) {
        // It was not applied, so it is asked for again.
        await sleep(wait.next(null), node.stop.signal);
        continue;
      }
      wait.reset();
      node.etag = news.etag;
      node.save();
      // A console that holds nothing back is asked at its own pace.
      if (!news.etag) await sleep(READ_EVERY, node.stop.signal);
    } catch (error) {
      node.failed(error);
      await sleep(wait.next(error), node.stop.signal);
    }
  }
}

// ---- run

/** Runs a node until it is told to stop. @param {Node} node */
async function run(node) {
  await node.console.askTime();
  node.load();
  await preparePacketCounters();
  node.haproxyId = await node.haproxy.processId();
  await node.inOrder(() => apply(node));
  const responder = new Responder(node.haproxy.responder, (asked) => answerClient(node, asked));
  await responder.listen();
  log(`This node runs: ${amount(node.wanted.length, "service")} served.`);
  for (const signal of /** @type {const} */ (["SIGTERM", "SIGINT"])) process.once(signal, () => node.stop.abort());
  await Promise.all([watchConsole(node), deliver(node), keepTime(node), probeAway(node)]);
  responder.close();
  await node.inOrder(() => readCounters(node));
  node.save();
  await node.store.writeStatuses(node.statuses);
}

// ---- store

/** The files of a node: the last configuration, what each slot is used for, and what is not delivered yet. */
class Store {
  /** @param {string} dir */
  constructor(dir) {
    this.file = join(dir, "edge.json");
    this.statusesFile = join(dir, "statuses.json");
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new PlainError(`The folder ${dir} cannot be made: ${messageOf(error)}. Name another one with --state-dir.`);
    }
  }

  /** @returns {Partial<State>} */
  read() {
    return this.#read(this.file) ?? {};
  }

  /** The answers of origins to status pings. @returns {Statuses} */
  readStatuses() {
    try {
      return new Statuses(this.#read(this.statusesFile) ?? []);
    } catch {
      log(`${this.statusesFile} cannot be read; starting without it.`);
      return new Statuses([]);
    }
  }

  /** @param {Statuses} statuses */
  async writeStatuses(statuses) {
    try {
      await writeFile(`${this.statusesFile}.new`, JSON.stringify(statuses), { mode: 0o600 });
      await rename(`${this.statusesFile}.new`, this.statusesFile);
    } catch (error) {
      log(`${this.statusesFile} cannot be written: ${messageOf(error)}`);
    }
  }

  /** @param {string} file */
  #read(file) {
    if (!existsSync(file)) return null;
    try {
      return JSON.parse(readFileSync(file, "utf8"));
    } catch {
      log(`${file} cannot be read; starting without it.`);
      return null;
    }
  }

  /** @param {State} state */
  write(state) {
    try {
      writeFileSync(`${this.file}.new`, JSON.stringify(state), { mode: 0o600 });
      renameSync(`${this.file}.new`, this.file);
    } catch (error) {
      log(`${this.file} cannot be written: ${messageOf(error)}`);
    }
  }
}

/**
 * @typedef {{
 *   configuration: Configuration | null,
 *   etag: string | null,
 *   slots: [number, { service: number }][],
 *   served: [number, Served][],
 *   servers: [string, Server][],
 *   lastServer: number,
 *   minute: number,
 *   current: [number, Counters][],
 *   counters: [string, ServerCounters][],
 *   packetCounters: [number, number][],
 *   spool: Interval[],
 *   hasJoins: boolean,
 *   refused: number,
 *   refusedBefore: number,
 *   nodeSpool: NodeMinute[],
 *   applied: number[],
 *   gone: number[],
 * }} State
 */

// ---- main

const USAGE = `Usage:
  node edge.mjs haproxy-config [--listen IP:PORT] [--slots N] [--rate N] [--handshakes N] [--connections N] [--run-dir DIR]
  node edge.mjs run URL [--key-file FILE] [--run-dir DIR] [--state-dir DIR] [--listen IP:PORT] [--allow-private]
  node edge.mjs unit URL [the options of run]`;

/**
 * Shell lines that write a systemd unit, and what of it /run needs anew whenever the machine starts.
 * @param {string} url
 * @param {ReturnType<typeof readArguments>["values"]} values
 * @throws PlainError for a value that would be more than one word of a unit
 */
function unitLines(url, values) {
  const { listen, "run-dir": runDir, "state-dir": stateDir } = values;
  const options = [url, "--run-dir", runDir, "--state-dir", stateDir, "--listen", listen];
  if (values["allow-private"]) options.push("--allow-private");
  const wrong = options.find((word) => !/^[\w./:*[\]~@+-]+$/.test(word));
  if (wrong !== undefined) throw new PlainError(`"${wrong}" cannot stand in a unit. Write the unit by hand.`);
  const file = (/** @type {string} */ path, /** @type {string[]} */ lines) => [
    `cat > ${path} <<'END'`,
    ...lines,
    "END",
  ];
  const key = values["key-file"] ?? "/etc/console-edge/key";
  if (!/^\/[\w./-]+$/.test(key)) throw new PlainError("--key-file must be a whole path without spaces.");
  return [
    ...file("/etc/systemd/system/console-edge.service", [
      "[Unit]",
      "Description=Edge node of the console",
      "After=network-online.target haproxy.service",
      "Wants=network-online.target",
      "",
      "[Service]",
      `ExecStart=${process.execPath} ${fileURLToPath(import.meta.url)} run ${options.join(" ")}`,
      `LoadCredential=edge-key:${key}`,
      "Restart=always",
      "",
      "[Install]",
      "WantedBy=multi-user.target",
    ]),
    ...file("/etc/tmpfiles.d/console-edge.conf", [
      `d ${runDir} 0755 root root`,
      `f ${join(runDir, "hosts.map")} 0644 root root`,
      `d ${stateDir} 0700 root root`,
    ]),
    "",
  ].join("\n");
}

/** @param {string[]} args */
async function main(args) {
  const { values, positionals } = readArguments(args);
  const [command, url, ...rest] = positionals;
  const listen = values.listen;
  const listenPort = Number(/:(\d{1,5})$/.exec(listen)?.[1] ?? 0);
  if (!/^[\w.:*[\]]*:\d{1,5}$/.test(listen) || listenPort < 1 || listenPort > 65_535) {
    throw new PlainError(`--listen must be an ip and a port, such as ":25565" or "192.0.2.1:25565", not "${listen}".`);
  }
  if (/\s/.test(values["run-dir"])) throw new PlainError("--run-dir must be a path without spaces.");
  if (command === "haproxy-config" && !url) {
    const slots = wholeNumber("--slots", values.slots, 1, 10_000);
    const rate = wholeNumber("--rate", values.rate, 1, 10_000);
    const handshakes = wholeNumber("--handshakes", values.handshakes, 1, 100_000);
    const connections = wholeNumber("--connections", values.connections, 1, 100_000);
    return print(haproxyConfig({ listen, slots, rate, handshakes, connections, runDir: values["run-dir"] }));
  }
  if ((command !== "run" && command !== "unit") || !url || rest.length > 0) throw new PlainError(USAGE);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new PlainError(`URL must be the console's, such as https://console.example.com, not "${url}".`);
  }
  if (command === "unit") return print(unitLines(url, values));
  const node = new Node({
    haproxy: new Haproxy(values["run-dir"]),
    console: new Console(url, readKey(values["key-file"]), listenPort),
    store: new Store(values["state-dir"]),
    allowPrivate: values["allow-private"],
    listenPort,
  });
  await run(node);
}

/** Writes a text whole: a pipe takes it in parts. @param {string} text @returns {Promise<void>} */
function print(text) {
  return new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));
}

/** @param {string[]} args */
function readArguments(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        listen: { type: "string", default: ":25565" },
        slots: { type: "string", default: "256" },
        rate: { type: "string", default: "20" },
        handshakes: { type: "string", default: "100" },
        connections: { type: "string", default: "500" },
        "run-dir": { type: "string", default: "/run/console-edge" },
        "state-dir": { type: "string", default: "/var/lib/console-edge" },
        "key-file": { type: "string" },
        "allow-private": { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new PlainError(`${messageOf(error)}\n${USAGE}`);
  }
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} min
 * @param {number} max
 */
function wholeNumber(name, text, min, max) {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new PlainError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
}

/** @param {string | undefined} file */
function readKey(file) {
  const credentials = process.env.CREDENTIALS_DIRECTORY;
  const path = file ?? (credentials ? join(credentials, "edge-key") : 0);
  let key = "";
  try {
    key = readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new PlainError(`The node's key cannot be read: ${messageOf(error)}.`);
  }
  if (!/^cedg_[0-9A-Za-z]{36}$/.test(key)) {
    throw new PlainError(
      "The node's key must begin with cedg_ and have 36 more letters and digits: it looks incomplete.",
    );
  }
  return key;
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error) => {
    console.error(error instanceof PlainError ? error.message : error);
    process.exit(1);
  },
);

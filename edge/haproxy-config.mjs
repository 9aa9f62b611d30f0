import { existsSync } from "node:fs";
import { join } from "node:path";
import { ANSWERS_A_SECOND, PINGS_TO_ORIGIN, UNKNOWN_A_SECOND } from "./limits.mjs";

/**
 * The configuration that HAProxy needs. Nothing of it comes from the console: services are applied through the socket.
 * @param {{ listen: string, slots: number, rate: number, handshakes: number, connections: number, runDir: string }} options
 *   Of one ip, or one network of 64 bits in IPv6: `rate` connections a second to one service; to this node `handshakes` new
 *   connections a second, and `connections` that are open at once.
 */
export function haproxyConfig({ listen, slots, rate, handshakes, connections, runDir }) {
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

/** In bytes, of those whose end is looked for: what modded clients append has room in it. */
const LONGEST_HANDSHAKE = 4096;

/** Which slot counted what its players asked for. */
export const JOINS = "joins";
/** The backend of what this program answers itself, and whether it runs. */
export const RESPONDER = "responder";
const IS_ANSWERING = `{ nbsrv(${RESPONDER}) gt 0 }`;
/** Before the slot of a hostname: the origin is away; this node has an answer of the origin to status pings. */
export const AWAY = "off_";
export const KEPT = "kept_";

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
  // Cloudflare leads an SRV record to a name of its own before the name.
  const clean = String.raw`regsub("(?s)^([^\x00]*?)[.]?(\x00.*)?$","\1"),lower,regsub("^_dc-srv[.][0-9a-f]+[.](_minecraft[.]_tcp[.])?","")`;
  const isAnswered = `${IS_ANSWERING} !{ be_sess_rate(${RESPONDER}) gt ${UNKNOWN_A_SECOND} }`;
  rules.push(
    // The last byte of a handshake says what comes next: 1 is the status. To look at it waits for the whole handshake,
    // however it is split. A length of two bytes is 128 times the second one and what the first one has above 128.
    `set-var(sess.ping) bool(true) if ${isShort(0)} { req.payload_lv(0,1),hex -m end 01 }`,
    ...Array.from({ length: LONGEST_HANDSHAKE / 128 - 1 }, (_, index) => {
      const second = (index + 1).toString(16).toUpperCase().padStart(2, "0");
      return `set-var(sess.ping) bool(true) if !${isShort(0)} { req.payload(1,1),hex -m str ${second} } { req.payload_lv(0,1,+${index * 128 + 1}),hex -m end 01 }`;
    }),
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
export const slotName = (slot) => `slot_${slot}`;
/** Where this program's own answers are. @param {string} runDir */
export const responderPath = (runDir) => join(runDir, "responder.sock");
/** Where HAProxy is asked. @param {string} runDir */
export const socketPath = (runDir) => join(runDir, "haproxy.sock");

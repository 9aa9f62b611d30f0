import { connect, isIPv6 } from "node:net";
import { canonicalIp } from "./ips.mjs";
import { PING_PORTS, PING_TIME } from "./limits.mjs";
import { ANY_PROTOCOL, packet, readStatus, varint } from "./minecraft.mjs";

/** @import { Wanted } from "./judge.mjs" */

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
export function pingOrigin({ hostname, ip, port, isProxied }, protocol = ANY_PROTOCOL) {
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

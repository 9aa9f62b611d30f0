import { MAX_REQUEST, MAX_STATUS } from "./limits.mjs";

/** A handshake without a version of the protocol: a client that pings does not play. */
export const ANY_PROTOCOL = -1;

/** A number of the protocol of Minecraft. @param {number} number @returns {Buffer} */
export function varint(number) {
  const bytes = [];
  let rest = number >>> 0;
  do {
    bytes.push(rest > 127 ? (rest & 127) | 128 : rest);
    rest >>>= 7;
  } while (rest > 0);
  return Buffer.from(bytes);
}

/** A packet of it: its length, then its parts. @param {...Buffer} parts */
export function packet(...parts) {
  const body = Buffer.concat(parts);
  return Buffer.concat([varint(body.length), body]);
}

/**
 * Reads the answer to a status ping: a packet with the id 0 and a text of JSON. Null: not one. Undefined: more bytes are
 * needed.
 * @param {Buffer} bytes
 * @returns {string | null | undefined}
 */
export function readStatus(bytes) {
  const reader = new Reader(bytes);
  const [length, id, textLength] = [reader.varint(), reader.varint(), reader.varint()];
  if (reader.isBroken) return null;
  if (reader.isShort) return undefined;
  if (id !== 0 || length > MAX_STATUS || textLength > length) return null;
  const text = reader.bytes(textLength).toString();
  if (reader.isShort) return undefined;
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
export function readHandshake(bytes) {
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
  // Clients behind an SRV record send a final dot, and modded ones append NUL and more. Cloudflare leads an SRV record to a
  // name of its own before the name.
  const sent = name.toString("latin1").replace(/\0.*$/s, "").replace(/\.$/, "").toLowerCase();
  const hostname = sent.replace(/^_dc-srv\.[0-9a-f]+\.(?:_minecraft\._tcp\.)?/, "");
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
export function textPacket(id, value) {
  const bytes = Buffer.from(value);
  return packet(varint(id), varint(bytes.length), bytes);
}

/** The kick of clients of before 2013, which show its text in their list. @param {string} text */
export function oldKick(text) {
  const fields = ["\u00a71", "127", "", text, "0", "0"].join("\0");
  const body = Buffer.from(fields, "utf16le").swap16();
  return Buffer.concat([Buffer.from([0xff, fields.length >> 8, fields.length & 255]), body]);
}

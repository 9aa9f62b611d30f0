// Caches pages that are the same for every signed-out visitor. Each is rendered once per origin and sent with a fresh
// nonce.
import { randomBytes } from "node:crypto";
import { constants, crc32, deflateRawSync } from "node:zlib";
import { inTime } from "../../lib/process/request-context.mjs";
import { acceptsGzip } from "../direct/outgoing.mjs";

/**
 * Without a session, these pages depend only on the origin and the colour scheme. `isForm`: it also depends on its query,
 * and it can be used only while the database is there.
 * @type {ReadonlyMap<string, { isForm: boolean }>}
 */
const PAGES = new Map([
  ["/", { isForm: false }],
  ["/docs/api", { isForm: false }],
  ["/sign-in", { isForm: true }],
]);
/** The client chooses the origin (its Host), so the cache is limited. The least used origin is evicted. */
const MAX_ORIGINS = 8;
const HOST = /^[\w.-]{1,253}(?::\d{1,5})?$|^\[[\da-f:.]{2,45}\](?::\d{1,5})?$/i;
/** What the browser was told to use: one cookie of lib/accounts/color-scheme.ts. */
const COLOR_SCHEME = /(?:^|; *)color-scheme=(light|dark)(?:$|;)/;
/** The headers that a cached page may depend on. */
const KEPT_HEADERS = new Set(["host", "x-forwarded-host", "x-forwarded-for"]);

const NONCE = /'nonce-([\w+/=]+)'/;
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
const LAST_BLOCK = Buffer.from([1, 0, 0, 0xff, 0xff]);

/**
 * A page between its nonces, as it is and compressed.
 * @typedef {{ headers: [string, string][], texts: Buffer[], blocks: Buffer[] }} Kept
 * @typedef {{ uses: number, pages: Map<string, Kept | Promise<void>> }} Origin
 */

/** @type {Map<string, Origin>} */
const origins = new Map();

/**
 * Answers with a kept page, or has `make` make one, which is kept if it succeeds.
 * @param {string} path
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {(keep: (answer: import("../direct/collected.mjs").Collected) => void) => Promise<void>} make answers the request
 *   itself, and shows its answer to `keep`
 * @param {() => Promise<boolean>} isDatabaseThere
 */
export async function answerKept(path, request, response, make, isDatabaseThere) {
  const page = findPage(path, request);
  if (!page || (page.isForm && !(await isDatabaseThere()))) return make(() => {});
  const [, scheme] = COLOR_SCHEME.exec(request.headers.cookie ?? "") ?? [];
  for (const name of Object.keys(request.headers)) {
    if (!KEPT_HEADERS.has(name) && name !== "accept-encoding") delete request.headers[name];
  }
  if (scheme) request.headers.cookie = `color-scheme=${scheme}`;
  request.url = path;
  const { pages } = originOf(request);
  const key = `${path} ${scheme ?? ""}`;
  const making = pages.get(key);
  // Another request is rendering this page. When the time to wait for it is over, this one is refused like any other.
  if (making instanceof Promise) await inTime(() => making).catch(() => {});
  const kept = pages.get(key);
  if (kept && !(kept instanceof Promise)) return sendKept(kept, request, response);
  if (request.method === "HEAD") return make(() => {});
  let isKept = false;
  const made = make((answer) => {
    const page = keepable(answer);
    if (page) pages.set(key, page);
    isKept = page !== null;
  });
  const settled = made.catch(() => {}).then(() => void (isKept || pages.delete(key)));
  if (!kept) pages.set(key, settled);
  await made;
}

/**
 * The page that the request is for. Null when its answer may differ from that of others.
 * @param {string} path
 * @param {import("node:http").IncomingMessage} request
 */
function findPage(path, { url, method, headers }) {
  const page = PAGES.get(path) ?? null;
  if (!page || (page.isForm && url !== path) || (method !== "GET" && method !== "HEAD")) return null;
  if (/(?:^|[; ])(?:__Host-)?session=/.test(headers.cookie ?? "")) return null;
  // With these headers, Next's router in the browser asks for parts of a page only.
  const isWhole = headers.rsc === undefined && headers["next-url"] === undefined;
  return isWhole && HOST.test(headers.host ?? "") ? page : null;
}

/** @param {import("node:http").IncomingMessage} request */
function originOf({ headers }) {
  const name = String(headers["x-forwarded-host"] ?? headers.host).toLowerCase();
  const origin = origins.get(name) ?? { uses: 0, pages: new Map() };
  origin.uses++;
  if (origins.has(name)) return origin;
  if (origins.size >= MAX_ORIGINS) {
    const [least] = [...origins].reduce((a, b) => (b[1].uses < a[1].uses ? b : a));
    origins.delete(least);
  }
  origins.set(name, origin);
  return origin;
}

/**
 * @param {import("../direct/collected.mjs").Collected} answer
 * @returns {Kept | null}
 */
function keepable({ status, headers, body }) {
  const policy = headers.find(([name]) => name === "content-security-policy")?.[1] ?? "";
  const [, nonce] = NONCE.exec(policy) ?? [];
  if (status !== 200 || !nonce || headers.some(([name]) => name === "set-cookie")) return null;
  const texts = body
    .toString()
    .split(nonce)
    .map((text) => Buffer.from(text));
  return {
    headers: headers
      .filter(([name]) => name !== "content-length" && name !== "connection" && name !== "keep-alive")
      .map(([name, value]) => [name, value.replaceAll(nonce, "NONCE")]),
    texts,
    blocks: texts.map((text) => deflateRawSync(text, { finishFlush: constants.Z_FULL_FLUSH })),
  };
}

/**
 * @param {Kept} kept
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
function sendKept({ headers, texts, blocks }, request, response) {
  const nonce = Buffer.from(randomBytes(16).toString("base64"));
  const isCompressed = acceptsGzip(String(request.headers["accept-encoding"] ?? ""));
  const flat = ["Vary", "Accept-Encoding"];
  for (const [name, value] of headers) flat.push(name, value.replaceAll("NONCE", String(nonce)));
  if (isCompressed) flat.push("Content-Encoding", "gzip");
  const body = isCompressed ? gzipped(texts, blocks, nonce) : joined(texts, nonce);
  if (request.method !== "HEAD" && !isCompressed) flat.push("Content-Length", String(body.length));
  response.writeHead(200, flat);
  response.end(request.method === "HEAD" ? undefined : body);
}

/**
 * @param {Buffer[]} parts
 * @param {Buffer} between
 */
function joined(parts, between) {
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [between, part])));
}

/**
 * Builds a gzip file (RFC 1952) without compressing again, which would hold up everybody for 23 ms with 300 KB, and for 4 ms
 * with 60; this takes 0.2. The texts were deflated independently; each nonce goes between them as an uncompressed block.
 * @param {Buffer[]} texts
 * @param {Buffer[]} blocks `texts`, compressed
 * @param {Buffer} nonce
 */
function gzipped(texts, blocks, nonce) {
  const { length } = nonce;
  const block = Buffer.concat([Buffer.from([0, length, 0, ~length & 0xff, 0xff]), nonce]);
  let [sum, size] = [0, 0];
  for (const [index, text] of texts.entries()) {
    if (index > 0) sum = crc32(nonce, sum);
    sum = crc32(text, sum);
    size += text.length + (index > 0 ? length : 0);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(sum, 0);
  trailer.writeUInt32LE(size, 4);
  return Buffer.concat([GZIP_HEADER, joined(blocks, block), LAST_BLOCK, trailer]);
}

// Pages that are the same for every signed-out visitor. Each is made once per origin and colour scheme, and sent with a
// fresh nonce.
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { HOST } from "@/lib/http/own-origin";
import type { Collected } from "./collected";

/** Without a session, these depend only on the origin and the colour scheme. */
const SAME_FOR_ALL = new Set(["/", "/docs/api", "/sign-in"]);
/** The client chooses the Host, and a page says where it is not that of BASE_URL. So few are kept: the oldest one goes. */
const MAX_KEPT = 48;
/** What the browser was told to use: one cookie of lib/accounts/color-scheme.ts. */
const COLOR_SCHEME = /(?:^|; *)color-scheme=(light|dark)(?:$|;)/;
/** The headers that such a page may depend on. */
const KEPT_HEADERS = new Set(["host", "x-forwarded-host", "x-forwarded-for", "accept-encoding"]);
const NONCE = /'nonce-([\w+/=]+)'/;

/** A page, and the nonce that it was made with. */
type Kept = Collected & { nonce: string; text: string };
const pages = new Map<string, Promise<Kept | null>>();

/** The key under which the answer to a request is kept; null when it may differ from that of others. */
export function keptKey(path: string, { url, method, headers }: IncomingMessage): string | null {
  if (!SAME_FOR_ALL.has(path) || (method !== "GET" && method !== "HEAD")) return null;
  // The form of sign-in depends on its query.
  if (path === "/sign-in" && url !== path) return null;
  if (/(?:^|[; ])(?:__Host-)?session=/.test(headers.cookie ?? "")) return null;
  // With these headers, Next's router in the browser asks for parts of a page only.
  if (headers.rsc !== undefined || headers["next-url"] !== undefined || !HOST.test(headers.host ?? "")) return null;
  const [, scheme = ""] = COLOR_SCHEME.exec(headers.cookie ?? "") ?? [];
  return `${path} ${scheme} ${String(headers.host).toLowerCase()}`;
}

/** Returns the kept page with a fresh nonce, or what `make` makes of the request, whose other headers are dropped. */
export async function keptPage(
  key: string,
  request: IncomingMessage,
  make: () => Promise<Collected | null>,
): Promise<Collected | null> {
  // Another request may be making it. When that fails, this one tries itself.
  const known = await pages.get(key)?.catch(() => null);
  if (known) return withNonce(known);
  const [path = "", scheme] = key.split(" ");
  const { headers } = request;
  for (const name of Object.keys(headers)) if (!KEPT_HEADERS.has(name)) delete headers[name];
  if (scheme) headers.cookie = `color-scheme=${scheme}`;
  request.url = path;
  if (request.method === "HEAD") return make();
  const made = make();
  const kept = made.then((answer) => answer && keepable(answer));
  pages.set(key, kept);
  const [oldest] = pages.keys();
  if (pages.size > MAX_KEPT && oldest !== undefined) pages.delete(oldest);
  const isKept = await kept.catch(() => null);
  if (!isKept) pages.delete(key);
  return made;
}

function keepable(answer: Collected): Kept | null {
  const policy = answer.headers.find(([name]) => name === "content-security-policy")?.[1];
  const [, nonce] = NONCE.exec(String(policy)) ?? [];
  if (answer.status !== 200 || !nonce || answer.headers.some(([name]) => name === "set-cookie")) return null;
  const headers = answer.headers.filter(([name]) => !/^(?:content-length|connection|keep-alive)$/.test(name));
  return { ...answer, headers, nonce, text: answer.body.toString() };
}

function withNonce({ status, headers, nonce, text }: Kept): Collected {
  const fresh = randomBytes(16).toString("base64");
  return {
    status,
    headers: headers.map(([name, value]) => [name, typeof value === "string" ? value.replaceAll(nonce, fresh) : value]),
    body: Buffer.from(text.replaceAll(nonce, fresh)),
  };
}

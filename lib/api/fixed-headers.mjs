// The headers that depend on nothing but the path. The server sends them, and so does Next where it answers alone.

/**
 * On every answer.
 * @type {readonly (readonly [string, string])[]}
 */
export const COMMON_HEADERS = [["X-Content-Type-Options", "nosniff"]];

/** The headers that a page of another origin may read. */
export const EXPOSED_HEADERS =
  "Retry-After, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Token-Expires-At, X-Request-Id, Link";

/**
 * What lets pages of other origins read an answer. `*` is safe: no cookie is honoured there.
 * @type {readonly (readonly [string, string])[]}
 */
const OPEN_HEADERS = [
  ["Access-Control-Allow-Origin", "*"],
  ["Access-Control-Expose-Headers", EXPOSED_HEADERS],
];

/**
 * On every answer under /api, refusals included (contract 2).
 * @type {readonly (readonly [string, string])[]}
 */
export const API_HEADERS = [
  ["Cache-Control", "no-store"],
  ...COMMON_HEADERS,
  ...OPEN_HEADERS,
  ["Link", '</openapi.json>; rel="service-desc"'],
];

/**
 * The headers of the answers of handlers, by path.
 * @type {readonly { readonly path: string, readonly headers: readonly (readonly [string, string])[] }[]}
 */
export const HEADERS_BY_PATH = [
  { path: "/api", headers: API_HEADERS },
  // No Cache-Control here: /metrics is not part of the contract, and its handler sets the header itself.
  { path: "/metrics", headers: [...COMMON_HEADERS, ...OPEN_HEADERS] },
];

/**
 * The headers that every answer of a handler has at this path.
 * @param {string} path its slashes collapsed, without its query
 */
export function fixedHeadersOf(path) {
  const known = HEADERS_BY_PATH.find((row) => path === row.path || path.startsWith(`${row.path}/`));
  return known?.headers ?? COMMON_HEADERS;
}

/**
 * Browsers remember it for two years: from then on they open the console over https alone.
 * @type {readonly [string, string]}
 */
export const HSTS = ["Strict-Transport-Security", "max-age=63072000; includeSubDomains"];

/**
 * On every page.
 * @type {readonly (readonly [string, string])[]}
 */
export const PAGE_HEADERS = [
  ["Cache-Control", "no-store"],
  ["X-Content-Type-Options", "nosniff"],
  // Not "no-referrer": with that, browsers send `Origin: null` with the console's own forms.
  ["Referrer-Policy", "same-origin"],
  ["Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["X-Frame-Options", "DENY"],
];

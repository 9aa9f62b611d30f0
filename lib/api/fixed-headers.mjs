// The headers that depend on nothing but the path. The server sends them, and so does Next where it answers alone.

/**
 * On every answer under /api/v1, refusals included (spec 2). `*` is safe: no cookie is honoured there.
 * @type {readonly (readonly [string, string])[]}
 */
export const API_HEADERS = [
  ["Cache-Control", "no-store"],
  ["X-Content-Type-Options", "nosniff"],
  ["Access-Control-Allow-Origin", "*"],
  ["Link", '</openapi.json>; rel="service-desc"'],
  [
    "Access-Control-Expose-Headers",
    "Retry-After, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, Link",
  ],
];

/**
 * On every other answer.
 * @type {readonly (readonly [string, string])[]}
 */
export const COMMON_HEADERS = [["X-Content-Type-Options", "nosniff"]];

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

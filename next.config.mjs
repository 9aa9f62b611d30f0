/** On every answer under /api/v1, the framework's own included (spec 2). `*` is safe: no cookie is honoured there. */
export const apiHeaders = [
  { key: "Cache-Control", value: "no-store" },
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "Access-Control-Allow-Origin", value: "*" },
  {
    key: "Access-Control-Expose-Headers",
    value:
      "Retry-After, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id",
  },
];

/** @type {import("next").NextConfig} */
export default {
  distDir: process.env.CONSOLE_DIST_DIR || ".next",
  poweredByHeader: false,
  reactStrictMode: true,
  // `npm run check` does it, for the tests and scripts too; whoever deploys need not wait for it.
  typescript: { ignoreBuildErrors: true },
  // The development server's own connection, at the address where it listens by default.
  allowedDevOrigins: ["127.0.0.1"],
  // `/api/v1/me/` is answered like `/api/v1/me`, not redirected.
  skipTrailingSlashRedirect: true,
  headers: async () => [
    // Static files; pages and the API say it themselves, too.
    { source: "/:file*", headers: [{ key: "X-Content-Type-Options", value: "nosniff" }] },
    { source: "/api/v1/:path*", headers: apiHeaders },
  ],
};

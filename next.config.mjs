import { COMMON_HEADERS, HEADERS_BY_PATH } from "./lib/api/fixed-headers.mjs";
import { PUBLIC_FILES } from "./lib/http/public-files.mjs";

/** @param {readonly (readonly [string, string])[]} headers */
const asNextWantsThem = (headers) => headers.map(([key, value]) => ({ key, value }));

/** @type {import("next").NextConfig} */
export default {
  distDir: process.env.CONSOLE_DIST_DIR || ".next",
  poweredByHeader: false,
  // Loaded as they are installed, where they are asked for: to bundle them is a sixth of a build.
  serverExternalPackages: ["@redis/client", "@upstash/ratelimit", "@upstash/redis", "nodemailer"],
  // `npm run typecheck` checks the types, of tests and scripts too; a deployment need not wait for it.
  typescript: { ignoreBuildErrors: true },
  // The development server's own connection, at the ip where it listens by default.
  allowedDevOrigins: ["127.0.0.1"],
  // `/api/v1/me/` is answered like `/api/v1/me`, not redirected.
  skipTrailingSlashRedirect: true,
  // A title stands in the head, however long the database takes: else it follows at the end of the page.
  htmlLimitedBots: /.*/,
  // The console has none that need it; the route would keep a file of every variant that anybody asks for.
  images: { unoptimized: true },
  experimental: {
    // Each page is loaded when it is first asked for. To load them all is a fifth of a start and 30 MB, and for the routes of
    // machines it is done in vain: the server has them in its own bundle.
    preloadEntriesOnStart: false,
    // Else Next redirects what carries `RSC`, requests to the API as well, to keep apart in caches what nothing of the
    // console's allows to be cached.
    validateRSCRequestHeaders: false,
    // Writing this cache is a fifth of a build, and most builds are the first of their checkout.
    turbopackFileSystemCacheForBuild: false,
    turbopackFileSystemCacheForDev: !process.env.CI,
    // A fifth of a build's work. A stack in the log names functions as they are written, and nobody downloads this code.
    ...(process.env.NODE_ENV === "production" && {
      turbopackSourceMaps: false,
      turbopackMinify: { server: false, client: true },
    }),
  },
  headers: async () => [
    // Static files; pages and the API say it themselves, too.
    { source: "/:file*", headers: asNextWantsThem(COMMON_HEADERS) },
    // Every page names it, for the case that the page fails; asking for it once a day is enough.
    { source: "/error.css", headers: [{ key: "Cache-Control", value: "public, max-age=86400" }] },
    // To be read before it is used; a browser takes `.ts` for a film. By name, because what is missing is an HTML page.
    ...PUBLIC_FILES.filter((file) => /^(?:clients|recipes)\//.test(file)).map((file) => ({
      source: `/${file}`,
      headers: asNextWantsThem([
        ["Content-Type", "text/plain; charset=utf-8"],
        ["Access-Control-Allow-Origin", "*"],
      ]),
    })),
    ...HEADERS_BY_PATH.map(({ path, headers }) => ({ source: `${path}/:path*`, headers: asNextWantsThem(headers) })),
  ],
};

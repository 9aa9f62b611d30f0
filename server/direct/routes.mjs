// Finds the compiled route handler of a path. The routes are read from the build, so a new route file needs no change
// here.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { isMachinePath } from "../../lib/http/machine-path.mjs";

const VARIABLE = /^\[(\w+)\]$/;
/** Any number of segments. */
const REST = /^\[\[\.\.\.(\w+)\]\]$/;

/**
 * @typedef {(request: Request, route: { params: Promise<object> }) => Response | Promise<Response>} Handler
 * @typedef {Record<string, Handler>} Handlers By method.
 * @typedef {{ handlers: Handlers, params: Record<string, string | string[]>, path: string, pattern: string }} Match
 *   `path` is the way Next spells what was asked for, `pattern` the one of the route.
 */

/**
 * Loads the route handlers of the build in `distDir` and returns a function that finds the ones of a path.
 * @param {string} distDir
 * @returns {Promise<(path: string) => Match | null>}
 * @throws Error when the build does not look as expected
 */
export async function loadRoutes(distDir) {
  const require = createRequire(import.meta.url);
  const files = readJson(join(distDir, "server/app-paths-manifest.json"));
  const patterns = readJson(join(distDir, "app-path-routes-manifest.json"));
  const routes = [];
  for (const [name, pattern] of Object.entries(patterns)) {
    if (!name.endsWith("/route") || !isMachinePath(pattern)) continue;
    if (!files[name]) throw new Error(`${pattern} has no module`);
    const { routeModule } = require(resolve(distDir, "server", files[name]));
    await routeModule.ensureUserland();
    const handlers = routeModule.userland;
    if (typeof handlers.GET !== "function" && typeof handlers.POST !== "function") {
      throw new Error(`${pattern} shows no handler`);
    }
    routes.push({ pattern, handlers });
  }
  if (routes.length === 0) throw new Error("no route handler is listed");
  return matcherOf(routes);
}

/**
 * Names come before variables and those before a rest, as in Next.
 * @template All what is known of the handlers of a route
 * @param {{ pattern: string, handlers: All }[]} routes
 * @returns {(path: string) => Omit<Match, "handlers"> & { handlers: All } | null}
 */
export function matcherOf(routes) {
  const fixed = new Map(
    routes
      .filter(({ pattern }) => !pattern.includes("["))
      .map(({ pattern, handlers }) => [pattern, { handlers, params: {}, path: pattern, pattern }]),
  );
  const ranked = routes
    .map(({ pattern, handlers }) => ({ handlers, pattern, parts: pattern.split("/").map(readPart) }))
    .sort((a, b) => (rankOf(a.parts) < rankOf(b.parts) ? -1 : 1));
  return (path) => {
    const known = fixed.get(path);
    if (known) return known;
    const segments = segmentsOf(path);
    for (const { handlers, pattern, parts } of ranked) {
      const params = paramsOf(parts, segments);
      if (params) return { handlers, params, path: joined(segments), pattern };
    }
    return null;
  };
}

/**
 * One segment of a pattern: a text, or the name of what stands there.
 * @typedef {{ text: string, variable: string | undefined, rest: string | undefined }} Part
 */

/**
 * @param {string} text
 * @returns {Part}
 */
function readPart(text) {
  return { text, variable: VARIABLE.exec(text)?.[1], rest: REST.exec(text)?.[1] };
}

/** @param {Part[]} parts */
function rankOf(parts) {
  return parts.map(({ variable, rest }) => (rest ? "2" : variable ? "1" : "0")).join("");
}

/**
 * The variables of a route by name; null when its parts do not fit.
 * @param {Part[]} parts
 * @param {string[]} segments
 */
function paramsOf(parts, segments) {
  // Most routes do not match, so compare before allocating anything.
  const isOpen = parts.at(-1)?.rest !== undefined;
  if (isOpen ? segments.length < parts.length - 1 : segments.length !== parts.length) return null;
  const fits = parts.every(({ text, variable, rest }, index) => {
    const segment = segments[index];
    return rest !== undefined || (variable === undefined ? segment === text : segment !== "");
  });
  if (!fits) return null;
  /** @type {Record<string, string | string[]>} */
  const params = {};
  for (const [index, { variable, rest }] of parts.entries()) {
    if (rest) params[rest] = segments.slice(index);
    else if (variable) params[variable] = segments[index] ?? "";
  }
  return params;
}

/**
 * Spells a path as Next expects it. Next does not match percent-encoded names, and it fails when decoding fails.
 * @param {string} path
 */
export function canonicalPath(path) {
  if (!/[%.\\]/.test(path)) return path;
  // Next would resolve dot segments. No route has them, so they become a name that is not found.
  const plain = joined(segmentsOf(path).map((segment) => (/^\.{1,2}$/.test(segment) ? "-" : segment)));
  return path.endsWith("/") ? `${plain}/` : plain;
}

/** @param {string} path */
function segmentsOf(path) {
  return path.replace(/\/$/, "").split("/").map(decode);
}

/** @param {string[]} segments */
function joined(segments) {
  return segments.map(encodeURIComponent).join("/");
}

/**
 * A segment that cannot be decoded stays as it is: no route has such a name, so the answer is 404.
 * @param {string} segment
 */
function decode(segment) {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

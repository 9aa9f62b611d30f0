// Finds the handlers of a path. Names come before variables and those before a rest, as in Next.

export type Handler = (request: Request, route: { params: Promise<object> }) => Response | Promise<Response>;
type Route<Handlers> = { pattern: string; handlers: Handlers };
/** `path`: as Next spells what was asked for. */
type Match<Handlers> = Route<Handlers> & { params: Record<string, string | string[]>; path: string };

const VARIABLE = /^\[(\w+)\]$/;
/** Any number of segments. */
const REST = /^\[\[\.\.\.(\w+)\]\]$/;

type Part = { text: string; variable: string | undefined; rest: string | undefined };

/** Returns a function that finds the route of a path; null when there is none. */
export function matcherOf<Handlers>(routes: readonly Route<Handlers>[]): (path: string) => Match<Handlers> | null {
  const fixed = new Map(
    routes
      .filter(({ pattern }) => !pattern.includes("["))
      .map((route) => [route.pattern, { ...route, params: {}, path: route.pattern }]),
  );
  const ranked = routes
    .map((route) => ({ route, parts: route.pattern.split("/").map(readPart) }))
    .sort((a, b) => (rankOf(a.parts) < rankOf(b.parts) ? -1 : 1));
  return (path) => {
    const known = fixed.get(path);
    if (known) return known;
    const segments = path.replace(/\/$/, "").split("/").map(decode);
    for (const { route, parts } of ranked) {
      const params = paramsOf(parts, segments);
      if (params) return { ...route, params, path: segments.map(encodeURIComponent).join("/") };
    }
    return null;
  };
}

function readPart(text: string): Part {
  return { text, variable: VARIABLE.exec(text)?.[1], rest: REST.exec(text)?.[1] };
}

function rankOf(parts: Part[]): string {
  return parts.map(({ variable, rest }) => (rest ? "2" : variable ? "1" : "0")).join("");
}

/** The variables of a route by name; null when its parts do not fit. */
function paramsOf(parts: Part[], segments: string[]): Record<string, string | string[]> | null {
  const isOpen = parts.at(-1)?.rest !== undefined;
  if (isOpen ? segments.length < parts.length - 1 : segments.length !== parts.length) return null;
  const params: Record<string, string | string[]> = {};
  for (const [index, { text, variable, rest }] of parts.entries()) {
    const segment = segments[index] ?? "";
    if (rest) params[rest] = segments.slice(index);
    else if (variable ? segment === "" : segment !== text) return null;
    else if (variable) params[variable] = segment;
  }
  return params;
}

/** A segment that cannot be decoded stays as it is: no route has such a name, so the answer is 404. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

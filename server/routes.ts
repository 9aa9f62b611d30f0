// Finds the handlers of a path. Names come before variables and those before a rest, as in Next.

export type Handler = (request: Request, route: { params: Promise<object> }) => Response | Promise<Response>;
type Route<Handlers> = { pattern: string; handlers: Handlers };
/** `path`: as Next spells what was asked for. */
type Match<Handlers> = Route<Handlers> & { params: Record<string, string | string[]>; path: string };

/** Returns a function that finds the route of a path; null when there is none. */
export function matcherOf<Handlers>(routes: readonly Route<Handlers>[]): (path: string) => Match<Handlers> | null {
  const fixed = new Map(
    routes
      .filter(({ pattern }) => !pattern.includes("["))
      .map((route) => [route.pattern, { ...route, params: {}, path: route.pattern }]),
  );
  const ranked = routes
    .map((route) => ({ route, rank: rankOf(route.pattern), expression: expressionOf(route.pattern) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return (asked) => {
    const known = fixed.get(asked);
    if (known) return known;
    const segments = asked.replace(/\/$/, "").split("/");
    // One that cannot be decoded stays as it is: no route has such a name, so the answer is 404.
    const path = segments.map((segment) => encodeURIComponent(decoded(segment) ?? segment)).join("/");
    for (const { route, expression } of ranked) {
      const found = expression.exec(path);
      if (found) return { ...route, params: paramsOf(found), path };
    }
    return null;
  };
}

function rankOf(pattern: string): string {
  return pattern.replace(/[^/]+/g, (part) => (part.startsWith("[[") ? "2" : part.startsWith("[") ? "1" : "0"));
}

/** `[name]` is a segment, `[[...name]]` any number of them. */
function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replace(/\/\[\[\.{3}(\w+)\]\]$/, "(?<$1>/.*)?")
    .replace(/\.(?=\w)/g, "\\.")
    .replace(/\[(\w+)\]/g, "(?<$1>[^/]+)");
  return new RegExp(`^${source}$`);
}

/** The variables of a path by name. Of those only a rest begins with a slash, or is missing. */
function paramsOf({ groups = {} }: RegExpExecArray): Record<string, string | string[]> {
  const read = (text: string) =>
    text.startsWith("/") ? text.slice(1).split("/").map(decodeURIComponent) : decodeURIComponent(text);
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, text === undefined ? [] : read(text)]));
}

/** What percent-encoded text says; null when it cannot be decoded. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

import { ENDPOINTS } from "@/lib/api/contract";

type Handler = (request: Request, route: { params: Promise<Record<string, string>> }) => Promise<Response>;
type Handlers = Record<string, Handler>;

/**
 * The answer of the route handlers themselves, called as the plain functions they are: no server, no build. The
 * database is the one that DATABASE_URL named when the first of them was loaded.
 */
export async function answerInProcess(
  target: string,
  { token, method = "GET" }: { token?: string; method?: string } = {},
): Promise<Response> {
  const url = new URL(target, "http://console.example");
  const { file, params } = routeOf(url.pathname);
  const handlers = (await import(`../../${file}`)) as Handlers;
  const handle = handlers[method];
  if (!handle) throw new Error(`${file} does not handle ${method}.`);
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  return handle(new Request(url, { method, headers }), { params: Promise.resolve(params) });
}

function routeOf(path: string): { file: string; params: Record<string, string> } {
  for (const [pattern] of ENDPOINTS) {
    const match = new RegExp(`^${pattern.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`).exec(path);
    if (match) {
      const file = `app${pattern.replaceAll(/:(\w+)/g, "[$1]")}/route.ts`;
      return { file, params: { ...match.groups } };
    }
  }
  return { file: "app/api/[[...path]]/route.ts", params: {} };
}

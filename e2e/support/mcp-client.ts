/** The revisions that clients of today speak. */
export const REVISIONS = ["2026-07-28", "2025-11-25"] as const;
export type Revision = (typeof REVISIONS)[number];

export type McpAnswer = { status: number; headers: Headers; bytes: number; json: Message };
type Message = {
  result?: { content?: { type: string; text: string }[]; isError?: boolean; tools?: Tool[]; [key: string]: unknown };
  error?: { code: number; message: string };
  id?: number | string | null;
};
type Tool = { name: string; description: string; inputSchema: object; annotations: { readOnlyHint: boolean } };

/** Sends one message as a client of the revision does. */
export async function sendMcp(
  origin: string,
  token: string | null,
  method: string,
  params: Record<string, unknown> = {},
  revision: Revision = "2026-07-28",
  more: Record<string, string> = {},
): Promise<McpAnswer> {
  const isNew = revision === "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers: Record<string, string> = {
    ...more,
    "mcp-protocol-version": revision,
    ...(isNew && { "mcp-method": method }),
    ...(isNew && typeof params.name === "string" && { "mcp-name": params.name }),
  };
  return postMcp(
    origin,
    token,
    { jsonrpc: "2.0", id: 1, method, params: isNew ? { ...params, _meta: meta } : params },
    headers,
  );
}

/** Sends a body as it is, and reads the answer. */
export async function postMcp(...sent: Parameters<typeof fetchMcp>): Promise<McpAnswer> {
  const response = await fetchMcp(...sent);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.byteLength(text),
    json: text === "" ? {} : (JSON.parse(text) as Message),
  };
}

/** Sends a body as it is. */
export function fetchMcp(
  origin: string,
  token: string | null,
  body: unknown,
  headers: Record<string, string> = {},
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${origin}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });
}

import { bearer } from "./calls";

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

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/** A client of /mcp, over HTTP or of the handlers themselves, as `fetch` sends its requests. */
export function mcpThrough(fetch: Fetch) {
  /** Sends one message as a client of the revision does. */
  async function sendMcp(
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
    const body = { jsonrpc: "2.0", id: 1, method, params: isNew ? { ...params, _meta: meta } : params };
    return postMcp(token, body, headers);
  }

  /** Sends a body as it is, and reads the answer. */
  async function postMcp(...sent: Parameters<typeof fetchMcp>): Promise<McpAnswer> {
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
  function fetchMcp(
    token: string | null,
    body: unknown,
    headers: Record<string, string> = {},
    init: RequestInit = {},
  ): Promise<Response> {
    return fetch("/mcp", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...bearer(token),
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...init,
    });
  }

  return { sendMcp, postMcp, fetchMcp };
}

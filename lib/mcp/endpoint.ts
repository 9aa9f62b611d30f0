import { randomUUID } from "node:crypto";
import { type AuthInfo, createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import type { Account } from "@/lib/accounts/accounts";
import { ApiError } from "@/lib/api/api-error";
import { requireCaller, requirePlace } from "@/lib/api/endpoint";
import { errorResponse, toApiError } from "@/lib/api/errors";
import { refuseUsedUp, requireQuota } from "@/lib/api/quota";
import { InvalidInputError, NotFoundError } from "@/lib/failures";
import { findOriginFault } from "@/lib/http/own-origin";
import { parseBoundedJson } from "@/lib/ingest/bounded-json";
import { requireJson } from "@/lib/ingest/read-body";
import { type BodyRules, withBody } from "@/lib/ingest/with-body";
import { perProcess } from "@/lib/process/per-process.mjs";
import { answerText } from "./answer-text";
import { TOOLS } from "./tools";

const MAX_BODY_BYTES = 16 * 1024;
/** An answer repeats the id of its message. */
const MAX_ID = 200;
const NO_BATCHES = "Batches are not part of this protocol. Send one message.";
const LONG_ID = `An id has at most ${MAX_ID} characters.`;

const RULES: BodyRules = { requireType: requireJson, maxBytes: () => MAX_BODY_BYTES };

/** What a tool needs to know of its request, and how it failed if that is the console's fault or a wait. */
type Call = { account: Account; failure?: unknown };

type Message = { id?: unknown; method?: unknown; params?: { name?: unknown; arguments?: unknown } } | null;

/**
 * The Model Context Protocol over HTTP, without sessions: POST alone, with a token as the API takes it. A message counts as
 * one request, a call of a tool as many as endpoints that it reads. Checks in this order: 403 for a page of another origin,
 * 401, 405, then as `withBody`.
 */
export async function answerMcp(request: Request): Promise<Response> {
  const id = randomUUID();
  const headers = new Headers({
    "Cache-Control": "no-store",
    "Content-Type": "application/json; charset=utf-8",
    "X-Request-Id": id,
  });
  try {
    if (request.headers.has("origin") && findOriginFault(request.headers) !== null) {
      throw new ApiError(403, "Pages of other origins may not use this endpoint.");
    }
    const caller = await requireCaller(request, headers);
    const count = (requests?: number) => requireQuota(caller.tokenId, headers, requests);
    if (request.method !== "POST") {
      await count();
      throw new ApiError(405, "Method not allowed. Send messages with POST.", { Allow: "POST" });
    }
    const quota = { refuseUsedUp: () => refuseUsedUp(caller.tokenId, headers), count };
    const sender = { asker: caller.account.id, quota };
    return await withBody(request, sender, RULES, readMessage, async (message) => {
      const { requests, isLong } = weigh(message);
      const kind = isLong ? "heavy" : "request";
      const { leave } = await requirePlace(() => kind, caller, request, headers);
      try {
        await count(requests);
        return await exchange(request, message, caller.account, headers);
      } finally {
        leave();
      }
    });
  } catch (error) {
    const failure = toApiError(error, { id, method: request.method, endpoint: "/mcp", path: "/mcp" });
    return errorResponse(failure, headers, rpcFailure(failure));
  }
}

/** The failure as a JSON-RPC error without an id. */
function rpcFailure({ status, message }: ApiError): string {
  const [PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR, OWN] = [-32700, -32600, -32603, -32000];
  const ofBody = [NO_BATCHES, LONG_ID].includes(message) ? INVALID_REQUEST : PARSE_ERROR;
  const code = status === 400 ? ofBody : status < 500 ? OWN : INTERNAL_ERROR;
  return JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null });
}

/** @throws ApiError 400, 413 */
function readMessage(bytes: Buffer): Message {
  const message = parseBoundedJson(bytes) as Message;
  if (Array.isArray(message)) throw new ApiError(400, NO_BATCHES);
  if (typeof message?.id === "string" && message.id.length > MAX_ID) throw new ApiError(400, LONG_ID);
  return message;
}

const ONE_REQUEST = { requests: 1, isLong: false };

/** What a message costs: one request, or as many as its tool reads endpoints. */
function weigh(message: Message): { requests: number; isLong: boolean } {
  const { method, params } = message ?? {};
  const name = params?.name;
  if (method !== "tools/call" || typeof name !== "string" || !Object.hasOwn(TOOLS, name)) return ONE_REQUEST;
  const tool = TOOLS[name as keyof typeof TOOLS];
  const input = tool.input.safeParse(params?.arguments ?? {});
  if (!input.success) return ONE_REQUEST;
  // The compiler cannot know that the input is that of the same tool.
  const parsed = input.data as never;
  return { requests: tool.requests?.(parsed) ?? 1, isLong: tool.isLong?.(parsed) ?? false };
}

/** What the protocol reads of a request. */
const VERSION_HEADER = "mcp-protocol-version";
const PROTOCOL_HEADERS = [VERSION_HEADER, "mcp-method", "mcp-name"];
/** Whatever a client accepts, it is answered with JSON; the package asks for both. */
const ACCEPTED: [string, string][] = [
  ["accept", "application/json, text/event-stream"],
  ["content-type", "application/json"],
];

const handler = perProcess("mcp-handler", () =>
  createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.call as Call), {
    // Nothing changes here that one could subscribe to, and an open stream would hold a connection.
    maxSubscriptions: 0,
  }),
);

async function exchange(request: Request, message: Message, account: Account, headers: Headers): Promise<Response> {
  const call: Call = { account };
  const authInfo: AuthInfo = { token: "", clientId: "", scopes: [], extra: { call } };
  // Without the token, which is not the package's to know.
  const passed = PROTOCOL_HEADERS.flatMap((name): [string, string][] => {
    const value = request.headers.get(name);
    // `initialize` agrees on the version in its body, whatever the header says.
    const isMeant = name !== VERSION_HEADER || message?.method !== "initialize";
    return value === null || !isMeant ? [] : [[name, value]];
  });
  const plain = new Request(request.url, { method: "POST", headers: [...ACCEPTED, ...passed] });
  const response = await handler.fetch(plain, { authInfo, parsedBody: message });
  const text = await response.text();
  if (call.failure !== undefined) throw call.failure;
  // For the revision before, the package answers with a stream of one event. JSON is allowed there as well, and smaller.
  const [, event] = /^data: (.*)$/m.exec(text) ?? [];
  const allow = response.headers.get("allow");
  if (allow) headers.set("Allow", allow);
  if (text === "") headers.delete("Content-Type");
  return new Response(text === "" ? null : (event ?? text), { status: response.status, headers });
}

/** A server for one message. It is made anew each time, since the tools belong to the caller. */
function serverFor(call: Call): McpServer {
  const server = new McpServer(
    { name: "console", version: "1.0.0" },
    { capabilities: { tools: { listChanged: false } } },
  );
  for (const [name, { description, input, run }] of Object.entries(TOOLS)) {
    const config = { description, inputSchema: input, annotations: { readOnlyHint: true } };
    server.registerTool(name, config, async (given: unknown) => {
      try {
        return textResult(answerText(await run(call.account, given as never)));
      } catch (error) {
        if (error instanceof NotFoundError || error instanceof InvalidInputError) {
          return { ...textResult(JSON.stringify({ error: error.message })), isError: true };
        }
        // Told as in the API, and logged: the package would send its message to the caller.
        call.failure = error;
        return textResult("");
      }
    });
  }
  return server;
}

function textResult(text: string) {
  return { content: [{ type: "text" as const, text }] };
}

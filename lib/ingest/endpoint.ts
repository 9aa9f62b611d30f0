import { randomUUID } from "node:crypto";
import { ApiError } from "@/lib/api/api-error";
import { errorResponse, toApiError } from "@/lib/api/errors";
import { databaseNow } from "@/lib/database/clock";
import { SECOND } from "@/lib/format/time";

type Route<Params> = { params: Promise<Params> };

/** An answer as it is sent. `type`: its Content-Type, JSON by default; without a body there is none. */
export type Answer = {
  status: number;
  body: string | Uint8Array | null;
  type?: string;
  headers?: Record<string, string>;
};

/** Handles a report. The answer is what the protocol of its sender wants; where it is ours, JSON `{"data": …}`. */
type Delivery<Params> = (request: Request, params: Params) => Promise<Answer>;

/** Of a text for a person at a terminal. */
export const TEXT = "text/plain; charset=utf-8";

export type Failure = { status: number; message: string };
/** `type`: the Content-Type of the request. */
type FailureOf = (failure: Failure, type: string | null) => FailureBody;

/** What agents of a protocol look for in a failure: fields beside `error`, or bytes in place of the JSON. */
export type FailureBody = { [field: string]: unknown; bytes?: never } | { bytes: Uint8Array; type: string };

/** The answer 200 with a value as JSON. */
export function json(value: unknown): Answer {
  return { status: 200, body: JSON.stringify(value) };
}

/**
 * The handlers of one path where machines report: POST alone. Failures are answered as in the API, `{"error": …}`.
 * `path` stands for the path in the log, without whatever key a real one may hold. `failureBody` is what agents of a
 * protocol look for in a failure.
 */
export function reportEndpoint<Params = Record<never, never>>(
  path: string,
  deliver: Delivery<Params>,
  failureBody?: FailureOf,
) {
  const post = (request: Request, { params }: Route<Params>): Promise<Response> =>
    answer(path, request, async () => deliver(request, await params), failureBody);
  return { ...notAllowed("Method not allowed. Machines report with POST.", "POST", failureBody), POST: post };
}

/** As `reportEndpoint`, for a path where machines fetch what they are to do: GET alone. */
export function fetchEndpoint(path: string, fetch: (request: Request) => Promise<Answer>) {
  const get = (request: Request): Promise<Response> => answer(path, request, () => fetch(request));
  return { ...notAllowed("Method not allowed. Edge nodes fetch with GET.", "GET"), GET: get };
}

async function answer(
  path: string,
  request: Request,
  run: () => Promise<Answer>,
  failureBody?: FailureOf,
): Promise<Response> {
  const { id, headers } = startAnswer();
  try {
    return respond(await run(), headers);
  } catch (error) {
    const failure = toApiError(error, { id, method: request.method, endpoint: null, path });
    return fail(failure, headers, request, failureBody);
  }
}

function fail(failure: ApiError, headers: Headers, request: Request, failureBody?: FailureOf): Response {
  const told = failureBody?.(failure, request.headers.get("content-type"));
  if (told?.bytes === undefined) {
    const body = told && JSON.stringify({ error: failure.message, ...told });
    return withTime(errorResponse(failure, headers, body));
  }
  return respond({ status: failure.status, body: told.bytes, type: told.type, headers: failure.headers }, headers);
}

function respond({ status, body, type, headers: own = {} }: Answer, headers: Headers): Response {
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  if (body === null) headers.delete("Content-Type");
  else if (type) headers.set("Content-Type", type);
  return withTime(new Response(body instanceof Uint8Array ? new Uint8Array(body) : body, { status, headers }));
}

/** The handlers of a path where a protocol's agents ask whether anybody is there: GET and HEAD, for anybody. */
export function statusEndpoint(answer: Answer) {
  const get = async (): Promise<Response> => respond(answer, startAnswer().headers);
  return { ...notAllowed("Method not allowed. Ask with GET.", "GET, HEAD"), GET: get, HEAD: get };
}

/** The handlers of unknown paths under /ingest: always 404. `failureBody` as in `reportEndpoint`. */
export function unknownEndpoint(failureBody?: FailureOf) {
  return refusing(new ApiError(404, "Not found."), failureBody);
}

/** The handlers of a path where machines no longer report: 410, with a sentence that says what to use. */
export function withdrawnEndpoint(sentence: string) {
  return refusing(new ApiError(410, sentence));
}

/** Handlers that answer 405 with the methods that a path has. */
function notAllowed(message: string, allow: string, failureBody?: FailureOf) {
  return refusing(new ApiError(405, message, { Allow: allow }), failureBody);
}

/** Handlers of all methods that refuse. */
function refusing(failure: ApiError, failureBody?: FailureOf) {
  const refuse = async (request: Request): Promise<Response> =>
    fail(failure, startAnswer().headers, request, failureBody);
  return { GET: refuse, HEAD: refuse, POST: refuse, PUT: refuse, PATCH: refuse, DELETE: refuse, OPTIONS: refuse };
}

/**
 * Says what time it is by the console, whose clock is PostgreSQL's once a statement has told it. The Date of an answer may be
 * a proxy's.
 */
function withTime(response: Response): Response {
  response.headers.set("X-Console-Time", String(Math.floor(databaseNow().getTime() / SECOND)));
  return response;
}

function startAnswer(): { id: string; headers: Headers } {
  const id = randomUUID();
  const headers = new Headers({
    "Cache-Control": "no-store",
    "Content-Type": "application/json; charset=utf-8",
    "X-Request-Id": id,
  });
  return { id, headers };
}

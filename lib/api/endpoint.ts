import { randomUUID } from "node:crypto";
import type { Account } from "@/lib/accounts/accounts";
import { NotFoundError } from "@/lib/failures";
import { bearerCredentials } from "@/lib/http/bearer";
import { clientIp } from "@/lib/http/client-ip";
import { JsonText } from "@/lib/http/json-text";
import { TextResponse } from "@/lib/http/text-response";
import { env } from "@/lib/process/env";
import { type Asker, EVERYBODY, enter, enterAtOnce, type Kind, leavingAfter } from "@/lib/process/fair";
import { authenticate, type Caller } from "@/lib/tokens/authentication";
import { isWellFormedToken } from "@/lib/tokens/format";
import type { Data, EndpointPath, Params } from "./contract";
import { errorResponse, invalidToken, malformedToken, methodNotAllowed, missingToken, toApiError } from "./errors";
import { failureText } from "./failure-text.mjs";
import { isLongFor, LONG, noteLength } from "./long-answers";
import { ALLOW, answerPreflight } from "./preflight";
import { refuseUsedUp, requireQuota } from "./quota";

/** A request that is authenticated: its account, its path parameters and its query. */
type Call<Path extends EndpointPath> = { account: Account; params: Params<Path>; query: URLSearchParams };
type Answer<Body> = Promise<Body | JsonText<Body>> | Body;

/** Settings that only some endpoints need. */
type Traits<PathParams> = {
  /** "free": authentication has read all that the answer needs, so it takes no place. */
  weight?: "free";
  /** Where it depends on the query: the approximate size in bytes. A long answer takes the place of one. */
  bytes?(query: URLSearchParams): number;
  /** For HEAD: throws what GET would throw, without making the body. */
  check?(call: ParsedCall<PathParams>): Promise<unknown> | undefined;
};

/**
 * The handlers of one row of the contract, all methods included: authenticate (401), wait for a place (503), limit (429),
 * run (404, 405, 400), respond with `{"data": …}` (contract 2, 4, 7). Headers that never change are set in
 * lib/api/fixed-headers.mjs.
 */
export function endpoint<Path extends EndpointPath>(
  path: Path,
  run: (call: Call<Path>) => Answer<Data<Path>>,
  traits: Traits<Params<Path>> = {},
) {
  return handlers<Params<Path>>(path, run, traits);
}

/** The handlers of every path under /api that the contract does not name: 404 for a good token, else 401. */
export function unknownEndpoint() {
  const run = () => {
    throw new NotFoundError();
  };
  return handlers(null, run, { weight: "free" });
}

type ParsedCall<PathParams> = { account: Account; params: PathParams; query: URLSearchParams };
type Run<PathParams> = (call: ParsedCall<PathParams>) => Answer<unknown>;

function handlers<PathParams>(endpoint: EndpointPath | null, run: Run<PathParams>, traits: Traits<PathParams> = {}) {
  const handle = (request: Request, route: { params: Promise<PathParams> }): Promise<Response> =>
    answer(request, { ...JSON_BODIES, kind: kindOf(traits) }, endpoint, async (account, query) => {
      // A script with an empty id asks for `/servers/`, which must not be the list of all servers.
      if (new URL(request.url).pathname.endsWith("/")) throw new NotFoundError();
      const call = { account, params: await route.params, query };
      if (request.method === "HEAD" && traits.check) {
        await traits.check(call);
        return [];
      }
      const data = await run(call);
      return data instanceof JsonText ? ['{"data":', ...data.parts, "}"] : [`{"data":${JSON.stringify(data)}}`];
    });
  return methodsOf(handle);
}

/** Each method: the ones that do not read are answered as those that do, up to their 405. */
function methodsOf<Handle>(handle: Handle) {
  const methods = { GET: handle, HEAD: handle, POST: handle, PUT: handle, PATCH: handle, DELETE: handle };
  return { ...methods, OPTIONS: answerPreflight };
}

/**
 * The handlers of a path for machines outside the API, such as /metrics: the same token, limit and statuses, and failures
 * as a line of plain text.
 */
export function plainTextEndpoint(path: string, contentType: string, write: (account: Account) => Promise<string>) {
  const bodies = {
    success: contentType,
    failure: "text/plain; charset=utf-8",
    write: (text: string) => `${text}\n`,
    kind: kindOf({}),
  };
  const handle = async (request: Request): Promise<Response> => {
    const response = await answer(request, bodies, path, async (account) => [await write(account)]);
    // Answers under /api get this header from lib/api/fixed-headers.mjs.
    response.headers.set("Cache-Control", "no-store");
    return response;
  };
  return methodsOf(handle);
}

/** The content types of an answer, and how the message of a failure becomes its body. */
type Bodies = {
  success: string;
  failure: string;
  write: (message: string) => string;
  kind: FindKind;
};

/** Whose place an answer takes; null: none. `isLong`: the last one was. */
type FindKind = (
  request: Request,
  query: URLSearchParams,
  isLong: boolean,
) => Extract<Kind, "request" | "heavy"> | null;

function kindOf({ weight, bytes }: Pick<Traits<never>, "weight" | "bytes">): FindKind {
  if (weight === "free") return () => null;
  if (!bytes) return (_request, _query, isLong) => (isLong ? "heavy" : "request");
  return ({ method }, query) => (method === "GET" && bytes(query) > LONG ? "heavy" : "request");
}

/** In characters. A longer answer keeps its place until its client has read it or has left. */
const KEPT_ABOVE = 65_536;

const JSON_TYPE = "application/json; charset=utf-8";
const JSON_BODIES = { success: JSON_TYPE, failure: JSON_TYPE, write: failureText };

/** Authenticates, counts, runs, and answers with the output of `run` or with the failure. */
async function answer(
  request: Request,
  bodies: Bodies,
  endpoint: string | null,
  run: (account: Account, query: URLSearchParams) => Promise<readonly string[]>,
): Promise<Response> {
  const url = new URL(request.url);
  const id = randomUUID();
  const headers = new Headers({ "Content-Type": bodies.success, "X-Request-Id": id });
  let leave = () => {};
  try {
    const caller = await requireCaller(request, headers);
    const findKind = () => bodies.kind(request, url.searchParams, isLongFor(endpoint, caller.account.id));
    const place = await requirePlace(findKind, caller, request, headers);
    leave = place.leave;
    const make = async () => {
      // After the places, so that a 503 costs no quota.
      await requireQuota(caller.tokenId, headers);
      if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(ALLOW);
      return run(caller.account, url.searchParams);
    };
    const parts =
      place.kind === "heavy"
        ? await leavingAfter(await enterWithQuota("making", EVERYBODY, caller, request, headers), make)
        : await make();
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (request.method === "GET") noteLength(endpoint, caller.account.id, length);
    if (length > KEPT_ABOVE && request.method !== "HEAD") return new TextResponse(parts, 200, headers, leave);
    leave();
    return new TextResponse([parts.join("")], 200, headers);
  } catch (error) {
    leave();
    const failure = toApiError(error, { id, method: request.method, endpoint, path: url.pathname });
    headers.set("Content-Type", bodies.failure);
    return errorResponse(failure, headers, bodies.write(failure.message));
  }
}

type Place<Found> = { kind: Found; leave: () => void };

/** Waits for a place, if the request takes one. @throws ApiError 429, BusyError */
export async function requirePlace<Found extends Kind | null>(
  findKind: () => Found,
  caller: Caller,
  request: Request,
  headers: Headers,
): Promise<Place<Found>> {
  const kind = findKind();
  if (kind === null) return { kind, leave: () => {} };
  const place = { kind, leave: await enterWithQuota(kind, caller.account.id, caller, request, headers) };
  // Of many requests at once, the first answer says whether all are long.
  if (findKind() === kind) return place;
  place.leave();
  return requirePlace(findKind, caller, request, headers);
}

/** Waits for a place. A token over its quota gets its 429 at once. @throws ApiError 429, BusyError */
async function enterWithQuota(
  kind: Kind,
  asker: Asker,
  { tokenId }: Caller,
  { signal }: Request,
  headers: Headers,
): Promise<() => void> {
  const leave = enterAtOnce(kind, asker);
  if (leave) return leave;
  refuseUsedUp(tokenId, headers);
  return enter(kind, asker, signal);
}

/** Authenticates by the Authorization header only (contract 5.1, 5.7). The end of a token is a header. @throws ApiError 401 */
export async function requireCaller(request: Request, headers: Headers): Promise<Caller> {
  const credentials = bearerCredentials(request.headers);
  if (!credentials) throw missingToken();
  if (!isWellFormedToken(credentials)) throw malformedToken();
  const caller = await authenticate(credentials, {
    ip: clientIp(request.headers, env.trustedProxies),
    agent: request.headers.get("user-agent"),
  });
  if (!caller) throw invalidToken();
  if (caller.expiresAt !== null) headers.set("X-Token-Expires-At", String(caller.expiresAt));
  return caller;
}

import { deepStrictEqual } from "node:assert";
import { CONTRACT, ENDPOINTS, type EndpointPath, successBody } from "@/lib/api/contract";
import type { OpenApiDocument } from "@/lib/api/openapi";
import { failure } from "@/lib/api/schemas";
import { type Judge, judgeBy } from "./judge";

/** One answer, read whole. */
export type WholeAnswer = { status: number; headers: Headers; text: string };
/** One answer of the API. */
export type Answer = WholeAnswer & { json: unknown };
/** Sends a request to a path. */
export type Ask = (path: string, init?: RequestInit) => Promise<WholeAnswer>;

/** One path of each endpoint of the contract. */
export const ENDPOINT_PATHS = ENDPOINTS.map(([path]) => path.replaceAll(/:\w+/g, "1"));

/** What a client can tell an answer by. `but`: headers that differ with each one; that they are there counts. */
export function comparable({ status, headers, text }: WholeAnswer, but = ["date", "x-request-id"]) {
  return { status, text, names: [...headers.keys()], values: [...headers].filter(([name]) => !but.includes(name)) };
}

/** The header that carries a token or a key. */
export const bearer = (raw: string | null): Record<string, string> =>
  raw === null ? {} : { Authorization: `Bearer ${raw}` };

type Init = { method?: string; headers?: Record<string, string> };

/**
 * Calls of the API by its own handlers or over HTTP, as `ask` sends them. `askDocument`: of whom the document that judges is
 * asked, if of another.
 */
export function callsThrough(ask: Ask, askDocument = ask) {
  let judge: Promise<Judge> | undefined;

  /** Judges by the document that is served. */
  function findJudge(): Promise<Judge> {
    judge ??= askDocument("/openapi.json").then(({ text }) => judgeBy(JSON.parse(text) as OpenApiDocument));
    return judge;
  }

  /**
   * Sends a GET with the token, and checks what must be true of every answer of the API: the served document describes
   * its status, headers and body, and the body has no field that the contract does not name.
   */
  async function call(path: string, token: string | null, init: Init = {}): Promise<Answer> {
    const method = init.method ?? "GET";
    const answer = await ask(path, { method, headers: { ...bearer(token), ...init.headers } });
    const { status, text } = answer;
    const problems = (await findJudge())({ method, path, ...answer });
    if (answer.headers.has("access-control-allow-credentials")) problems.push("lets pages of others send cookies");
    deepStrictEqual(problems, [], `${method} ${path}: ${status} ${text}: ${problems.join(" ")}`);
    if (text === "") return { ...answer, json: undefined };
    const json: unknown = JSON.parse(text);
    const schema = status === 200 ? successBody(patternOf(path)) : failure;
    schema.parse(json);
    return { ...answer, json };
  }

  /** The payload of a call that must succeed. */
  async function getData<Data = unknown>(path: string, token: string, init: Init = {}): Promise<Data> {
    const { status, text, json } = await call(path, token, init);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return (json as { data: Data }).data;
  }

  /** A call that must fail with this status and this sentence. */
  async function expectFailure(answer: Promise<Answer>, status: number, error: string): Promise<Answer> {
    const settled = await answer;
    deepStrictEqual({ status: settled.status, json: settled.json }, { status, json: { error } });
    return settled;
  }

  /** Uses up this many requests of the token, a few at a time. Other tests cover many at once. */
  async function spend(token: string, requests: number): Promise<void> {
    const work = Array.from({ length: 6 }, async (_, first) => {
      for (let at = first; at < requests; at += 6) await getData("/api/v1/me", token);
    });
    await Promise.all(work);
  }

  return { call, getData, expectFailure, spend, findJudge };
}

/** The endpoint of the contract that matches a path. Null when none does. */
function endpointOf(path: string): EndpointPath | null {
  const pattern = path.replace(/\/$/, "").replace(/\/\d+/g, "/:id");
  return Object.hasOwn(CONTRACT, pattern) ? (pattern as EndpointPath) : null;
}

function patternOf(path: string): EndpointPath {
  const pattern = endpointOf(decodeURIComponent(path.split("?")[0] ?? "").replaceAll(/\/{2,}/g, "/"));
  if (!pattern) throw new Error(`${path} answered 200 and is no endpoint.`);
  return pattern;
}

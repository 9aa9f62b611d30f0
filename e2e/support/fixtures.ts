import { setTimeout } from "node:timers/promises";
import { test as base, expect, type Page } from "playwright/test";
import { ENDPOINTS, type EndpointPath, successBody } from "@/lib/api/contract";
import type { OpenApiDocument } from "@/lib/api/openapi";
import { failure } from "@/lib/api/schemas";
import { SECOND } from "@/lib/format/time";
import { endpointOf } from "./calls";
import { type Judge, judgeBy } from "./judge";
import { OWN_WAIT } from "./patience";

export { expect };

/** Other tests add network interfaces to this machine. The browser then gives up what it is loading, and is told again. */
export function loadPatiently(page: Page): void {
  const goto = page.goto.bind(page);
  page.goto = (...to) =>
    goto(...to).catch((error: Error) => {
      if (!error.message.includes("ERR_NETWORK_CHANGED")) throw error;
      return goto(...to);
    });
}

export const test = base.extend<object, { waits: undefined }>({
  waits: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner wants a pattern here
    async ({}, use, { project }) => {
      // What needs a machine to itself is about how much the console does in its own time.
      if (project.name === "load") Object.assign(process.env, OWN_WAIT);
      await use(undefined);
    },
    { scope: "worker", auto: true },
  ],
  page: async ({ page }, use) => {
    loadPatiently(page);
    await use(page);
  },
});

/** The console that all tests share. */
export function sharedOrigin(): string {
  const { E2E_ORIGIN } = process.env;
  if (!E2E_ORIGIN) throw new Error("The console is not running: start the tests with npm test.");
  return E2E_ORIGIN;
}

/** One answer, read whole. */
export type WholeAnswer = { status: number; headers: Headers; text: string };

export async function askWhole(url: string, init: RequestInit = {}): Promise<WholeAnswer> {
  const response = await fetch(url, { redirect: "manual", ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

type Init = { method?: string; headers?: Record<string, string>; origin?: string };

/** One answer of the API, read whole. */
export type Answer = WholeAnswer & { json: unknown };

/** One path of each endpoint of the contract. */
export const ENDPOINT_PATHS = ENDPOINTS.map(([path]) => path.replaceAll(/:\w+/g, "1"));

/**
 * Sends a GET with the token, to the shared console unless `origin` names another, and checks what must be true of every
 * answer of the API: the served document describes its status, headers and body, and the body has no field that the
 * contract does not name.
 */
export async function call(path: string, token: string | null, init: Init = {}): Promise<Answer> {
  const method = init.method ?? "GET";
  const headers = { ...(token === null ? {} : { Authorization: `Bearer ${token}` }), ...init.headers };
  const request = { method, headers };
  const answer = await askWhole((init.origin ?? sharedOrigin()) + path, request);
  const { status, text } = answer;
  const problems = (await findJudge())({ method, path, ...answer });
  if (answer.headers.has("access-control-allow-credentials")) problems.push("lets pages of others send cookies");
  // Every `expect` costs the runner a scan of all earlier steps, which dominates in tests with a thousand calls.
  if (problems.length > 0) expect(problems, `${method} ${path}: ${status} ${text}`).toEqual([]);
  if (text === "") return { ...answer, json: undefined };
  const json: unknown = JSON.parse(text);
  const schema = status === 200 ? successBody(patternOf(path)) : failure;
  schema.parse(json);
  return { ...answer, json };
}

let judge: Promise<Judge> | undefined;

/** Judges by the document that the shared console serves. */
export function findJudge(): Promise<Judge> {
  judge ??= fetch(`${sharedOrigin()}/openapi.json`)
    .then((response) => response.json())
    .then((document) => judgeBy(document as OpenApiDocument));
  return judge;
}

/** Uses up this many requests of the token, a few at a time. Other tests cover many at once. */
export async function spend(token: string, requests: number, origin?: string): Promise<void> {
  const work = Array.from({ length: 6 }, async (_, first) => {
    for (let at = first; at < requests; at += 6) await getData("/api/v1/me", token, origin ? { origin } : {});
  });
  await Promise.all(work);
}

/** The payload of a call that must succeed. */
export async function getData<Data = unknown>(path: string, token: string, init: Init = {}): Promise<Data> {
  const { status, text, json } = await call(path, token, init);
  if (status !== 200) expect(status, text).toBe(200);
  return (json as { data: Data }).data;
}

/** As `getData`, of a console that has much to do on a busy machine: when it says 503, it is asked again as it says. */
export async function getDataWhenServed<Data = unknown>(origin: string, path: string, token: string): Promise<Data> {
  for (;;) {
    const { status, text, headers, json } = await call(path, token, { origin });
    if (status === 200) return (json as { data: Data }).data;
    expect(status, text).toBe(503);
    await setTimeout(Number(headers.get("retry-after")) * SECOND);
  }
}

export async function expectFailure(answer: Promise<Answer>, status: number, error: string): Promise<Answer> {
  const settled = await answer;
  expect({ status: settled.status, json: settled.json }).toEqual({ status, json: { error } });
  return settled;
}

function patternOf(path: string): EndpointPath {
  const pattern = endpointOf(decodeURIComponent(path.split("?")[0] ?? ""));
  if (!pattern) throw new Error(`${path} answered 200 and is no endpoint.`);
  return pattern;
}

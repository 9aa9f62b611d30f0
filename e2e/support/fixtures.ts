import { expect, test } from "playwright/test";
import { CONTRACT, ENDPOINTS, type EndpointPath, failureBody, successBody } from "@/lib/api/contract";

export { expect, test };

type Init = { method?: string; headers?: Record<string, string>; origin?: string };

/** One answer of the API, read whole. */
export type Answer = { status: number; headers: Headers; text: string; json: unknown };

/** One path of each endpoint of the contract. */
export const ENDPOINT_PATHS = ENDPOINTS.map(([path]) => path.replaceAll(/:\w+/g, "1"));

/** The console that all tests share. */
export function sharedOrigin(): string {
  const { E2E_ORIGIN } = process.env;
  if (!E2E_ORIGIN) throw new Error("The console is not running: start the tests with npm test.");
  return E2E_ORIGIN;
}

/**
 * Sends a GET with the token, and checks what must be true of every answer of the API: the fixed headers, and a body
 * that is exactly what the contract allows for its path and status.
 */
export async function call(path: string, token: string | null, init: Init = {}): Promise<Answer> {
  const response = await fetch((init.origin ?? sharedOrigin()) + path, {
    method: init.method ?? "GET",
    headers: { ...(token === null ? {} : { Authorization: `Bearer ${token}` }), ...init.headers },
    redirect: "manual",
  });
  const text = await response.text();
  const { status, headers } = response;
  expect(headers.get("cache-control"), `Cache-Control of ${path}`).toBe("no-store");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("access-control-allow-credentials")).toBeNull();
  expect(headers.get("set-cookie")).toBeNull();
  if (init.method === "HEAD" || status === 204) {
    expect(text).toBe("");
    return { status, headers, text, json: undefined };
  }
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  const json: unknown = JSON.parse(text);
  const schema = status === 200 ? successBody(patternOf(path)) : failureBody;
  schema.parse(json);
  return { status, headers, text, json };
}

/** The payload of a call that must succeed. */
export async function getData<Data = unknown>(path: string, token: string, init: Init = {}): Promise<Data> {
  const { status, text, json } = await call(path, token, init);
  expect(status, text).toBe(200);
  return (json as { data: Data }).data;
}

export async function expectFailure(answer: Promise<Answer>, status: number, error: string): Promise<Answer> {
  const settled = await answer;
  expect({ status: settled.status, json: settled.json }).toEqual({ status, json: { error } });
  return settled;
}

function patternOf(path: string): EndpointPath {
  const pattern = decodeURIComponent(path.split("?")[0] ?? "")
    .replace(/\/$/, "")
    .replace(/\/\d+/g, "/:id");
  if (!Object.hasOwn(CONTRACT, pattern)) throw new Error(`${path} answered 200 and is no endpoint.`);
  return pattern as EndpointPath;
}

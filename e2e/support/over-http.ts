import { readFileSync } from "node:fs";
import { inject } from "vitest";
import { callsThrough, type WholeAnswer } from "./calls";

/** The console of all site tests. */
export const origin = inject("origin");

/** What it has logged of all tests so far. */
export const readLog = () => readFileSync(inject("log"), "utf8");

/** Sends a request to the console of all site tests, and follows no redirect. */
export const askOverHttp = askAt(origin);

export const { call, getData, expectFailure } = callsOf(origin);

/** What a token gets, from an ip if one is named. */
export const statusOf = async (raw: string, ip?: string): Promise<number> =>
  (await call("/api/v1/me", raw, ip === undefined ? {} : { headers: { "X-Forwarded-For": ip } })).status;

/** Calls of the API of a console, over HTTP. */
export function callsOf(consoleOrigin: string) {
  return callsThrough(askAt(consoleOrigin));
}

function askAt(consoleOrigin: string) {
  return async (path: string, init: RequestInit = {}): Promise<WholeAnswer> => {
    const response = await fetch(consoleOrigin + path, { redirect: "manual", ...init });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

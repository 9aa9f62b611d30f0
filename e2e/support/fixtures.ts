import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { test as base, expect, type Page } from "playwright/test";
import { SECOND } from "@/lib/format/time";
import { type Answer, callsThrough, type WholeAnswer } from "./calls";
import { OWN_WAIT } from "./patience";

export type { WholeAnswer };
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

const ends: (() => unknown)[] = [];

async function endAll(): Promise<void> {
  try {
    await ends.pop()?.();
  } finally {
    if (ends.length > 0) await endAll();
  }
}

/** Runs at the end of the test, even of one that has failed. The last comes first. */
export const atEnd = (end: () => unknown) => void ends.push(end);

/** What was started for this test alone. It stops with it. */
export async function own<Started extends { stop(): unknown }>(starting: Started | Promise<Started>): Promise<Started> {
  const started = await starting;
  atEnd(() => started.stop());
  return started;
}

/** A new folder, which goes with the test that asks for it. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "console-test-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const test = base.extend<{ ends: undefined }, { waits: undefined }>({
  waits: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner wants a pattern here
    async ({}, use, { project }) => {
      // What needs a machine to itself is about how much the console does in its own time.
      if (project.name === "load") Object.assign(process.env, OWN_WAIT);
      await use(undefined);
    },
    { scope: "worker", auto: true },
  ],
  ends: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner wants a pattern here
    async ({}, use) => {
      await use(undefined);
      await endAll();
    },
    { auto: true },
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

async function askWhole(url: string, init: RequestInit = {}): Promise<WholeAnswer> {
  const response = await fetch(url, { redirect: "manual", ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

type Init = { method?: string; headers?: Record<string, string>; origin?: string };

const callers = new Map<string, ReturnType<typeof callsThrough>>();

/** Calls of the console at an origin, judged by the document that the shared one serves. */
function callsAt(origin = sharedOrigin()): ReturnType<typeof callsThrough> {
  const askAt = (base: string) => (path: string, init?: RequestInit) => askWhole(base + path, init);
  const calls = callers.get(origin) ?? callsThrough(askAt(origin), askAt(sharedOrigin()));
  callers.set(origin, calls);
  return calls;
}

/** As `call` of calls.ts, to the shared console unless `origin` names another. */
export function call(path: string, token: string | null, { origin, ...init }: Init = {}): Promise<Answer> {
  return callsAt(origin).call(path, token, init);
}

/** Uses up this many requests of the token. */
export const spend = (token: string, requests: number, origin?: string) => callsAt(origin).spend(token, requests);

/** The payload of a call that must succeed. */
export function getData<Data = unknown>(path: string, token: string, { origin, ...init }: Init = {}): Promise<Data> {
  return callsAt(origin).getData<Data>(path, token, init);
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

/** A call that must fail with this status and this sentence. */
export const expectFailure = (answer: Promise<Answer>, status: number, error: string) =>
  callsAt().expectFailure(answer, status, error);

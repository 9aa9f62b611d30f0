import { isDeepStrictEqual } from "node:util";
import { expect, test } from "playwright/test";
import { SECOND } from "@/lib/format/time";

// The server calls route handlers directly. Next's router calls them on hosting platforms, and for builds with an
// unexpected layout. Clients must not see a difference. So on one engine a second console without the direct door shares
// the database, and the API specs send their requests to both.

/**
 * The project that repeats some specs through Next's router only. Their requests cannot go through both doors, because
 * they consume something, count, or return the origin.
 */
export const NEXT_DOOR = "next door";

/** Answers may differ by chance, because time passes between them. A real difference appears in every try. */
const TRIES = 3;
const PAUSE = SECOND / 2;

/** Headers that differ between two answers of the same door, and hop-by-hop headers. */
const VARYING =
  /^(?:date|x-request-id|ratelimit|x-ratelimit-remaining|x-ratelimit-reset|connection|keep-alive|transfer-encoding)$/i;
/** In seconds. Each process counts from its own first request, and the slower door gets it later. */
const WAIT_TOLERANCE = 15;

/** One answer, read whole. */
export type WholeAnswer = { status: number; headers: Headers; text: string };

/** The console that all tests share, by the door that this run of the test is about. */
export function sharedOrigin(): string {
  const { E2E_ORIGIN, E2E_NEXT_DOOR_ORIGIN } = process.env;
  const origin = isThroughNext() ? E2E_NEXT_DOOR_ORIGIN : E2E_ORIGIN;
  if (!origin) throw new Error("The console is not running: start the tests with npm test.");
  return origin;
}

/** The shared console by each door that this run of the test can compare. */
export function doorOrigins(): string[] {
  return [sharedOrigin(), otherOrigin()].filter((origin) => origin !== null);
}

/** Asks the shared console and, in a spec of the API, its other door: there the answer must be the same. */
export async function askBothDoors(path: string, init: RequestInit = {}): Promise<WholeAnswer> {
  return throughBothDoors((origin) => askWhole(origin + path, init), comparable);
}

export async function askWhole(url: string, init: RequestInit): Promise<WholeAnswer> {
  const response = await fetch(url, { redirect: "manual", ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Like `askBothDoors` for any kind of request. `comparable` selects the parts of an answer that must be equal. */
export async function throughBothDoors<Answer>(
  ask: (origin: string) => Promise<Answer>,
  comparable: (answer: Answer) => { wait: number; rest: unknown },
): Promise<Answer> {
  const answer = await ask(sharedOrigin());
  const other = otherOrigin();
  if (!other) return answer;
  let [direct, routed] = [comparable(answer), comparable(await ask(other))];
  for (let tries = 1; tries < TRIES && !isDeepStrictEqual(direct, routed); tries++) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    [direct, routed] = [comparable(await ask(sharedOrigin())), comparable(await ask(other))];
  }
  const difference = Math.abs(direct.wait - routed.wait);
  // Every `expect` costs the runner a scan of all earlier steps, which dominates in tests with a thousand answers.
  if (!isDeepStrictEqual(direct.rest, routed.rest)) expect(direct.rest, "through Next's router").toEqual(routed.rest);
  if (difference > WAIT_TOLERANCE) expect(difference, "Retry-After").toBeLessThanOrEqual(WAIT_TOLERANCE);
  return answer;
}

/** Selects the parts of an answer that must be the same through both doors. */
export function comparable({ status, headers, text }: WholeAnswer) {
  const fields = [...headers].filter(([name]) => !VARYING.test(name));
  return {
    wait: Number(headers.get("retry-after")),
    rest: { status, headers: fields.map(withoutWait), text: withoutWait(text) },
  };
}

/** The same for the raw bytes of a connection. Ignores the order and the case of headers. */
export function comparableText(text: string): { wait: number; rest: unknown } {
  const apart = text.replaceAll(/(?=HTTP\/1\.1 \d{3} )/g, "\r\n\r\n");
  const blocks = apart.split("\r\n\r\n").map((block) => {
    const [first = "", ...lines] = block.split("\r\n");
    if (!first.startsWith("HTTP/1.1 ")) return withoutWait(block);
    const fields = lines.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()));
    return [
      first,
      ...fields
        .filter((line) => !VARYING.test(line.split(":")[0] ?? ""))
        .map(withoutWait)
        .sort(),
    ];
  });
  return { wait: Number(/^retry-after: (\d+)\r$/im.exec(text)?.[1] ?? 0), rest: blocks };
}

/** Masks waiting times, the moment of a score, and the nonce of a page, which is random. */
function withoutWait<Part extends string | [string, string]>(part: Part): Part {
  if (Array.isArray(part)) return (part[0] === "retry-after" ? [part[0], "N"] : part) as Part;
  return part
    .replace(/^retry-after: \d+$/i, "retry-after: N")
    .replace(/Retry in \d+ seconds?/, "Retry in N seconds")
    .replaceAll(/"scored_at":\d+/g, '"scored_at":N')
    .replaceAll(/nonce(-|=")[\w+/=]{24}/g, "nonce$1N") as Part;
}

function isThroughNext(): boolean {
  return test.info().project.name === NEXT_DOOR;
}

/** Null where there is nothing to compare: outside the specs of the API, on the other engine, and in `NEXT_DOOR`. */
function otherOrigin(): string | null {
  const { project, file } = test.info();
  const isCompared = project.name !== NEXT_DOOR && file.startsWith(`${project.testDir}/api/`);
  return (isCompared && process.env.E2E_NEXT_DOOR_ORIGIN) || null;
}

import { isDeepStrictEqual } from "node:util";
import { expect, test } from "playwright/test";
import { SECOND } from "@/lib/time";

// The server calls route handlers itself; on hosting platforms, and for a build that does not look as expected, Next's
// router does. A client must not be able to tell the two apart: on one engine a second console, whose direct door is
// closed, stands on the database of the shared one, and the specs of the API send what they send to both.

/**
 * The project that runs once more through Next's router what cannot be sent through both doors at once: an answer that
 * uses something up, counts, or names the origin at which it was asked.
 */
export const NEXT_DOOR = "next door";

/** Time passes between the two answers, and a door may be busy; what differs each time does not differ by that. */
const TRIES = 3;
const PAUSE = SECOND / 2;

/** What differs from answer to answer through one and the same door, and what is between a server and its next hop. */
const VARYING =
  /^(?:date|x-request-id|ratelimit|x-ratelimit-remaining|x-ratelimit-reset|connection|keep-alive|transfer-encoding)$/i;
/** In seconds; each process counts from the first request that it saw, and the slower door saw it later. */
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

/** As `askBothDoors`, for any way of asking. `comparable` leaves of an answer what must be equal. */
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
  // The runner looks through all earlier steps at each new one: a test with a thousand answers would only do that.
  if (!isDeepStrictEqual(direct.rest, routed.rest)) expect(direct.rest, "through Next's router").toEqual(routed.rest);
  if (difference > WAIT_TOLERANCE) expect(difference, "Retry-After").toBeLessThanOrEqual(WAIT_TOLERANCE);
  return answer;
}

/** Everything of an answer that must be the same through both doors. */
export function comparable({ status, headers, text }: WholeAnswer) {
  const fields = [...headers].filter(([name]) => !VARYING.test(name));
  return {
    wait: Number(headers.get("retry-after")),
    rest: { status, headers: fields.map(withoutWait), text: withoutWait(text) },
  };
}

/** The same for all that came on a connection: the order of the headers of an answer, and their case, mean nothing. */
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

/** Also without the nonce of a page, which is another one each time. */
function withoutWait<Part extends string | [string, string]>(part: Part): Part {
  if (Array.isArray(part)) return (part[0] === "retry-after" ? [part[0], "N"] : part) as Part;
  return part
    .replace(/^retry-after: \d+$/i, "retry-after: N")
    .replace(/Retry in \d+ seconds?/, "Retry in N seconds")
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

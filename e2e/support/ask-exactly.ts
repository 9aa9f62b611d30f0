import { once } from "node:events";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import { text } from "node:stream/consumers";
import type { WholeAnswer } from "./calls";

/** Asks letter by letter: `fetch` would tidy the path up, sends no Host of ours and gives GET no body. */
export async function askExactly(
  origin: string,
  options: RequestOptions,
  body?: string | Buffer,
): Promise<WholeAnswer> {
  const { hostname, port } = new URL(origin);
  const [answer] = (await once(request({ hostname, port, agent: false, ...options }).end(body), "response")) as [
    IncomingMessage,
  ];
  const pairs = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return { status: answer.statusCode ?? 0, headers: new Headers(pairs), text: await text(answer) };
}

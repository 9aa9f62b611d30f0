import { once } from "node:events";
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { indented, withNames } from "./readable";
import { SECRETS } from "./seed";

/** The address under which the recorded console believes to be open. */
export const ORIGIN = "https://console.example.com";

/** The first lines of the file. */
const ABOUT =
  "What the console answers. RECORD=1 npm test -- recording.spec writes this file; each difference is a commit of its own that says why.";

export type Question = {
  method?: string;
  path: string;
  /** A token or key for the Authorization header. */
  bearer?: string;
  headers?: Record<string, string>;
  body?: string;
};
type Reply = { status: number; headers: IncomingHttpHeaders; body: string };
/** Sends a request and records it with its answer, unless it is one of many alike. */
export type Ask = (question: Question, isRecorded?: boolean) => Promise<Reply>;
type Part = {
  title: string;
  play(ask: Ask): Promise<void>;
};

/** Sends the requests of all parts, one after the other, and returns them with the answers as text. */
export async function record(origin: string, start: number, parts: readonly Part[]): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port } = new URL(origin);
  const send = async ({
    method = "GET",
    path,
    bearer,
    headers,
    body,
  }: Question): Promise<Reply & { lines: string[] }> => {
    const sent = {
      Host: new URL(ORIGIN).host,
      "X-Forwarded-For": "198.51.100.20",
      ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { "Content-Length": String(Buffer.byteLength(body)) }),
      ...headers,
    };
    const asked = request({ hostname, port, agent, method, path, headers: sent }).end(body);
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const bytes = await buffer(response);
    const isPacked = response.headers["content-encoding"] === "gzip";
    const { rawHeaders: raw } = response;
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: String(isPacked ? gunzipSync(bytes) : bytes),
      lines: raw.flatMap((name, at) => (at % 2 === 0 ? [`${name.toLowerCase()}: ${raw[at + 1]}`] : [])),
    };
  };
  const texts: string[] = [];
  for (const { title, play } of parts) {
    const named = (text: string) => withNames(text, start);
    const entries: { question: string; status: number; kind: string; lines: string[]; body: string }[] = [];
    await play(async (question, isRecorded = true) => {
      const reply = await send(question);
      if (isRecorded) {
        const { status, headers } = reply;
        const type = headers["content-type"] ?? "without a body";
        const lines = reply.lines.map((line) => headerText(withNames(line, start))).sort();
        const body = named(indented(reply.body));
        entries.push({
          question: named(questionText(question)),
          status,
          kind: `${status} ${type.split(";")[0]}`,
          lines,
          body,
        });
      }
      return reply;
    });
    const common = commonLines(entries);
    const kinds = [...new Set(entries.map(({ kind }) => kind))].sort();
    const ofKind = new Map(kinds.map((kind) => [kind, commonLines(entries.filter((each) => each.kind === kind))]));
    const answers = entries.map(({ question, status, kind, lines, body }) => {
      const own = lines.filter((line) => !ofKind.get(kind)?.includes(line));
      return [`── ${question}\n${status}`, ...own, ...(body === "" ? [] : ["", body])].join("\n");
    });
    const heads = [...ofKind].map(([kind, lines]) => [
      `Every ${kind} has besides`,
      ...lines.filter((line) => !common.includes(line)),
    ]);
    const head = [
      [`══ ${title}: ${entries.length} requests. Every answer has`, ...common],
      ...heads.filter(({ length }) => length > 1),
    ];
    texts.push([...head.map((lines) => lines.join("\n   ")), "", answers.join("\n\n")].join("\n"));
  }
  agent.destroy();
  return `${ABOUT}\n\n${texts.join("\n\n\n")}\n`;
}

/** The lines that all of these answers have, each as often as it comes. */
function commonLines(answers: readonly { lines: string[] }[]): string[] {
  return answers[0]?.lines.filter((line) => answers.every(({ lines }) => lines.includes(line))) ?? [];
}

function questionText({ method = "GET", path, bearer, headers = {}, body }: Question): string {
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const key = bearer === undefined ? [] : [`as ${SECRETS.get(bearer) ?? bearer}`];
  return [`${method} ${path}`, ...key, ...named, ...(body ? [`> ${body}`] : [])].join("\n   ");
}

/** The values that depend on the moment or on the length of what has a name here. */
function headerText(line: string): string {
  const [, name = "", value = ""] = /^([^:]+): (.*)$/.exec(line) ?? [];
  if (/^(?:content-length|etag|retry-after|x-ratelimit-reset)$/.test(name) && value !== "0")
    return `${name}: <${name}>`;
  if (name === "ratelimit") return line.replace(/t=(?:[1-9]|[1-5]\d|60)$/, "t=<1 to 60>");
  return line;
}

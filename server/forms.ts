// Receives and checks forms before Next sees them. Next would wait for a form that never ends, and answers a malformed one
// with a 500 and a stack trace in the log.
import { readFileSync } from "node:fs";
import { type IncomingHttpHeaders, IncomingMessage } from "node:http";
import { join } from "node:path";
import { ApiError } from "@/lib/api/api-error";
import { parseBoundedJson } from "@/lib/ingest/bounded-json";
import { readBody } from "@/lib/ingest/read-body";
import { bodyOf } from "./incoming";

/** In bytes. The largest form of the console, refused and sent again without scripts, has less. */
export const MAX_FORM = 16_384;
/** The name of a server action, as Next writes it. */
export const ACTION = /^[0-9a-f]{40,44}$/;

/** The field in which a page without scripts names its action. One with bound arguments has a number and two more fields. */
const NAMED = /^\$ACTION_(?:ID_([0-9a-f]{40,44})|REF_(\d{1,3}))$/;
/** The `$` references that the console's forms use: undefined, a form, and an escaped text that begins with `$`. */
const REFERENCE = /^\$(?:undefined$|K\w{1,4}$|\$)/;

const MANIFEST = join(process.env.CONSOLE_DIST_DIR || ".next", "server/server-reference-manifest.json");
/** The ids of the server actions of the build. */
const actions = new Set(Object.keys(JSON.parse(readFileSync(MANIFEST, "utf8")).node));

/**
 * Receives the form that a request brings: the same request with its body at hand, or the status to refuse it with. 413: too
 * large, 400: nothing that a page of the console sends, 409: a form of another version of the console.
 */
export async function readForm(request: IncomingMessage): Promise<IncomingMessage | number> {
  const { headers } = request;
  try {
    const announced = new Headers({ "content-length": headers["content-length"] ?? String(MAX_FORM) });
    const body = await readBody({ headers: announced, body: bodyOf(request) }, "", MAX_FORM);
    return (await findFormFault(headers, body)) ?? replay(request, body);
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

/** The status to refuse a form with; null for a form of the console. */
async function findFormFault(headers: IncomingHttpHeaders, body: Buffer): Promise<number | null> {
  const { "content-type": type = "", "next-action": called } = headers;
  const fields = await parse(type, body);
  const action = fields && (called ? areArguments(fields.get("0"), 0) && String(called) : findAction(fields));
  if (!action) return 400;
  return actions.has(action) ? null : 409;
}

/** Parses a body as a form. Next's router may send a single text, which becomes field "0". */
async function parse(type: string, body: Buffer): Promise<FormData | null> {
  try {
    if (/^multipart\//i.test(type)) {
      return await new Response(new Uint8Array(body), { headers: { "Content-Type": type } }).formData();
    }
    const fields = new FormData();
    fields.set("0", body.toString());
    return fields;
  } catch {
    return null;
  }
}

/** Finds the action in a form of a page without scripts. Undefined unless the fields name exactly one, well-formed. */
function findAction(fields: FormData): string | undefined {
  const names = [...fields.keys()].filter((name) => NAMED.test(name));
  // The pattern has no comma: none or several, joined, are not found.
  const [, plain, number] = NAMED.exec(names.join()) ?? [];
  if (!number) return plain;
  const action = parseJson(fields.get(`$ACTION_${number}:0`));
  const isWhole =
    action?.bound === "$@1" && ACTION.test(action.id) && areArguments(fields.get(`$ACTION_${number}:1`), 1);
  return isWhole ? action.id : undefined;
}

/**
 * Whether a text is the arguments of an action, in the form that the console's pages send. `atLeast`: the fewest
 * arguments. Signing out has none, a form with bound arguments has one or more.
 */
function areArguments(text: FormDataEntryValue | null, atLeast: number): boolean {
  const values = parseJson(text);
  return Array.isArray(values) && values.length >= atLeast && isPlain(values);
}

/** Whether no text in a value of JSON is a reference that the console does not use. */
function isPlain(value: unknown): boolean {
  if (typeof value === "string") return !value.startsWith("$") || REFERENCE.test(value);
  return value === null || typeof value !== "object" || Object.values(value).every(isPlain);
}

// biome-ignore lint/suspicious/noExplicitAny: what stands in it is checked where it is used
function parseJson(text: FormDataEntryValue | null): any {
  try {
    return parseBoundedJson(Buffer.from(String(text)));
  } catch {
    return undefined;
  }
}

/** The same request with its body at hand. */
function replay(request: IncomingMessage, body: Buffer): IncomingMessage {
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const copy = new IncomingMessage(request.socket);
  Object.assign(copy, { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor });
  copy.push(body);
  copy.push(null);
  copy.complete = true;
  return copy;
}

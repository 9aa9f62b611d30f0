// Reads and checks forms before Next sees them. Next would wait for a form that never ends, and answers a malformed
// form with a 500 and a stack trace in the log.
import { readFileSync } from "node:fs";
import { IncomingMessage } from "node:http";
import { join } from "node:path";
import { ReadableStream } from "node:stream/web";
import { piecesOfBody } from "../direct/incoming.mjs";
import { pageAdmission } from "./admitted-pages.mjs";

/** In bytes. The largest form of the console is a third of it. */
export const MAX_FORM = 16_384;
/** The name of a server action, as Next writes it. */
export const ACTION = /^[0-9a-f]{40,44}$/;

// The fields in which a page without scripts names its action. An action with bound arguments has two further fields.
const PLAIN_ACTION = /^\$ACTION_ID_([0-9a-f]{40,44})$/;
const BOUND_ACTION = /^\$ACTION_REF_(\d{1,3})$/;
/** How deeply arguments may be nested. Those of the console are flat. */
const MAX_DEPTH = 32;
/** The `$` references that the console's forms use: undefined, a form, and an escaped text that begins with `$`. */
const REFERENCE = /^\$(?:undefined$|K\w{1,4}$|\$)/;

/**
 * The names of the actions of a build; null when it does not list them as expected.
 * @param {string} distDir
 * @returns {Set<string> | null}
 */
export function readActions(distDir) {
  try {
    const { node } = JSON.parse(readFileSync(join(distDir, "server/server-reference-manifest.json"), "utf8"));
    return new Set(Object.keys(node));
  } catch {
    return null;
  }
}

/**
 * Receives the form that a request brings, and reads it in the turn of its sender.
 * @param {import("node:http").IncomingMessage} request
 * @param {"form" | "signInForm"} kind
 * @param {Set<string> | null} actions the ones there are
 * @returns {Promise<{ form: IncomingMessage } | { status: number } | { retrySeconds: number }>} the same request with its
 *   body at hand, or the status to refuse it with: 413 too large, 408 too slow, 400 nothing that a page of the console sends,
 *   409 a form of another version of the console; or when to come again
 */
export async function readForm(request, kind, actions) {
  const { headers } = request;
  const form = { kind, headers, body: ReadableStream.from(piecesOfBody(request)), maxBytes: MAX_FORM };
  const outcome = await pageAdmission().readForm(form, async (body) => {
    const status = await findFormFault(headers, body, actions);
    return status === null ? { form: replay(request, body) } : { status };
  });
  return "read" in outcome ? outcome.read : outcome;
}

/**
 * The status to refuse a form with; null for a form of the console.
 * @param {import("node:http").IncomingHttpHeaders} headers
 * @param {Buffer} body
 * @param {Set<string> | null} actions
 */
async function findFormFault({ "content-type": type = "", "next-action": called }, body, actions) {
  const fields = await parse(type, body);
  const action = fields && (called ? areArguments(fields.get("0"), 0) && String(called) : findAction(fields));
  if (!action) return 400;
  return actions && !actions.has(action) ? 409 : null;
}

/**
 * Parses a body as a form. Next's router may send a single text, which becomes field "0".
 * @param {string} type
 * @param {Buffer} body
 * @returns {Promise<FormData | null>}
 */
async function parse(type, body) {
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

/**
 * Finds the action in a form of a page without scripts. Undefined unless the fields name exactly one, well-formed.
 * @param {FormData} fields
 * @returns {string | undefined}
 */
function findAction(fields) {
  const names = [...fields.keys()].filter((name) => PLAIN_ACTION.test(name) || BOUND_ACTION.test(name));
  const [name] = names;
  if (names.length !== 1) return undefined;
  const [, plain] = PLAIN_ACTION.exec(name ?? "") ?? [];
  if (plain) return plain;
  const [, number] = BOUND_ACTION.exec(name ?? "") ?? [];
  const action = parseJson(fields.get(`$ACTION_${number}:0`));
  const isWhole =
    action?.bound === "$@1" && ACTION.test(action.id) && areArguments(fields.get(`$ACTION_${number}:1`), 1);
  return isWhole ? action.id : undefined;
}

/**
 * Whether a text is the arguments of an action, in the form that the console's pages send.
 * @param {FormDataEntryValue | null} text
 * @param {number} atLeast the fewest arguments: signing out has none, a form with bound arguments has one or more
 */
function areArguments(text, atLeast) {
  const values = parseJson(text);
  return Array.isArray(values) && values.length >= atLeast && isPlain(values);
}

/**
 * Whether a value of JSON has no reference that the console does not use, and is not nested too deeply.
 * @param {unknown} value
 */
function isPlain(value) {
  let depth = 0;
  for (const level of levelsOf(value)) {
    if (depth++ > MAX_DEPTH) return false;
    const texts = level.filter((one) => typeof one === "string");
    if (!texts.every((text) => !text.startsWith("$") || REFERENCE.test(text))) return false;
  }
  return true;
}

/**
 * What stands in a value of JSON, level by level: a recursion would overflow the stack.
 * @param {unknown} value
 * @returns {Generator<unknown[], void>}
 */
export function* levelsOf(value) {
  let level = [value];
  while (level.length > 0) {
    yield level;
    level = level.flatMap((one) => (one !== null && typeof one === "object" ? Object.values(one) : []));
  }
}

/** @param {FormDataEntryValue | null} text */
function parseJson(text) {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {Buffer} body
 */
function replay(request, body) {
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const copy = new IncomingMessage(request.socket);
  Object.assign(copy, { method, url, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor });
  copy.headers = headers;
  copy.push(body);
  copy.push(null);
  copy.complete = true;
  return copy;
}

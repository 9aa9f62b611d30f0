// Pages and forms wait for their turn (lib/admission). A page holds a render place while it is made, then memory until
// the client has read it.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { OUTAGE, OUTAGE_RETRY_AFTER } from "../../lib/http/plain-page-text.mjs";
import { forClient, waitingTime } from "../../lib/process/request-context.mjs";
import { findShared } from "../../lib/process/shared-with-server.mjs";
import { collectAnswer } from "../direct/collected.mjs";
import { sendBody } from "../direct/outgoing.mjs";
import { answerFault } from "./faults.mjs";
import { isInner } from "./gate.mjs";
import { refuse } from "./refusals.mjs";

/** Files of the build and of `public`, which are sent as they are. */
const BUILT = "/_next/static/";
const FILES = listFiles("public");

const SIGN_IN = "/sign-in";

/** A form may have done its work before the page that follows it failed. */
const FORM_IN_OUTAGE = {
  title: OUTAGE.title,
  text: "Its database does not answer, or takes nothing new. Look whether the form was taken before you send it again.",
};

/**
 * Answers pages and forms in turn. Files and Next's requests to itself do not wait.
 * @param {string} path
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {() => Promise<void>} ask has Next answer
 * @param {(answer: import("../direct/collected.mjs").Collected) => void} [keep] sees the answer before it is sent
 */
export async function answerInTurn(path, request, response, ask, keep) {
  if (path.startsWith(BUILT) || FILES.has(path) || isInner(request)) return ask();
  const isForm = request.method === "POST";
  const kind = isForm ? formKind(path) : "page";
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once("close", leave);
  const place = await pageAdmission().enter(kind, request.headers, gone.signal);
  if ("retrySeconds" in place) return refuseBusy(kind, place.retrySeconds, request, response);
  if (response.destroyed) return place.release();
  // A form does its work even when its client has left.
  const make = isForm ? ask : () => forClient(gone.signal, ask);
  /** @type {Promise<void>} */
  let sent = Promise.resolve();
  try {
    await askWhole(request, response, make, (send, answer) => {
      if (answer) sent = sendLater(send, answer, place, keep);
      return sent;
    });
  } finally {
    // Not when the client leaves: its page is still being rendered then.
    sent.catch(() => {}).finally(place.release);
  }
}

/**
 * @param {string} path of a form
 * @returns {"form" | "signInForm"}
 */
export function formKind(path) {
  return path === SIGN_IN ? "signInForm" : "form";
}

/**
 * Says when to come again. Does nothing when the client has left.
 * @param {import("../../lib/process/shared-with-server.mjs").PageKind} kind
 * @param {number} retrySeconds
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
export function refuseBusy(kind, retrySeconds, request, response) {
  if (response.destroyed) return;
  refuse(request, response, kind === "signInForm" ? 429 : 503, { "Retry-After": String(retrySeconds) });
}

/**
 * @param {() => Promise<void>} send
 * @param {import("../direct/collected.mjs").Collected} answer
 * @param {import("../../lib/process/shared-with-server.mjs").PagePlace} place
 * @param {((answer: import("../direct/collected.mjs").Collected) => void) | undefined} keep
 */
async function sendLater(send, answer, place, keep) {
  keep?.(answer);
  // Yields to the event loop after rendering, so that shorter requests are answered first.
  await new Promise(setImmediate);
  // Writing is work as well, and counts as rendering until the connection takes no more.
  const sending = send();
  place.keepUnread(answer.body.length);
  await sending;
}

/**
 * Has Next answer and sends the answer once it is whole, so that a client that reads slowly holds up no rendering.
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {() => Promise<void>} ask
 * @param {(send: () => Promise<void>, answer: import("../direct/collected.mjs").Collected | null) => Promise<void>} whenMade
 *   null: the client left
 */
async function askWhole(request, response, ask, whenMade) {
  const { method = "GET", headers } = request;
  const accepted = String(headers["accept-encoding"] ?? "");
  // Next must not compress: the collected answer is compressed when it is sent.
  delete headers["accept-encoding"];
  const time = waitingTime();
  collectAnswer(response, (answer) => {
    const send = async () => {
      // The database stopped answering meanwhile, or takes nothing new.
      if (answer?.status === 500 && time?.left === 0) {
        const page = method === "POST" ? FORM_IN_OUTAGE : OUTAGE;
        return refuse(request, response, 503, { "Retry-After": String(OUTAGE_RETRY_AFTER) }, page);
      }
      if (answer) await sendBody([answer.body], answer.status, answer.headers, { method, accepted }, response);
    };
    whenMade(send, answer).catch((error) => answerFault(request, response, error));
  });
  await ask();
}

/**
 * The app's part of the process provides it before the server listens.
 * @returns {import("../../lib/process/shared-with-server.mjs").PageAdmission}
 */
export function pageAdmission() {
  const provided = findShared("pageAdmission");
  if (!provided) throw new Error("The app has not provided the admission of pages.");
  return provided;
}

/**
 * @param {string} folder
 * @returns {Set<string>} the paths under which its files are asked for
 */
function listFiles(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length)),
  );
}

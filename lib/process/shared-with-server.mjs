// Everything that the server and the app share in one process. Next bundles the app, and the server is not bundled, so no
// module is common to both: each of these values stands on globalThis, under a name that only this file knows. The types
// stand here, so that both sides compile against the same ones.

/**
 * The request that work is for: its signal is aborted when the client has left; `left` is how long it may still wait, in
 * milliseconds, while the waits between `begin` and `end` count; after `giveUp` it is 0.
 * @typedef {{ readonly left: number, begin(): void, end(): void, giveUp(): void }} RequestTime
 * @typedef {{ signal?: AbortSignal, time?: RequestTime }} RequestContext
 * @typedef {import("node:async_hooks").AsyncLocalStorage<RequestContext>} RequestContexts
 */

/**
 * A place in the turn of pages and forms.
 * @typedef {object} PagePlace
 * @property {(bytes: number) => void} keepUnread Call it when the page is rendered. From then on the place holds only
 *   this memory, until the client has read the page.
 * @property {() => void} release
 */

/** @typedef {"page" | "form" | "signInForm"} PageKind */
/**
 * The headers that say who pays for a page or a form.
 * @typedef {{ cookie?: string | undefined, "x-forwarded-for"?: string | string[] | undefined }} PayerHeaders
 */

/**
 * The bytes of a body: what a standard stream has and a reader of it needs.
 * @typedef {{ getReader(): {
 *   read(): Promise<{ done: boolean, value?: Uint8Array | undefined }>,
 *   cancel(): Promise<void>,
 * } }} BodyStream
 */

/**
 * A form that is still to arrive.
 * @typedef {object} FormReading
 * @property {PageKind} kind
 * @property {PayerHeaders & import("node:http").IncomingHttpHeaders} headers
 * @property {BodyStream} body
 * @property {number} maxBytes
 */

/**
 * Admits requests for pages and forms, in turns.
 * @typedef {object} PageAdmission
 * @property {(
 *   kind: PageKind,
 *   headers: PayerHeaders,
 *   signal: AbortSignal,
 * ) => Promise<PagePlace | { retrySeconds: number }>} enter The seconds say when the client should try again.
 * @property {<Read>(
 *   form: FormReading,
 *   read: (bytes: Buffer) => Promise<Read>,
 * ) => Promise<{ read: Read } | { retrySeconds: number } | { status: number }>} readForm Receives a form and reads it in
 *   the turn of its sender. The status is that of a form that is too large, too slow or not whole.
 */

/**
 * A metric for /ops/metrics. A label must have few values, never text from a client. The third part of a sample is the name suffix that histograms need.
 * @typedef {{
 *   name: string,
 *   help: string,
 *   type: "counter" | "gauge" | "histogram",
 *   samples: [labels: Record<string, string>, value: number, suffix?: string][],
 * }} MetricFamily
 * @typedef {() => MetricFamily[] | Promise<MetricFamily[]>} MetricSource
 */

/** @typedef {Record<string, string | number | boolean | null | undefined>} LogFields */

/**
 * An event that may repeat for the same reason.
 * @typedef {object} Repeated
 * @property {"info" | "error"} level
 * @property {string} event
 * @property {string} [reason] Tells the reasons of one event apart.
 * @property {string} [over] The event to log when `endRepeated` reports recovery. Without it, the event is over when it
 *   stops happening.
 */

/**
 * A repeated event, from its first line to its last one. Times are epoch milliseconds.
 * @typedef {{
 *   repeated: Repeated,
 *   fields: LogFields,
 *   since: number,
 *   last: number,
 *   count: number,
 *   counted: number,
 *   toldAt: number,
 *   mayBeOver: boolean,
 * }} Episode
 */

/**
 * Lines of the log that could not be written: since the start, and by stream those that were not reported yet.
 * @typedef {{ all: number, unreported: Map<NodeJS.WriteStream, { count: number, since: string }> }} LostLines
 */

/**
 * @typedef {object} Shared
 * @property {{ hasBegun: boolean, listeners: (() => void)[] }} draining The server begins it; /readyz and long waits read it.
 * @property {RequestContexts} requests The server says whom an answer is made for; work in the app asks whether it has
 *   left, and how long it may still wait.
 * @property {Map<string, MetricSource>} metricSources Both sides add some; /ops/metrics collects them.
 * @property {{ episodes: Map<string, Episode>, timer: NodeJS.Timeout | undefined }} repeatedEvents
 *   Both sides log them, and count them together.
 * @property {LostLines} lostLines Both sides write the log, and count together what it did not take.
 * @property {PageAdmission} pageAdmission Provided by the app.
 * @property {() => boolean} isMemoryWanted Provided by the app: whether a request waits for the memory of unread answers.
 * @property {() => Promise<boolean>} isDatabaseThere Provided by the app: whether the database answers.
 * @property {() => Promise<void>} drainBackground Provided by the app: resolves when no background work is left.
 */

/**
 * The one value of this name in the process, made at the first call.
 * @template {keyof Shared} Name
 * @param {Name} name
 * @param {() => Shared[Name]} make
 * @returns {Shared[Name]}
 */
export function shared(name, make) {
  const known = findShared(name);
  if (known !== undefined) return known;
  const made = make();
  Reflect.set(globalThis, keyOf(name), made);
  return made;
}

/**
 * The value of this name; undefined while no part of the app that provides it is loaded.
 * @template {keyof Shared} Name
 * @param {Name} name
 * @returns {Shared[Name] | undefined}
 */
export function findShared(name) {
  return Reflect.get(globalThis, keyOf(name));
}

/** @param {keyof Shared} name */
function keyOf(name) {
  return Symbol.for(`console-api.shared.${name}`);
}

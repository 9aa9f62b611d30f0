import { followClock } from "./clock.mjs";
import { isHeld, isService } from "./configuration.mjs";
import { HOLD_SECONDS, MAX_ANSWER, MAX_RETRY_AFTER, PING_TIME, REQUEST_TIME, SECOND } from "./limits.mjs";

/** @import { Configuration } from "./configuration.mjs" */
/** @import { Interval, NodeMinute } from "./intervals.mjs" */

const VERSION = "1.2";

/** @typedef {{ service_id: number, version: number | null, error: string | null, serving_version?: number | null, warning?: string | null }} Acknowledgement */

/** What the console, or something in between, answered when it did not take what was sent. */
export class Refusal extends Error {
  /**
   * @param {Response} response
   * @param {unknown} message no text: these are not the console's words
   */
  constructor({ status, headers }, message) {
    const isConsoles = typeof message === "string";
    const led = headers.get("location") ? ` and leads to ${headers.get("location")?.slice(0, 200)}` : "";
    super(
      isConsoles
        ? `The console answered ${status}: ${message.slice(0, 300)}`
        : `A proxy answered ${status}${led}, not the console.`,
    );
    this.status = status;
    this.isConsoles = isConsoles;
    /** Milliseconds; 0 when it said nothing. */
    this.retryAfter = /^\d{1,6}$/.test(headers.get("retry-after") ?? "")
      ? Math.min(Number(headers.get("retry-after")) * SECOND, MAX_RETRY_AFTER)
      : 0;
  }
}

/** What a node asks the console and tells it. */
export class Console {
  /**
   * @param {string} url
   * @param {string} key
   * @param {number} listenPort
   */
  constructor(url, key, listenPort) {
    // Players need an SRV record for another port than Minecraft's own, which the console tells their owners of.
    this.agent = `console-edge/${VERSION}${listenPort === 25_565 ? "" : ` port/${listenPort}`}`;
    this.base = `${url.replace(/\/+$/, "")}/ingest/v1/edge`;
    this.key = key;
  }

  /** Sets the clock by the console's answer, if it comes soon: what is kept on disk counts the console's minutes. */
  async askTime() {
    await this.#fetch("configuration", { method: "HEAD" }, AbortSignal.timeout(PING_TIME)).catch(() => {});
  }

  /**
   * Waits for a configuration other than the one of `etag`. Null: there is none yet.
   * @param {string | null} etag
   * @param {AbortSignal} signal
   */
  async configuration(etag, signal) {
    const headers = etag ? { "If-None-Match": etag, Prefer: `wait=${HOLD_SECONDS}` } : {};
    const response = await this.#fetch("configuration", { headers }, signal);
    if (response.status === 304) return null;
    const body = await readJson(response);
    const data = body?.data;
    if (typeof data?.revision !== "string") throw new Refusal(response, null);
    const isWhole = Array.isArray(data.services) && data.services.every(isService) && (data.held ?? []).every(isHeld);
    if (!isWhole) throw new Error("The console's configuration cannot be read.");
    return { configuration: /** @type {Configuration} */ (data), etag: response.headers.get("etag") };
  }

  /**
   * @param {{ acknowledgements: Acknowledgement[], intervals: Interval[], node_minutes?: NodeMinute[] }} report
   * @param {AbortSignal} signal
   * @throws Refusal
   */
  async report(report, signal) {
    const headers = { "Content-Type": "application/json" };
    const response = await this.#fetch("reports", { method: "POST", headers, body: JSON.stringify(report) }, signal);
    const body = await readJson(response);
    // Something between may answer 200 with a page of its own.
    if (typeof body?.data?.stored !== "number") throw new Refusal(response, null);
  }

  /**
   * @param {string} path
   * @param {RequestInit} init
   * @param {AbortSignal} signal
   */
  async #fetch(path, init, signal) {
    // Not AbortSignal.any with AbortSignal.timeout: until Node 24 both may be collected while somebody waits for them.
    const ending = new AbortController();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      ending.abort();
    };
    // Not ended with the headers: the body is still to come.
    const timer = setTimeout(end, REQUEST_TIME).unref();
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    const response = await fetch(`${this.base}/${path}`, {
      ...init,
      // The key goes nowhere else.
      redirect: "manual",
      signal: ending.signal,
      headers: { ...init.headers, Authorization: `Bearer ${this.key}`, "User-Agent": this.agent },
    });
    // Date may be that of a proxy in between.
    followClock(response.headers.get("x-console-time"));
    if (response.ok || response.status === 304) return response;
    const { error } = (await readJson(response).catch(() => null)) ?? {};
    throw new Refusal(response, error);
  }
}

/** What the answer holds; null where that is no JSON. @param {Response} response */
async function readJson(response) {
  const chunks = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER) throw new Error("The console's answer is too long.");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return null;
  }
}

/** Waits longer after each failure, up to half a minute, or as long as the console asks. */
export class Backoff {
  failures = 0;

  reset() {
    this.failures = 0;
  }

  /** @param {unknown} error */
  next(error) {
    const own = Math.min(2 ** this.failures++ * SECOND, 30 * SECOND) * (0.75 + Math.random() / 2);
    return Math.max(own, error instanceof Refusal ? error.retryAfter : 0);
  }
}

import {
  failuresOf,
  type OpenApiDocument,
  type Operation,
  openValues,
  type Schema,
  successOf,
} from "@/lib/api/openapi";

/** The source of `public/clients/console-api.ts`: types and methods from the document, the rest as it is here. */
export function writeTypeScriptClient(document: OpenApiDocument): string {
  const types = Object.entries(document.components.schemas).map(
    ([name, schema]) => `/** ${schema.description} */\nexport type ${name} = ${typeOf(schema)};\n`,
  );
  const methods = Object.entries(document.paths).map(([path, { get }]) => writeMethod(path, get));
  return `${HEAD}\n${types.join("\n")}\n${writeErrors([...failuresOf(document).keys()])}\n${CLASS_HEAD}\n${methods.join("\n")}\n${CLASS_REST}`;
}

const HEAD = `// Copyright (c) 2026 the authors of the console. SPDX-License-Identifier: MIT
//
// Client of the Console API, v1. Generated from its OpenAPI document: take a newer one from the console that you call,
// at /clients/console-api.ts, instead of changing this one. One file without dependencies, for anything that has fetch.
//
//   const api = new ConsoleApi({ origin: "https://console.example.com", token });
//   for (const server of (await api.listServers()).servers) console.log(server.label, server.score);
`;

const writeErrors = (statuses: string[]) => `/** The statuses of failures; further ones may be added. */
export type ConsoleApiStatus = ${statuses.join(" | ")} | (number & {});

/** A failure that the API answered; \`message\` is its own. */
export class ConsoleApiError extends Error {
  override name = "ConsoleApiError";
  readonly status: ConsoleApiStatus;
  /** Quote it when you report a fault. */
  readonly requestId: string | null;
  /** Seconds after which the request may succeed; null when waiting does not help. */
  readonly retryAfter: number | null;

  constructor(message: string, status: ConsoleApiStatus, requestId: string | null, retryAfter: number | null) {
    super(message);
    this.status = status;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** The console did not answer: it cannot be reached, or took too long. \`cause\` is the error of fetch. */
export class ConsoleUnreachableError extends Error {
  override name = "ConsoleUnreachableError";
}

export type RequestOptions = {
  /** Ends the request, and also the wait for the next attempt. */
  signal?: AbortSignal;
};

export type FollowOptions = RequestOptions & {
  /** The \`since\` of the last batch that was handled before a restart. Without it \`follow\` begins an hour ago. */
  since?: number;
  /** Seconds from one read to the next, at least 1; 60 by default, because an interval lasts that long. */
  every?: number;
};

/** Intervals that were not given before, by ts and then node_id. Remember \`since\` once they are handled. */
export type FollowedIntervals = { since: number; intervals: MetricSample[] };

const MINUTE = 60_000;
/** How far each read of \`follow\` goes back beyond the latest interval, in milliseconds. */
const OVERLAP = 10 * MINUTE;
/** How often \`follow\` reads again all that may have come late: two hours, and the time since it did so last. */
const REREAD_EVERY = 30 * MINUTE;
const REREAD = 2 * 60 * MINUTE + REREAD_EVERY;
/** \`warn\` hears of a token that ends within so many milliseconds. */
const ENDS_SOON = 14 * 24 * 60 * MINUTE;
`;

const CLASS_HEAD = `export type ConsoleApiSettings = {
  origin: string;
  token: string;
  timeout?: number;
  maxWait?: number;
  warn?: (message: string) => void;
};

export class ConsoleApi {
  readonly #origin: string;
  readonly #token: string;
  readonly #timeout: number;
  readonly #maxWait: number;
  readonly #warn: (message: string) => void;
  #hasWarned = false;

  /**
   * \`timeout\`: seconds that one attempt may take (30 by default). \`maxWait\`: seconds to wait in all, at most, before a
   * request that was refused with a Retry-After fails (120 by default, 0 never waits). \`warn\` is told once of a token
   * that ends within 14 days (console.warn by default).
   */
  constructor({ origin, token, timeout = 30, maxWait = 120, warn = console.warn }: ConsoleApiSettings) {
    this.#origin = origin.replace(/\\/+$/, "");
    this.#token = token;
    this.#timeout = timeout;
    this.#maxWait = maxWait;
    this.#warn = warn;
  }
`;

const CLASS_REST = `  /**
   * Gives the intervals of a service as they come in, each once, also those that edge nodes deliver up to two hours late.
   * It goes on while the console cannot answer, and ends with \`signal\` or when a request is refused for good.
   */
  async *follow(id: number, { since, every = 60, signal }: FollowOptions = {}): AsyncGenerator<FollowedIntervals> {
    const given = new Set<string>();
    const pause = Math.max(1, every);
    let [latest, oldest, rereadAt] = [since, 0, -Infinity];
    for (;;) {
      const startedAt = performance.now();
      const isReread = startedAt - rereadAt >= REREAD_EVERY;
      const after = latest === undefined ? undefined : Math.max(0, latest - (isReread ? REREAD : OVERLAP));
      const window = after === undefined ? {} : ({ range: "7d", since: after } as const);
      const answer = await this.getMetrics(id, { ...window, ...(signal && { signal }) }).catch(temporary);
      if ("series" in answer) {
        const isFirst = rereadAt === -Infinity;
        const found = answer.series.filter(({ ts, node_id }) => ts >= oldest && !given.has(\`\${ts} \${node_id}\`));
        for (const { ts, node_id } of found) given.add(\`\${ts} \${node_id}\`);
        // What the first read finds at or before \`since\` was given before the restart.
        const intervals = found.filter(({ ts }) => !isFirst || since === undefined || ts > since);
        if (isFirst && since === undefined) oldest = answer.series[0]?.ts ?? 0;
        if (isReread) rereadAt = startedAt;
        latest = intervals.reduce<number | undefined>((most, { ts }) => Math.max(most ?? 0, ts), latest);
        for (const key of given) if (Number.parseInt(key, 10) <= (latest ?? 0) - REREAD) given.delete(key);
        if (intervals.length > 0 && latest !== undefined) yield { since: latest, intervals };
      }
      const wait = "series" in answer ? pause : Math.max(pause, answer.retryAfter);
      await sleep(Math.max(0, wait - (performance.now() - startedAt) / 1000), signal);
    }
  }

  #warnOfEnd(headers: Headers): void {
    const endsAt = numberIn(headers, "x-token-expires-at");
    if (this.#hasWarned || endsAt === null || endsAt - Date.now() > ENDS_SOON) return;
    this.#hasWarned = true;
    this.#warn(\`The access token ends at \${new Date(endsAt).toISOString()}: replace it before.\`);
  }

  async #get<Data>(path: string, { signal }: RequestOptions): Promise<Data> {
    for (let waited = 0; ; ) {
      const answer = await this.#ask<Data>(path, signal);
      if (!(answer instanceof ConsoleApiError)) return answer.data;
      const wait = answer.retryAfter;
      if (wait === null || waited + wait > this.#maxWait) throw answer;
      await sleep(wait, signal);
      waited += wait;
    }
  }

  /** One attempt. */
  async #ask<Data>(path: string, signal: AbortSignal | undefined): Promise<{ data: Data } | ConsoleApiError> {
    const timeUp = AbortSignal.timeout(this.#timeout * 1000);
    try {
      const response = await fetch(this.#origin + path, {
        headers: { Accept: "application/json", Authorization: \`Bearer \${this.#token}\` },
        // A token belongs to one origin.
        redirect: "error",
        signal: signal ? AbortSignal.any([signal, timeUp]) : timeUp,
      });
      this.#warnOfEnd(response.headers);
      if (!response.ok) return await errorOf(response);
      const answer = (await response.json()) as { data: Data };
      if (answer.data === undefined) throw new Error("Something else answers in its place.");
      return answer;
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      const problem = timeUp.aborted ? \`did not answer within \${this.#timeout} seconds\` : "cannot be reached";
      throw new ConsoleUnreachableError(\`\${this.#origin} \${problem}.\`, { cause });
    }
  }
}

/** Seconds to wait after a failure that may pass. @throws the failure, if it will not. */
function temporary(failure: unknown): { retryAfter: number } {
  if (failure instanceof ConsoleUnreachableError) return { retryAfter: 0 };
  if (!(failure instanceof ConsoleApiError) || (failure.retryAfter === null && failure.status < 500)) throw failure;
  return { retryAfter: failure.retryAfter ?? 0 };
}

async function errorOf(response: Response): Promise<ConsoleApiError> {
  const { status, headers } = response;
  const text = await response.text();
  const after = numberIn(headers, "retry-after");
  const retryAfter = after === null ? null : Math.max(1, after);
  const message = messageOf(text) || \`The console answered \${status}.\`;
  return new ConsoleApiError(message, status as ConsoleApiStatus, headers.get("x-request-id"), retryAfter);
}

function numberIn(headers: Headers, name: string): number | null {
  const text = headers.get(name) ?? "";
  return /^\\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Something between here and the API may answer in its own words. */
function messageOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === "string") return error;
  } catch {}
  return text.slice(0, 200);
}

/** The longest time that a timer can hold, in milliseconds: a longer one would end at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

function sleep(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, Math.min(seconds * 1000, LONGEST_TIMER));
    signal?.addEventListener("abort", abort, { once: true });
  });
}
`;

function writeMethod(path: string, operation: Operation): string {
  const { operationId, summary, parameters } = operation;
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const takes = [
    ...inPath.map(({ name }) => `${name}: number`),
    inQuery.length > 0
      ? `options: RequestOptions & { ${inQuery.map(({ name, schema }) => `${name}?: ${typeOf(schema)}`).join("; ")} } = {}`
      : "options: RequestOptions = {}",
  ];
  const target = path.replaceAll(/\{(\w+)\}/g, "$${$1}");
  const query = inQuery.map(({ name, schema }, index) => {
    if (schema.default !== undefined)
      return `${index === 0 ? "?" : "&"}${name}=\${options.${name} ?? "${schema.default}"}`;
    return `\${options.${name} === undefined ? "" : \`&${name}=\${options.${name}}\`}`;
  });
  const url = target + query.join("");
  return `  /** ${summary}. */
  ${operationId}(${takes.join(", ")}): Promise<${typeOf(successOf(operation).data)}> {
    return this.#get(${url.includes("$") ? `\`${url}\`` : `"${url}"`}, options);
  }
`;
}

function typeOf(schema: Schema, indent = ""): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "unknown";
  const known = openValues(schema);
  // The compiler still suggests the known values, and does not take them for all there can be.
  if (known) return [...known.map((value) => JSON.stringify(value)), "(string & {})"].join(" | ");
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, indent)).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.items) return `${typeOf(schema.items, indent)}[]`;
  if (schema.properties) return objectOf(schema, indent);
  return [schema.type ?? "unknown"]
    .flat()
    .map((type) => (type === "integer" ? "number" : type))
    .join(" | ");
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const fields = Object.entries(properties).map(([name, property]) => {
    const comment = property.description ? `${indent}  /** ${property.description} */\n` : "";
    return `${comment}${indent}  ${name}${required.includes(name) ? "" : "?"}: ${typeOf(property, `${indent}  `)};\n`;
  });
  const others = additionalProperties ? `${indent}  [key: string]: unknown;\n` : "";
  return `{\n${fields.join("")}${others}${indent}}`;
}

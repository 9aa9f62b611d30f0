// Copyright (c) 2026 the authors of the console. SPDX-License-Identifier: MIT
//
// Client of the Console API, v1. Generated from its OpenAPI document: take a newer one from the console that you call,
// at /clients/console-api.ts, instead of changing this one. One file without dependencies, for anything that has fetch.
//
//   const api = new ConsoleApi({ origin: "https://console.example.com", token });
//   for (const server of (await api.listServers()).servers) console.log(server.label, server.score);

// #region types

/** The account that owns the token. */
export type Account = {
  /** Identifier of the account. */
  id: number;
  /** Display name. */
  name: string;
  /** E-mail address. */
  email: string;
  /** Role; support and admin are staff. */
  role: "customer" | "support" | "admin" | (string & {});
};

/** A server, as the list shows it. */
export type ServerListItem = {
  /** Identifier of the server. */
  id: number;
  /** The name that the server goes by in the console. */
  label: string;
  /** Host name. */
  hostname: string;
  /** Whether the server's daemon, which checks in every 30 seconds, did so within the last two minutes. */
  online: boolean;
  /** Health score, computed as it is read, 0 to 1000, higher is healthier. */
  score: number;
  /** The daemon's last check-in, or when the server was created if there was none, in Unix epoch milliseconds. */
  last_seen: number;
  /** Public IP; null until the daemon reports one. */
  public_ip: string | null;
};

/** The servers of the account. */
export type ServerList = {
  /** By id; all of them. */
  servers: ServerListItem[];
};

/** What the daemon reported about the machine, as it is: further keys may appear. */
export type Facts = {
  /** Operating system. */
  os?: string;
  /** Kernel release. */
  kernel?: string;
  /** Number of CPU cores. */
  cores?: number;
  [key: string]: unknown;
};

/** The six components of the score: score = round((20·cpu + 20·memory + 20·disk + 15·network + 15·stability + 10·freshness) / 100). */
export type ScoreComponents = {
  /** CPU, 0 to 1000, higher is healthier. */
  cpu: number;
  /** Memory, 0 to 1000, higher is healthier. */
  memory: number;
  /** The fullest file system, 0 to 1000, higher is healthier. */
  disk: number;
  /** Packet loss and retransmissions, 0 to 1000, higher is healthier. */
  network: number;
  /** Check-ins received, restarts and failures of the last 24 hours, 0 to 1000, higher is healthier. */
  stability: number;
  /** Time since the last check-in, 0 to 1000, higher is healthier. */
  freshness: number;
};

/** The latest telemetry sample. A measurement that the daemon did not make is absent. */
export type LatestSample = {
  /** When it was measured; a daemon measures every 30 seconds, in Unix epoch milliseconds. */
  ts: number;
  /** CPU use of all cores together, in percent. Absent when not measured. */
  cpu_pct?: number;
  /** CPU time that other guests of the host took, in percent. Absent when not measured. */
  cpu_steal_pct?: number;
  /** CPU time spent waiting for disks, in percent. Absent when not measured. */
  cpu_iowait_pct?: number;
  /** Load average of five minutes. Absent when not measured. */
  load5?: number;
  /** Memory in use, in megabytes. Absent when not measured. */
  mem_used_mb?: number;
  /** Memory in all, in megabytes. Absent when not measured. */
  mem_total_mb?: number;
  /** Swap in use, in percent. Absent when not measured. */
  swap_used_pct?: number;
  /** Use of the fullest file system, in percent. Absent when not measured. */
  disk_used_pct?: number;
  /** Packets lost, in percent. Absent when not measured. */
  net_loss_pct?: number;
  /** TCP segments sent again, in percent. Absent when not measured. */
  net_retransmit_pct?: number;
  /** Time since the machine started, in seconds. Absent when not measured. */
  uptime_s?: number;
  /** Processes killed for lack of memory since the check-in before. Absent when not measured. */
  oom_kills?: number;
  /** System services in a failed state. Absent when not measured. */
  failed_units?: number;
};

/** A server in full. */
export type ServerDetail = {
  /** Identifier of the server. */
  id: number;
  /** The name that the server goes by in the console. */
  label: string;
  /** Host name. */
  hostname: string;
  /** Whether the server's daemon, which checks in every 30 seconds, did so within the last two minutes. */
  online: boolean;
  /** Health score, computed as it is read, 0 to 1000, higher is healthier. */
  score: number;
  /** The daemon's last check-in, or when the server was created if there was none, in Unix epoch milliseconds. */
  last_seen: number;
  /** Public IP; null until the daemon reports one. */
  public_ip: string | null;
  /** When the server was added, in Unix epoch milliseconds. */
  created_at: number;
  facts: Facts;
  score_components: ScoreComponents;
  /** Why the score is what it is: what was measured, where full score ends, points lost; worst first. */
  score_notes: string[];
  /** The latest telemetry sample; null when none has arrived. */
  latest_sample: LatestSample | null;
};

/** The scores of a benchmark run by section. */
export type BenchmarkScores = {
  /** CPU, 0 to 100; null when it could not be measured. */
  cpu: number | null;
  /** Disk, 0 to 100; null when it could not be measured. */
  disk: number | null;
  /** Network, 0 to 100; null when it could not be measured. */
  network: number | null;
  /** Stability, 0 to 100; null when it could not be measured. */
  stability: number | null;
  /** All together, 0 to 100; null when it could not be measured. */
  total: number | null;
};

/** A finished benchmark run. */
export type BenchmarkRun = {
  /** Identifier of the run. */
  id: number;
  /** The name that was given to the run. */
  label: string;
  /** Only finished runs are listed. */
  status: "done" | (string & {});
  scores: BenchmarkScores;
  /** Whether the reported hardware passed the console's consistency checks. */
  verified: boolean;
  /** When the run finished, in Unix epoch milliseconds. */
  finished_at: number;
};

/** The finished benchmark runs of a server. */
export type BenchmarkRuns = {
  /** Newest first; every one that the console keeps. */
  benchmarks: BenchmarkRun[];
};

/** A game-protection service. */
export type GameService = {
  /** Identifier of the service. */
  id: number;
  /** The name that the service goes by in the console. */
  name: string;
  /** State of the service. */
  status: "pending_config" | "configuring" | "active" | "failed" | "disabled" | "deleting" | (string & {});
  /** Public host name that players connect to. */
  java_hostname: string;
  /** Host of the origin behind the protection. */
  origin_host: string;
  /** TCP port of the origin. */
  origin_port: number;
  /** Version of the configuration; each change raises it. */
  config_version: number;
  /** Why the last change failed; null when nothing is wrong. */
  error: string | null;
  /** When the service was created, in Unix epoch milliseconds. */
  created_at: number;
  /** When the service last changed, in Unix epoch milliseconds. */
  updated_at: number;
};

/** The game-protection services that the account owns or was granted. */
export type GameServiceList = {
  /** By id; all of them. */
  services: GameService[];
};

/** One interval of 60 seconds as one edge node counted it. */
export type MetricSample = {
  /** When the interval begins, in Unix epoch milliseconds. */
  ts: number;
  /** The edge node that reported the interval. */
  node_id: number;
  /** Packets between edge node and origin, both ways, in this interval alone, not cumulative. */
  packets: number;
  /** Bytes between players and edge node, both ways, in this interval alone, not cumulative. */
  bytes: number;
  /** Sessions that did not reach the origin: above a limit, or it could not be reached; in this interval alone, not cumulative. */
  dropped: number;
  /** Sessions of players that reached the origin in this interval alone, not cumulative. */
  connections: number;
  /** Time that the origin took to answer a status ping of the edge node, in milliseconds; null when the edge did not measure it. */
  latency_ms: number | null;
};

/** The traffic of a game-protection service. */
export type MetricSeries = {
  /** How far back the series reaches: an hour, a day or a week. */
  range: "1h" | "24h" | "7d" | (string & {});
  /** Every stored interval of the range, by ts and then node_id. One that no edge node reported is absent. */
  series: MetricSample[];
};

/** The body of every failure. */
export type Failure = {
  /** What is wrong, for a person to read. */
  error: string;
};

/** The statuses of failures; further ones may be added. */
export type ConsoleApiStatus = 400 | 401 | 404 | 405 | 429 | 431 | 500 | 503 | (number & {});

// #endregion

/** A failure that the API answered; `message` is its own. */
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

/** The console did not answer: it cannot be reached, or took too long. `cause` is the error of fetch. */
export class ConsoleUnreachableError extends Error {
  override name = "ConsoleUnreachableError";
}

export type RequestOptions = {
  /** Ends the request, and also the wait for the next attempt. */
  signal?: AbortSignal;
};

export type FollowOptions = RequestOptions & {
  /** The `since` of the last batch that was handled before a restart. Without it `follow` begins an hour ago. */
  since?: number;
  /** Seconds from one read to the next, at least 1; 60 by default, because an interval lasts that long. */
  every?: number;
};

/** Intervals that were not given before, by ts and then node_id. Remember `since` once they are handled. */
export type FollowedIntervals = { since: number; intervals: MetricSample[] };

const MINUTE = 60_000;
/** How far each read of `follow` goes back beyond the latest interval, in milliseconds. */
const OVERLAP = 10 * MINUTE;
/** How often `follow` reads again all that may have come late: two hours, and the time since it did so last. */
const REREAD_EVERY = 30 * MINUTE;
const REREAD = 2 * 60 * MINUTE + REREAD_EVERY;
/** `warn` hears of a token that ends within so many milliseconds. */
const ENDS_SOON = 14 * 24 * 60 * MINUTE;

export type ConsoleApiSettings = {
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
   * `timeout`: seconds that one attempt may take (30 by default). `maxWait`: seconds to wait in all, at most, before a
   * request that was refused with a Retry-After fails (120 by default, 0 never waits). `warn` is told once of a token
   * that ends within 14 days (console.warn by default).
   */
  constructor({ origin, token, timeout = 30, maxWait = 120, warn = console.warn }: ConsoleApiSettings) {
    this.#origin = origin.replace(/\/+$/, "");
    this.#token = token;
    this.#timeout = timeout;
    this.#maxWait = maxWait;
    this.#warn = warn;
  }

  // #region methods

  /** Your account. */
  getAccount(options: RequestOptions = {}): Promise<Account> {
    return this.#get("/api/v1/me", options);
  }

  /** Every server with its health score. */
  listServers(options: RequestOptions = {}): Promise<ServerList> {
    return this.#get("/api/v1/servers", options);
  }

  /** One server, its latest sample and why it scores what it scores. */
  getServer(id: number, options: RequestOptions = {}): Promise<ServerDetail> {
    return this.#get(`/api/v1/servers/${id}`, options);
  }

  /** Finished benchmark runs, newest first. */
  listBenchmarks(id: number, options: RequestOptions = {}): Promise<BenchmarkRuns> {
    return this.#get(`/api/v1/servers/${id}/benchmarks`, options);
  }

  /** Game-protection services you own or share. */
  listGameServices(options: RequestOptions = {}): Promise<GameServiceList> {
    return this.#get("/api/v1/game-services", options);
  }

  /** One game-protection service. */
  getGameService(id: number, options: RequestOptions = {}): Promise<GameService> {
    return this.#get(`/api/v1/game-services/${id}`, options);
  }

  /** Its traffic, interval by interval, for an hour, a day or a week. */
  getMetrics(id: number, options: RequestOptions & { range?: "1h" | "24h" | "7d"; since?: number } = {}): Promise<MetricSeries> {
    return this.#get(`/api/v1/game-services/${id}/metrics?range=${options.range ?? "1h"}${options.since === undefined ? "" : `&since=${options.since}`}`, options);
  }

  // #endregion

  /**
   * Gives the intervals of a service as they come in, each once, also those that edge nodes deliver up to two hours late.
   * It goes on while the console cannot answer, and ends with `signal` or when a request is refused for good.
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
        const found = answer.series.filter(({ ts, node_id }) => ts >= oldest && !given.has(`${ts} ${node_id}`));
        for (const { ts, node_id } of found) given.add(`${ts} ${node_id}`);
        // What the first read finds at or before `since` was given before the restart.
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
    this.#warn(`The access token ends at ${new Date(endsAt).toISOString()}: replace it before.`);
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
        headers: { Accept: "application/json", Authorization: `Bearer ${this.#token}` },
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
      const problem = timeUp.aborted ? `did not answer within ${this.#timeout} seconds` : "cannot be reached";
      throw new ConsoleUnreachableError(`${this.#origin} ${problem}.`, { cause });
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
  const message = messageOf(text) || `The console answered ${status}.`;
  return new ConsoleApiError(message, status as ConsoleApiStatus, headers.get("x-request-id"), retryAfter);
}

function numberIn(headers: Headers, name: string): number | null {
  const text = headers.get(name) ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
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

import { createClient } from "@redis/client";
import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import { SECOND } from "@/lib/format/time";
import type { RedisSettings } from "@/lib/process/env-variables";
import type { Decision, Policy, RateLimiter } from "./policy";
import { preciseNow, slidingLog } from "./sliding-log";

/** Redis in the same network answers in well under a millisecond. A slower one than this is not usable. */
const TCP_TIMEOUT = SECOND / 2;
/** Upstash is asked over HTTPS, possibly from another region. */
const REST_TIMEOUT = 1 * SECOND;
const TURNS = 10;
const RECONNECT_EVERY = 1 * SECOND;
/** An idle connection is asked this often whether it is alive. */
const PING_EVERY = 2 * SECOND;
/**
 * A connection without traffic is closed after this time. TCP alone would keep a vanished host for a quarter of an
 * hour. Must be shorter than the time between two probes (`store-health.ts`), because every query counts as traffic.
 */
const SILENT_FOR = 3 * SECOND;

/** A Redis that any number of policies share, and how long its answer may take in milliseconds. */
type RedisStore = {
  redis: Redis;
  timeoutMs: number;
  /** Resolves once the store can be asked; not before it is reachable. */
  connected: Promise<void>;
  close: () => Promise<void>;
};

/** Opens the store that the settings name. Never throws: an unreachable store fails later. */
export function openRedisStore(settings: Exclude<RedisSettings, { kind: "none" }>): RedisStore {
  return settings.kind === "tcp" ? openTcpStore(settings.url) : openRestStore(settings.url, settings.token);
}

/** @throws (from `limit`) whatever the client throws, or an Error when no answer came in time. */
export function redisLimiter({ redis, timeoutMs }: RedisStore, policy: Policy): RateLimiter {
  const ratelimit = new Ratelimit({
    redis,
    limiter: slidingLog(redis, policy),
    prefix: `console-api:limit:${policy.name}`,
    // The client's cache would go on refusing a key after the announced wait.
    ephemeralCache: false,
    // The client's own timeout accepts the request. `withTimeout` treats a timeout as a failure.
    timeout: 0,
  });
  return {
    async limit(key, count = 1): Promise<Decision> {
      const asked = ratelimit.limit(key, { rate: count });
      const { success, limit, remaining, reset } = await withTimeout(asked, timeoutMs);
      return { accepted: success, limit, remaining, waitMs: Math.max(0, Math.ceil(reset - preciseNow())) };
    },
  };
}

/**
 * Splits the timeout over several event-loop turns. If this process was busy, an answer that has already arrived is
 * read in one of them. Only a store that stays silent through all turns fails.
 * @throws Error when `promise` has not settled by then.
 */
async function withTimeout<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    const wait = (turns: number) => {
      if (turns === 0) reject(new Error(`No answer within ${ms} ms.`));
      else timer = setTimeout(() => setImmediate(wait, turns - 1), ms / TURNS);
    };
    wait(TURNS);
  });
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

function openRestStore(url: string, token: string): RedisStore {
  const redis = new Redis({
    url,
    token,
    enableTelemetry: false,
    retry: { retries: 1, backoff: () => 50 },
    // A function: each request needs a signal of its own.
    signal: () => AbortSignal.timeout(REST_TIMEOUT),
  });
  return { redis, timeoutMs: REST_TIMEOUT, connected: Promise.resolve(), close: async () => {} };
}

/** The same Upstash client, with its HTTP requester replaced by a plain Redis connection. */
function openTcpStore(url: string): RedisStore {
  const client = createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    pingInterval: PING_EVERY,
    // Off, because it costs a signal and a timer per command. `withTimeout` and the socket timeout bound it already.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: 2 * SECOND,
      socketTimeout: SILENT_FOR,
      reconnectStrategy: () => RECONNECT_EVERY,
    },
  });
  // Every failed decision is reported by the fallback; without a listener the client would end the process.
  client.on("error", () => {});
  // Never settles while Redis is away; a request that comes meanwhile waits no longer than its timeout.
  const connected = client.connect().then(
    () => {},
    () => {},
  );
  const redis = new Redis({
    async request({ body }: { body?: unknown }) {
      await connected;
      try {
        return { result: (await client.sendCommand((body as unknown[]).map(String))) as never };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        // A reply such as NOSCRIPT, which the Upstash client expects as a value; the rest are broken connections.
        if (/^[A-Z]{3,} /.test(message)) return { error: message };
        throw error;
      }
    },
  });
  return { redis, timeoutMs: TCP_TIMEOUT, connected, close: async () => client.destroy() };
}

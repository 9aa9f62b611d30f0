import autocannon from "autocannon";
import { PlainError } from "@/lib/failures";

/** What to ask a server for. */
export type Load = {
  path: string;
  /** Used in turn, so that none reaches its limit. */
  tokens?: readonly string[];
  cookie?: string;
  /** A JSON text to send with POST. */
  body?: string;
  /** Another status ends the benchmark. Absent: every status is only counted. */
  status?: number;
  connections: number;
  /** Requests a second; absent: the next one follows each answer. */
  rate?: number;
  seconds: number;
};

/** `refused`: answers with 429 or 5xx, and none at all. */
export type Measured = { perSecond: number; p97Ms: number; refused: number };

/** Each connection goes through as many tokens. */
const TOKENS_AT_ONCE = 500;
let begun = 0;

/** Asks in a thread of its own. @throws PlainError when the status is another one. */
export async function measure(port: number, load: Load): Promise<Measured> {
  const { path, tokens = [], cookie, body, status, connections, rate, seconds } = load;
  const from = tokens.length > TOKENS_AT_ONCE ? (TOKENS_AT_ONCE * begun++) % (tokens.length - TOKENS_AT_ONCE + 1) : 0;
  const chosen = tokens.slice(from, from + TOKENS_AT_ONCE);
  const requests = (chosen.length > 0 ? chosen : [null]).map((token) => ({
    method: body === undefined ? "GET" : "POST",
    path,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(cookie !== undefined && { cookie }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body }),
  }));
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    ...{ connections, duration: seconds, requests, workers: 1 },
    ...(rate !== undefined && { overallRate: rate }),
  });
  const counts = Object.entries(result.statusCodeStats).map(([code, { count }]) => [Number(code), count] as const);
  const others = counts.filter(([code]) => status !== undefined && code !== status);
  if (others.length > 0) throw new PlainError(`${path} answered ${others.map(([code]) => code).join(", ")}.`);
  const refused = counts.filter(([code]) => code === 429 || code >= 500).reduce((sum, [, count]) => sum + count, 0);
  return { perSecond: result.requests.average, p97Ms: result.latency.p97_5, refused: refused + result.errors };
}

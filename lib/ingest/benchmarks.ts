import { ApiError } from "@/lib/api/api-error";
import { unavailable } from "@/lib/api/errors";
import { InvalidInputError } from "@/lib/failures";
import { MINUTE } from "@/lib/format/time";
import { clientIp } from "@/lib/http/client-ip";
import { networkOf } from "@/lib/http/network";
import { servedOrigin } from "@/lib/http/own-origin";
import { env } from "@/lib/process/env";
import { BusyError, fair } from "@/lib/process/fair";
import type { Policy } from "@/lib/rate-limit";
import { scoreBenchmark } from "@/lib/servers/benchmark-scores";
import {
  type AwaitedBenchmark,
  type BenchmarkScores,
  deliverBenchmark,
  findAwaitedBenchmark,
} from "@/lib/servers/benchmarks";
import { requireBounded } from "./bounded-json";
import { type Answer, TEXT } from "./endpoint";
import { quotaOf } from "./quota";
import { requireJson, utf8 } from "./read-body";
import { type BodyRules, withBody } from "./with-body";
import { parseYabs, type ReportedMachine } from "./yabs";

const MAX_RESULT_BYTES = 64 * 1024;

/** A result that is refused may be sent again, but not for ever. */
const RESULTS: Policy = { name: "benchmark-results", limit: 20, windowMs: MINUTE };

/** The daemon and YABS count memory a little differently. */
const MEMORY_TOLERANCE = 0.05;

const RULES: BodyRules = {
  requireType: requireJson,
  maxBytes: () => MAX_RESULT_BYTES,
};

/** Takes in a result of YABS under a one-time key. Every answer is a text: it appears in the person's terminal. */
export async function receiveBenchmark(request: Request, { key }: { key: string }): Promise<Answer> {
  try {
    return { status: 200, body: await receive(request, key), type: TEXT };
  } catch (error) {
    const refusal = refusalOf(error);
    if (!(refusal instanceof ApiError)) throw error;
    return {
      status: refusal.status,
      body: `\nThe console did not take this result: ${refusal.message}\n`,
      type: TEXT,
      headers: refusal.headers,
    };
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof InvalidInputError) return new ApiError(400, error.message);
  return error instanceof BusyError ? unavailable(error.retrySeconds) : error;
}

async function receive(request: Request, key: string): Promise<string> {
  const ip = clientIp(request.headers, env.trustedProxies);
  const run = await fair("request", networkOf(ip), () => findAwaitedBenchmark(key, new Date()));
  if (!run) throw unknownKey();
  const quota = quotaOf(RESULTS, String(run.id));
  return withBody(request, { asker: run.accountId, quota }, RULES, readResult, async (read) => {
    const differences = differencesOf(run, read.machine, ip);
    const result = { scores: read.scores, verified: differences.length === 0, log: read.log };
    const delivered = await fair("report", run.accountId, async () => {
      await quota.count();
      return deliverBenchmark(key, result, new Date());
    });
    if (!delivered) throw unknownKey();
    return summary(run, read.scores, differences, servedOrigin(request.headers));
  });
}

/** Reads a result. @throws InvalidInputError, ApiError 413, 400 */
function readResult(bytes: Buffer) {
  const json = utf8(bytes);
  requireBounded(bytes);
  const { measured, machine } = parseYabs(json);
  const scores = scoreBenchmark(measured);
  if (scores.total === null) throw new InvalidInputError("It measured nothing.");
  // PostgreSQL keeps no NUL in a text.
  return { scores, machine, log: json.replaceAll("\u0000", "") };
}

function unknownKey(): ApiError {
  return new ApiError(404, "this key is unknown, used, cancelled or older than 24 hours. Ask for a new one.");
}

/** Returns the mismatches between reported and known hardware. Empty means verified. */
function differencesOf(run: AwaitedBenchmark, machine: ReportedMachine, ip: string | null): string[] {
  const { cores, memory_mb, kernel } = run.facts;
  const differences: string[] = [];
  const compare = (what: string, known: unknown, isSame: boolean) => {
    if (known === undefined || known === null) differences.push(`its ${what} is not known yet`);
    else if (!isSame) differences.push(`its ${what} is another`);
  };
  compare("number of cores", cores, cores === machine.cores);
  compare("memory", memory_mb, isClose(memory_mb, machine.memoryMb));
  compare("kernel", kernel, kernel === machine.kernel);
  compare("public IP", run.publicIp, run.publicIp === ip);
  return differences;
}

function isClose(known: unknown, reported: number | null): boolean {
  return typeof known === "number" && reported !== null && Math.abs(reported - known) <= known * MEMORY_TOLERANCE;
}

function summary(run: AwaitedBenchmark, scores: BenchmarkScores, differences: string[], origin: string): string {
  const named = (["cpu", "disk", "network"] as const).map((name) => `${name} ${scores[name] ?? "not measured"}`);
  return [
    "",
    `"${run.label}": ${scores.total} of 100 (${named.join(", ")}).`,
    differences.length === 0
      ? "Verified: this is the server that the console knows."
      : `Not verified, by what the console knows of the server: ${differences.join(", ")}.`,
    `See ${origin}/dashboard/servers/${run.serverId}`,
    "",
  ].join("\n");
}

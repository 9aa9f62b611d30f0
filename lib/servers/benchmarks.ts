import type { BenchmarkRuns } from "@/lib/api/schemas";
import { db, type Prisma } from "@/lib/database/client";
import { lockServer } from "@/lib/database/locks";
import { type InvalidField, invalid, NotFoundError } from "@/lib/failures";
import { DAY } from "@/lib/format/time";
import { parseId } from "@/lib/http/ids";
import { isPublicIp } from "@/lib/http/public-ip";
import { recordMoment } from "@/lib/servers/events/events";
import { checkLabel } from "@/lib/servers/names";
import { hashToken, isWellFormedToken, mintToken } from "@/lib/tokens/format";

/** The columns of a run that the API returns. The log and the key are never read here. */
const select = {
  id: true,
  label: true,
  cpu: true,
  disk: true,
  network: true,
  stability: true,
  total: true,
  verified: true,
  finishedAt: true,
} satisfies Prisma.BenchmarkRunSelect;

/**
 * The finished runs of a server, newest first (contract 4, rule 3).
 * @throws NotFoundError when there is no such server of this account.
 */
export async function listBenchmarks(accountId: number, serverIdText: string): Promise<BenchmarkRuns> {
  const server = await db.server.findFirst({
    where: { id: parseId(serverIdText), accountId },
    select: {
      benchmarkRuns: { where: { status: "done" }, select, orderBy: [{ finishedAt: "desc" }, { id: "desc" }] },
    },
  });
  if (!server) throw new NotFoundError();
  return {
    benchmarks: server.benchmarkRuns.map(({ id, label, verified, finishedAt, ...scores }) => ({
      ...{ id, label, status: "done", scores, verified },
      // The check `benchmark_runs_done_is_finished` of the table leaves none that is done without it.
      finished_at: finishedAt?.getTime() ?? 0,
    })),
  };
}

/** 0 to 100; null for a section that could not be measured. */
export type BenchmarkScores = {
  cpu: number | null;
  disk: number | null;
  network: number | null;
  stability: number | null;
  total: number | null;
};

/** How long a pending run waits for its result, in milliseconds; after that its key is refused. */
const BENCHMARK_KEY_LIVES = DAY;

/** The most runs of one server per day, finished ones included, because each may store 64 KB of log. */
export const MAX_RUNS_A_DAY = 20;

/** `rawKey` delivers the result of this run, once; it exists nowhere else and cannot be read again. */
type RequestBenchmarkResult =
  | { kind: "requested"; id: number; rawKey: string; expiresAt: Date }
  | { kind: "not-found" }
  | InvalidField<"label" | "form">;

/**
 * Creates a pending run with a new one-time key. A server has at most one pending run. Another request renews its label,
 * time and key, so that a form sent twice leaves one run and the key shown last works. `MAX_RUNS_A_DAY` limits new runs.
 */
export async function requestBenchmark(
  accountId: number,
  serverId: number,
  label: string,
  now: Date = new Date(),
): Promise<RequestBenchmarkResult> {
  const checked = checkLabel(label);
  if (checked.kind === "invalid") return checked;
  const rawKey = mintToken("benchmarkKey");
  const data = { label: checked.label, agentTokenHash: hashToken(rawKey), createdAt: now };
  return db.$transaction(async (tx) => {
    // Requests for one server wait for each other here.
    if (!(await lockServer(tx, accountId, serverId))) return { kind: "not-found" };
    const pending = await tx.benchmarkRun.findFirst({
      where: { serverId, status: "pending" },
      select: { id: true },
      orderBy: { id: "desc" },
    });
    const since = new Date(now.getTime() - DAY);
    const runsToday = pending
      ? 0
      : await tx.benchmarkRun.count({ where: { serverId, createdAt: { gt: since, lte: now } } });
    if (runsToday >= MAX_RUNS_A_DAY) {
      return invalid("form", `A server has at most ${MAX_RUNS_A_DAY} runs a day. Try again tomorrow.`);
    }
    const { id } = pending
      ? await tx.benchmarkRun.update({ where: { id: pending.id }, data, select: { id: true } })
      : await tx.benchmarkRun.create({ data: { serverId, ...data }, select: { id: true } });
    return { kind: "requested", id, rawKey, expiresAt: new Date(now.getTime() + BENCHMARK_KEY_LIVES) };
  });
}

/** Removes a pending run; its key is refused from then on. False when the account has no such pending run. */
export async function cancelBenchmark(accountId: number, id: number): Promise<boolean> {
  const { count } = await db.benchmarkRun.deleteMany({ where: { id, status: "pending", server: { accountId } } });
  return count === 1;
}

/** A pending run whose key works, with what the console knows of its server. */
export type AwaitedBenchmark = NonNullable<Awaited<ReturnType<typeof findAwaitedBenchmark>>>;

/** Finds the run of a raw one-time key. Null: the key is malformed, unknown, used, cancelled or too old. */
export async function findAwaitedBenchmark(rawKey: string, now: Date) {
  if (!isWellFormedToken(rawKey, "benchmarkKey")) return null;
  const run = await db.benchmarkRun.findFirst({
    where: {
      agentTokenHash: hashToken(rawKey),
      status: "pending",
      createdAt: { gt: new Date(now.getTime() - BENCHMARK_KEY_LIVES) },
      server: { account: { disabledAt: null } },
    },
    select: {
      id: true,
      label: true,
      serverId: true,
      server: { select: { accountId: true, facts: true, publicIp: true, keys: LAST_USED_KEY } },
    },
  });
  if (!run) return null;
  const { id, label, serverId, server } = run;
  // The ip that its daemon checks in from; if that ip is not public, the one that the daemon reported.
  const publicIp = provenIp(server.keys[0]?.lastUsedIp ?? null) ?? server.publicIp;
  return { id, label, serverId, accountId: server.accountId, facts: server.facts as Record<string, unknown>, publicIp };
}

/** The ip of the last check-in is proof, unless it is private. The ip that a daemon reports is not. */
function provenIp(senderIp: string | null): string | null {
  return senderIp !== null && isPublicIp(senderIp) ? senderIp : null;
}

/**
 * What the console has to know of a server and does not, so that no result of it can be verified. `senderIp` is the ip that
 * its agent checks in from, which is not public; null when it never did.
 */
export type VerificationGaps = { facts: string[]; isIpMissing: boolean; senderIp: string | null };

/** What a verified result is compared with, by the names of the facts. */
const COMPARED_FACTS: Readonly<Record<string, string>> = {
  cores: "number of cores",
  memory_mb: "memory",
  kernel: "kernel",
};

/** What has to be known before a result of the server can be verified; null when nothing is missing. */
export async function findVerificationGaps(accountId: number, serverId: number): Promise<VerificationGaps | null> {
  const server = await db.server.findFirst({
    where: { id: serverId, accountId },
    select: { facts: true, publicIp: true, keys: LAST_USED_KEY },
  });
  if (!server) return null;
  const known = server.facts as Record<string, unknown>;
  const facts = Object.entries(COMPARED_FACTS).flatMap(([name, words]) => (known[name] == null ? words : []));
  const senderIp = server.keys[0]?.lastUsedIp ?? null;
  const isIpMissing = (provenIp(senderIp) ?? server.publicIp) === null;
  return facts.length === 0 && !isIpMissing ? null : { facts, isIpMissing, senderIp };
}

/** The key that the server's daemon checked in with last. */
const LAST_USED_KEY = {
  where: { lastUsedAt: { not: null } },
  orderBy: { lastUsedAt: "desc" },
  take: 1,
  select: { lastUsedIp: true },
} satisfies Prisma.Server$keysArgs;

/** `verified`: the console's checks of the reported hardware passed. */
type BenchmarkResult = { scores: BenchmarkScores; verified: boolean; log: string };

/** Finishes the run of the key with its event, and uses the key up. False when another request did so first. */
export function deliverBenchmark(rawKey: string, { scores, ...rest }: BenchmarkResult, now: Date): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const [run] = await tx.benchmarkRun.updateManyAndReturn({
      where: { agentTokenHash: hashToken(rawKey), status: "pending" },
      data: { ...scores, ...rest, status: "done", finishedAt: now, agentTokenHash: null },
      select: { serverId: true, label: true, total: true },
    });
    if (!run) return false;
    const { serverId, label, total } = run;
    await recordMoment(tx, serverId, "benchmark", now, { label, ...(total !== null && { total }) });
    return true;
  });
}

/** A run without a result yet. `isExpired`: pending, and its key is refused by now. */
export type OpenBenchmark = Awaited<ReturnType<typeof listOpenBenchmarks>>[number];

/** The runs of a server that are not finished, newest first; none for a foreign server. */
export async function listOpenBenchmarks(accountId: number, serverId: number, now: Date = new Date()) {
  const runs = await db.benchmarkRun.findMany({
    where: { serverId, status: { in: ["pending", "running"] }, server: { accountId } },
    select: { id: true, label: true, status: true, createdAt: true },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  return runs.map((run) => {
    const expiresAt = new Date(run.createdAt.getTime() + BENCHMARK_KEY_LIVES);
    return { ...run, expiresAt, isExpired: run.status === "pending" && expiresAt <= now };
  });
}

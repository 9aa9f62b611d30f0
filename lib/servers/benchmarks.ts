import { createHash, randomBytes } from "node:crypto";
import type { BenchmarkRun, BenchmarkRuns } from "@/lib/api/schemas";
import { db } from "@/lib/database/client";
import { NotFoundError } from "@/lib/failures";
import { parseId } from "@/lib/http/ids";

type RunColumns = {
  id: number;
  label: string;
  cpu: number | null;
  disk: number | null;
  network: number | null;
  stability: number | null;
  total: number | null;
  verified: boolean;
  finished_at: Date;
};

/** The server alone, with every column of a run null, when it has no finished run. */
type Row = RunColumns | { [Column in keyof RunColumns]: null };

/**
 * The finished runs of a server, newest first (spec 4, rule 3). The run log and the agent token are not even read.
 * @throws NotFoundError when there is no such server of this account.
 */
export async function listBenchmarks(accountId: number, serverIdText: string): Promise<BenchmarkRuns> {
  const serverId = parseId(serverIdText);
  const rows = await db.$queryRaw<Row[]>`
    select r.id, r.label, r.cpu, r.disk, r.network, r.stability, r.total, r.verified, r.finished_at
    from servers s left join benchmark_runs r on r.server_id = s.id and r.status = 'done'
    where s.id = ${serverId} and s.account_id = ${accountId}
    order by r.finished_at desc, r.id desc`;
  if (rows.length === 0) throw new NotFoundError();
  return { benchmarks: rows.filter((row) => row.id !== null).map(serializeRun) };
}

function serializeRun({
  id,
  label,
  verified,
  finished_at,
  cpu,
  disk,
  network,
  stability,
  total,
}: RunColumns): BenchmarkRun {
  return {
    id,
    label,
    status: "done",
    scores: { cpu, disk, network, stability, total },
    verified,
    finished_at: finished_at.getTime(),
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

/** A run that waits for the server's agent, which proves itself with the token. Only the token's SHA-256 is stored. */
export async function requestBenchmark(
  serverId: number,
  label: string,
  now: Date = new Date(),
): Promise<{ id: number; agentToken: string }> {
  const agentToken = randomBytes(32).toString("base64url");
  const agentTokenHash = createHash("sha256").update(agentToken).digest("hex");
  const { id } = await db.benchmarkRun.create({
    data: { serverId, label, agentTokenHash, createdAt: now },
    select: { id: true },
  });
  return { id, agentToken };
}

/** @throws NotFoundError when there is no such pending run. */
export async function startBenchmark(id: number): Promise<void> {
  const { count } = await db.benchmarkRun.updateMany({
    where: { id, status: "pending" },
    data: { status: "running" },
  });
  if (count === 0) throw new NotFoundError();
}

/** `verified`: the console's checks of the reported hardware passed. @throws NotFoundError when no such run is running. */
export async function finishBenchmark(
  id: number,
  result: { scores: BenchmarkScores; verified: boolean; log: string },
  now: Date = new Date(),
): Promise<void> {
  const { scores, verified, log } = result;
  const { count } = await db.benchmarkRun.updateMany({
    where: { id, status: "running" },
    data: { ...scores, verified, log, status: "done", finishedAt: now },
  });
  if (count === 0) throw new NotFoundError();
}

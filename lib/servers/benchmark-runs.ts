import { createHash, randomBytes } from "node:crypto";
import { db } from "@/lib/database/client";
import { NotFoundError } from "@/lib/failures";

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

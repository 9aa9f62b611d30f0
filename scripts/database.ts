import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { probeDatabase, queryOnce } from "@/lib/database/connection";
import { PlainError } from "@/lib/failures";
import type { Env } from "@/lib/process/env-variables";
import { type EmbeddedDatabase, findRunningDatabase, startEmbeddedDatabase } from "@/server/embedded/database";

export type OpenDatabase = EmbeddedDatabase & { isEmbedded: boolean };

const MIGRATIONS = "prisma/migrations";

/** A database that somebody else runs: it does not end here. */
const ELSEWHERE = { failed: new Promise<never>(() => {}), stop: async () => {} };

/** The database that the settings name, reachable; or the embedded one, started. @throws PlainError */
export async function openDatabase(env: Env): Promise<OpenDatabase> {
  if (env.databaseUrl) {
    await requireReachable(env.databaseUrl);
    return { url: env.databaseUrl, isEmbedded: false, ...ELSEWHERE };
  }
  return { ...(await startEmbeddedDatabase(env.dataDir)), isEmbedded: true };
}

/** As `openDatabase`, but an embedded database that is served already (by a running demo, say) is used along. */
export async function joinDatabase(env: Env): Promise<OpenDatabase> {
  const running = env.databaseUrl ? null : await findRunningDatabase(env.dataDir);
  return running ? { url: running, isEmbedded: true, ...ELSEWHERE } : openDatabase(env);
}

/** Applies the migrations that the database lacks, with the official command. @throws PlainError with its words. */
export async function migrate(url: string): Promise<void> {
  if (await isUpToDate(url)) return;
  const { code, output } = await runPrisma(["migrate", "deploy"], url);
  if (code !== 0) throw new PlainError(`The migrations could not be applied.\n${output.trim()}`);
}

/** @throws PlainError when the database lacks a migration: the app would fail at its first query. */
export async function requireMigrated(url: string): Promise<void> {
  if (await isUpToDate(url)) return;
  const { code, output } = await runPrisma(["migrate", "status"], url);
  if (code !== 0) throw new PlainError(`The database is not up to date; run "npm run migrate".\n${output.trim()}`);
}

/**
 * Whether the migrations of this version, unchanged, and no others stand in the database as done. Prisma's commands
 * would only say so, after a second and a half; whatever else stands there is theirs to judge.
 */
async function isUpToDate(url: string): Promise<boolean> {
  const names = readdirSync(MIGRATIONS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const wanted = names.sort().map((name) => {
    const checksum = createHash("sha256")
      .update(readFileSync(`${MIGRATIONS}/${name}/migration.sql`))
      .digest("hex");
    return { name, checksum, isDone: true };
  });
  try {
    const applied = await queryOnce(
      url,
      `select migration_name as name, checksum, finished_at is not null as "isDone" from _prisma_migrations
       where rolled_back_at is null order by migration_name collate "C"`,
    );
    return JSON.stringify(applied) === JSON.stringify(wanted);
  } catch {
    // A new database has no such table.
    return false;
  }
}

async function requireReachable(url: string): Promise<void> {
  try {
    await probeDatabase(url);
  } catch (error) {
    const { hostname, port, pathname } = new URL(url);
    const reason = error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : String(error);
    throw new PlainError(
      `The database ${pathname.slice(1)} at ${hostname}:${port || "5432"} (DATABASE_URL) cannot be reached: ${reason}.`,
    );
  }
}

function runPrisma(args: string[], url: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["node_modules/prisma/build/index.js", ...args], {
      env: { ...process.env, DATABASE_URL: url, CHECKPOINT_DISABLE: "1", PRISMA_HIDE_UPDATE_MESSAGE: "1" },
    });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("close", (code) => resolve({ code, output }));
  });
}

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { queryOnce } from "@/lib/database/connection";
import { openEngine } from "@/prisma/engine.mjs";

const FOLDER = "prisma/migrations";
const LOCK_FILE = "migration_lock.toml";

type Migration = { name: string; sql: string };

/** How the migrations of this version and those that stand in a database differ. */
export type Difference = {
  /** Of this version, not applied, or applied with another text. */
  missing: string[];
  /** Begun and neither finished nor rolled back. */
  failed: string[];
  /** Applied by a newer version. */
  unknown: string[];
};

/** Prisma's commands would say the same, after a second and a half. */
export async function compareMigrations(url: string): Promise<Difference> {
  const applied = await listApplied(url);
  const wanted = listMigrations().map(({ name, sql }) => ({ name, checksum: checksumOf(sql) }));
  const isDone = ({ name, checksum }: { name: string; checksum: string }) =>
    applied.some((row) => row.name === name && row.checksum === checksum && row.isDone);
  return {
    missing: wanted.filter((migration) => !isDone(migration)).map(({ name }) => name),
    failed: applied.filter((row) => !row.isDone).map(({ name }) => name),
    unknown: applied.filter((row) => !wanted.some(({ name }) => name === row.name)).map(({ name }) => name),
  };
}

/**
 * Applies the migrations that the database lacks, in this process, as `prisma migrate deploy` does: with the same engine,
 * the same lock and the same table. @throws Error in the engine's words
 */
export async function applyMigrations(url: string): Promise<void> {
  const { engine, close } = await openEngine(url);
  const lockFile = `${FOLDER}/${LOCK_FILE}`;
  try {
    await engine.applyMigrations({
      migrationsList: {
        baseDir: resolve(FOLDER),
        lockfile: { path: LOCK_FILE, content: existsSync(lockFile) ? readFileSync(lockFile, "utf8") : null },
        shadowDbInitScript: "",
        migrationDirectories: listMigrations().map(({ name, sql }) => ({
          path: name,
          migrationFile: { path: "migration.sql", content: { tag: "ok", value: sql } },
        })),
      },
      filters: { externalTables: [], externalEnums: [] },
    });
  } finally {
    await close();
  }
}

function listMigrations(): Migration[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, sql: readFileSync(`${FOLDER}/${name}/migration.sql`, "utf8") }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function listApplied(url: string): Promise<{ name: string; checksum: string; isDone: boolean }[]> {
  try {
    return await queryOnce(
      url,
      `select migration_name as name, checksum, finished_at is not null as "isDone" from _prisma_migrations
       where rolled_back_at is null order by migration_name collate "C"`,
    );
  } catch (error) {
    // A new database has no such table.
    if ((error as { code?: string }).code === "42P01") return [];
    throw error;
  }
}

function checksumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

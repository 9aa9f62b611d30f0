import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { queryOnce } from "@/lib/database/connection";

const FOLDER = "prisma/migrations";

export type Migration = { name: string; sql: string; checksum: string };

/** How the migrations of this version and those that stand in a database differ. */
export type Difference = {
  /** Of this version, not applied. */
  missing: string[];
  /** Of this version, applied with another text. */
  changed: string[];
  /** Begun and neither finished nor rolled back. */
  failed: string[];
  /** Applied by a newer version. */
  unknown: string[];
};

/** Reads both in a few milliseconds. */
export async function compareMigrations(url: string): Promise<Difference> {
  const applied = await listApplied(url);
  const wanted = listMigrations();
  const done = applied.filter(({ isDone }) => isDone);
  const isChanged = (migration: Migration) =>
    done.some(({ name, checksum }) => name === migration.name && checksum !== migration.checksum);
  const names = (migrations: readonly { name: string }[]) => migrations.map(({ name }) => name);
  return {
    missing: names(wanted.filter(({ name }) => !names(done).includes(name))),
    changed: names(wanted.filter(isChanged)),
    failed: names(applied.filter(({ isDone }) => !isDone)),
    unknown: names(applied.filter(({ name }) => !names(wanted).includes(name))),
  };
}

/** The migrations of this version, in their order. */
export function listMigrations(): Migration[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const sql = readFileSync(`${FOLDER}/${name}/migration.sql`, "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    })
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

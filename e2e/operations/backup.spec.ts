import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "@/e2e/support/command";
import { startConsole } from "@/e2e/support/console-server";
import { newAccount, newBenchmarkRun, newReportingServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { needsPostgresRun } from "@/e2e/support/needs";
import { findPostgres } from "@/e2e/support/programs.mjs";
import { createEmptyDatabase } from "@/e2e/support/test-database";

test("a backup made as docs/operations.md says, restored into an empty database, is the same console: token, server key and answers", {
  tag: "@one-engine",
}, async () => {
  const { DATABASE_URL = "" } = process.env;
  needsPostgresRun();
  const bin = findPostgres() ?? "";
  const { id, token } = await newAccount();
  const { id: serverId, key } = await newReportingServer(id);
  await newBenchmarkRun(serverId);
  const dir = mkdtempSync(join(tmpdir(), "console-backup-"));
  const restored = await createEmptyDatabase();
  try {
    const dump = join(dir, "console.dump");
    execFileSync(join(bin, "pg_dump"), ["--format=custom", `--file=${dump}`, DATABASE_URL]);
    execFileSync(join(bin, "pg_restore"), ["--no-owner", "--exit-on-error", `--dbname=${restored.url}`, dump]);
    expect((await command(["migrate"], { DATABASE_URL: restored.url })).stdout).toBe("The database is up to date.\n");
    const [before, after] = await Promise.all([startConsole(DATABASE_URL), startConsole(restored.url)]);
    try {
      const headers = { Authorization: `Bearer ${token}` };
      for (const path of ["/me", `/servers/${serverId}/benchmarks`, "/game-services"]) {
        const bodies = await Promise.all(
          [before, after].map(async ({ origin }) => (await fetch(`${origin}/api/v1${path}`, { headers })).text()),
        );
        expect(bodies[1], path).toBe(bodies[0]);
        expect(bodies[1]).toContain('{"data":');
      }
      const report = await fetch(`${after.origin}/ingest/v1/check-ins`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: "{}",
      });
      expect(report.status).toBe(200);
    } finally {
      await Promise.all([before.stop(), after.stop()]);
    }
  } finally {
    await restored.stop();
    rmSync(dir, { recursive: true });
  }
});

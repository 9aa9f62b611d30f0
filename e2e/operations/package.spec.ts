import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { childrenOf } from "@/e2e/support/child-processes";
import { expect, test } from "@/e2e/support/fixtures";
import { makePackage, runPackaged, startPackagedConsole } from "@/e2e/support/packaged-console";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";

// On PostgreSQL the shared console of all tests runs from the package: see e2e/support/global-setup.ts.

test("npm run package: migrate, account, server, sweep and server.mjs run from a read-only folder without a home, in one process whose lines are JSON", {
  tag: "@one-engine",
}, async () => {
  const made = await makePackage();
  const database = await createTestDatabase();
  try {
    await runSql(database.url, "drop schema public cascade; create schema public");
    const run = (...words: [string, ...string[]]) => runPackaged(made, words, { DATABASE_URL: database.url });
    expect(existsSync(join(made.folder, "node_modules/prisma"))).toBe(false);
    // The commit stands there where the sources are a checkout of git.
    const { version, commit = "unknown" } = JSON.parse(readFileSync(join(made.folder, "package.json"), "utf8"));
    expect(commit).toMatch(/^(?:unknown|[0-9a-f]{40})$/);
    for (const command of ["server.mjs", "migrate", "account", "server", "sweep"]) {
      const said = { code: 0, output: `console-api ${version}, commit ${commit}\n` };
      expect(await run(command, "--version"), command).toMatchObject(said);
    }
    const refused = await run("server.mjs");
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.output)).toMatchObject({ event: "starting", version, commit });
    expect(JSON.parse(refused.errors).detail).toContain("The database is not up to date");
    const wrong = await runPackaged(made, ["server.mjs"], { DATABASE_URL: database.url, PORT: "70000" });
    expect([wrong.code, JSON.parse(wrong.output).event]).toEqual([1, "starting"]);
    expect(JSON.parse(wrong.errors).detail).toBe('PORT must be a whole number from 0 to 65535, not "70000".');
    expect(await run("migrate")).toMatchObject({ code: 0, output: "The database is up to date.\n" });
    const created = await run("account", "create", "ann@example.com", "--name", "Ann");
    expect(created.output).toContain("Created ann@example.com (id 1, customer).");
    expect((await run("server", "list", "ann@example.com")).output).toContain("There are no servers yet.");
    expect(await run("sweep")).toMatchObject({ code: 0 });
    const unnamed = await runPackaged(made, ["account", "list"], { DATABASE_URL: "" });
    expect(unnamed).toMatchObject({ code: 1, errors: expect.stringContaining("DATABASE_URL is not set") });

    const app = await startPackagedConsole(made, database.url, {});
    expect(childrenOf(app.child.pid)).toEqual([]);
    expect((await fetch(`${app.origin}/readyz`)).status).toBe(200);
    expect((await fetch(`${app.origin}/sign-in`)).status).toBe(200);
    for (const path of [
      "/",
      "/sign-in",
      "/docs/api",
      "/openapi.json",
      "/healthz",
      "/readyz",
      "/api/v1/me",
      "/no-such-page",
    ]) {
      const answer = await fetch(app.origin + path);
      const told = JSON.stringify([...answer.headers]) + (await answer.text());
      expect(commit !== "unknown" && told.includes(commit), `${path} names the commit`).toBe(false);
      expect([answer.headers.get("server"), answer.headers.get("x-powered-by")]).toEqual([null, null]);
    }
    await app.stop();
    expect(JSON.parse(app.output().split("\n")[0] ?? "")).toMatchObject({ event: "starting", version, commit });
    for (const line of app.output().split("\n").filter(Boolean)) expect(() => JSON.parse(line), line).not.toThrow();
  } finally {
    await database.stop();
    made.remove();
  }
});

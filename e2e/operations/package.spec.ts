import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { childrenOf } from "@/e2e/support/child-processes";
import { expect, test } from "@/e2e/support/fixtures";
import { makePackage, runPackaged, startPackagedConsole } from "@/e2e/support/packaged-console";
import { runProgram } from "@/e2e/support/run-program";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";
import { writeArchive } from "@/scripts/package/archive";

// On PostgreSQL the shared console of all tests runs from the package: see e2e/support/global-setup.ts.

/** What only a checkout is for. `start` is `server.mjs` in the package. */
const OF_CHECKOUTS = "demo dev build start package test load check format documents nodes bench screenshots".split(" ");

test("the package has every command of package.json that operators need, under its own name, and their help names what it has", {
  tag: "@one-engine",
}, async () => {
  const made = await makePackage();
  try {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
    const needed = Object.keys(scripts).filter((name) => !OF_CHECKOUTS.includes(name));
    const entries = readdirSync(made.folder, { withFileTypes: true });
    const isProgram = (name: string) => (statSync(join(made.folder, name)).mode & 0o111) !== 0;
    const programs = entries.filter((entry) => entry.isFile() && isProgram(entry.name)).map(({ name }) => name);
    expect(programs.toSorted()).toEqual(needed.toSorted());
    for (const command of ["account", "server", "edge"]) {
      const { code, output } = await runPackaged(made, [command, "help"], {});
      expect([code, output.includes("npm")], output).toEqual([0, false]);
      const lines = output.split("\n").filter((line) => line.startsWith("  "));
      expect(lines.length).toBeGreaterThan(3);
      for (const line of lines) expect(line).toMatch(new RegExp(`^  \\./${command} `));
      const wrong = await runPackaged(made, [command, "destroy"], {});
      expect([wrong.code, wrong.errors.includes("npm")], wrong.errors).toEqual([1, false]);
    }
  } finally {
    made.remove();
  }
});

test("two packages of one build make the same archive, which its SHA-256 knows and which names the licence of what is in it", {
  tag: "@one-engine",
}, async () => {
  const dir = mkdtempSync(join(tmpdir(), "console-archives-"));
  try {
    const written: string[] = [];
    for (const name of ["one", "two"]) {
      const made = await makePackage();
      mkdirSync(join(dir, name));
      const { file, sha256 } = await writeArchive(made.folder, join(dir, name));
      made.remove();
      written.push(sha256);
      const checked = await runProgram("sh", ["-c", `cd "$0" && sha256sum --check *.sha256`, join(dir, name)]);
      expect(checked.output).toBe(`${basename(file)}: OK\n`);
      if (name === "one") continue;
      execFileSync("tar", ["-xzf", file, "-C", dir]);
    }
    expect(written[1]).toBe(written[0]);
    const [folder = ""] = readdirSync(dir).filter((name) => name.startsWith("console-api-"));
    for (const path of ["server.mjs", "migrate", ".next/BUILD_ID", "deploy/console@.service", "prisma/migrations"]) {
      expect(existsSync(join(dir, folder, path)), path).toBe(true);
    }
    expect(statSync(join(dir, folder, "migrate")).mode & 0o777).toBe(0o755);
    const licences = readFileSync(join(dir, folder, "LICENCES.txt"), "utf8");
    for (const name of ["next", "react", "pg", "zod", "d3-scale", "@prisma/client", "@redis/client"]) {
      const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
      expect(licences, name).toContain(`\n${name} ${version}: `);
    }
    const folders = readdirSync(join(dir, folder, "node_modules")).filter((name) => !/^[.@]/.test(name));
    for (const name of folders) expect(licences, name).toContain(`\n${name} `);
    expect(licences).toContain("Permission is hereby granted, free of charge");
    expect(licences).not.toMatch(/^(?:tsx|typescript|prisma|tar|smtp-server|postal-mime) \d/m);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("npm run package: migrate, account, server, edge, sweep and server.mjs run from a read-only folder without a home, in one process whose lines are JSON", {
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
    for (const command of ["server.mjs", "migrate", "account", "server", "edge", "notices", "sweep"]) {
      const said = { code: 0, output: `console-api ${version}, commit ${commit}\n` };
      expect(await run(command, "--version"), command).toMatchObject(said);
    }
    const refused = await run("server.mjs");
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.output)).toMatchObject({ event: "starting", version, commit });
    expect(JSON.parse(refused.errors).detail).toContain('The database is not up to date; run "./migrate": it lacks');
    const wrong = await runPackaged(made, ["server.mjs"], { DATABASE_URL: database.url, PORT: "70000" });
    expect([wrong.code, JSON.parse(wrong.output).event]).toEqual([1, "starting"]);
    expect(JSON.parse(wrong.errors).detail).toBe('PORT must be a whole number from 0 to 65535, not "70000".');
    const count = readdirSync("prisma/migrations").filter((migration) => /^\d/.test(migration)).length;
    const status = await run("migrate", "--status");
    expect([status.code, status.output]).toEqual([0, expect.stringMatching(`^Applied: 0 of ${count}\\.\nPending: `)]);
    expect(await run("migrate")).toMatchObject({ code: 0, output: "The database is up to date.\n" });
    expect(await run("migrate", "--status")).toMatchObject({ code: 0, output: `Applied: ${count} of ${count}.\n` });
    const help = await run("migrate", "--help");
    expect(help.output).toContain("  ./migrate --status   what is applied, and what is pending\n");
    expect(help.output).not.toContain("npm");
    const created = await run("account", "create", "ann@example.com", "--name", "Ann");
    expect(created.output).toContain("Created ann@example.com (id 1, customer).");
    expect((await run("server", "list", "ann@example.com")).output).toContain("There are no servers yet.");
    expect((await run("edge", "list")).output).toBe(
      "There are no edge nodes yet. Add the first with: ./edge add NAME\n",
    );
    expect((await run("notices", "test", "ann@example.com")).errors).toContain(
      "This account has no channel that is on",
    );
    expect(await run("sweep")).toMatchObject({ code: 0 });
    const noArguments = 'takes no arguments, so not "--help". Its settings are variables of the environment.';
    expect(await run("sweep", "--help")).toMatchObject({ code: 1, output: "", errors: `"./sweep" ${noArguments}\n` });
    const told = await run("server.mjs", "--help");
    expect([told.code, JSON.parse(told.errors).detail]).toEqual([1, `"./server.mjs" ${noArguments}`]);
    const unnamed = await runPackaged(made, ["account", "list"], { DATABASE_URL: "" });
    expect(unnamed).toMatchObject({ code: 1, errors: expect.stringContaining("DATABASE_URL is not set") });

    await runSql(
      database.url,
      `insert into _prisma_migrations (id, checksum, finished_at, migration_name)
       values ('newer', 'checksum', now(), '99990101000000_of_a_newer_version')`,
    );
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
    expect(app.output()).toContain("The database is ahead of this version, up to 99990101000000_of_a_newer_version");
    for (const line of app.output().split("\n").filter(Boolean)) expect(() => JSON.parse(line), line).not.toThrow();
  } finally {
    await database.stop();
    made.remove();
  }
});

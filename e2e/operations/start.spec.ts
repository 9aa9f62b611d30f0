import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { childrenOf, isAlive } from "@/e2e/support/child-processes";
import { call, expect, getData, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { SLOW } from "@/e2e/support/patience";
import { runSql } from "@/e2e/support/run-sql";
import { expectTestsToArrive, readIfThere, runCommand, signIn, tryToConnect } from "@/e2e/support/running-command";
import { createTestDatabase } from "@/e2e/support/test-database";
import { DIST_DIRS } from "@/scripts/build";
import { findRunningDatabase } from "@/server/embedded/database";

// npm start and npm run dev.

test("npm run dev: the demo under the development server, API and pages, a clean stop, and no file of the project changed", {
  tag: "@one-engine",
}, async ({ page }) => {
  const database = await createTestDatabase();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  // The last Next process wrote this file. It is not in git.
  const routeTypes = readIfThere("next-env.d.ts");
  const filesBefore = projectFiles();
  const dev = await runCommand("dev", { DATABASE_URL: database.url, PORT: String(port) }, "Ctrl-C stops everything");
  const started = childrenOf(dev.child.pid);
  // It builds a page when it is asked for it the first time.
  page.setDefaultNavigationTimeout(SLOW.timeout);
  const refused: string[] = [];
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) refused.push(message.text());
  });
  try {
    const token = /cpat_\w+/.exec(dev.output())?.[0] ?? "";
    expect(await getData("/api/v1/me", token, { origin })).toMatchObject({ email: "ada@demo.example" });
    const { servers } = await getData<{ servers: unknown[] }>("/api/v1/servers", token, { origin });
    expect(servers.length).toBeGreaterThanOrEqual(6);
    expect((await call("/api/v1/me", null, { origin })).status).toBe(401);

    await signIn(page, origin);
    await expectTestsToArrive(page, origin, dev);
    expect(refused).toEqual([]);
  } finally {
    expect(await dev.stop()).toBe(0);
    await database.stop();
    rmSync(join(DIST_DIRS.test, "dev"), { recursive: true, force: true });
    if (routeTypes !== null) writeFileSync("next-env.d.ts", routeTypes);
  }
  await expect.poll(() => started.filter(isAlive)).toEqual([]);
  expect(projectFiles()).toEqual(filesBefore);
});

/** The files that a development server could change, and the build that other tests use. */
function projectFiles() {
  const names = ["tsconfig.json", "package.json", join(DIST_DIRS.test, "BUILD_ID")];
  return names.map((name) => ({ name, text: readIfThere(name) }));
}

test.describe("npm start", () => {
  const ownIps = () =>
    Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4")
      .map(({ address }) => address);
  /** What this machine's ips answer at a port. Other tests make and remove interfaces meanwhile; those do not count. */
  const outcomesOf = async (port: number) => {
    const outcomes: Record<string, string> = {};
    for (const ip of ownIps()) {
      const outcome = await tryToConnect(ip, port);
      if (ownIps().includes(ip)) outcomes[ip] = outcome;
    }
    return { loopback: await tryToConnect("127.0.0.1", port), others: [...new Set(Object.values(outcomes))] };
  };
  test("is production: no demo data, the embedded database named in one line, accounts from the command line, and only this machine let in; and when that database ends, so does it, with a sentence and a code", {
    tag: "@one-engine",
  }, async () => {
    test.skip(ownIps().length === 0, "this machine has no ip but the loopback one");
    const dir = mkdtempSync(join(tmpdir(), "console-start-"));
    const port = await freePort();
    const variables = { DATA_DIR: dir, PORT: String(port) };
    const app = await runCommand("start", { DATABASE_URL: "embedded", ...variables }, "Console API on");
    try {
      expect(app.output()).toContain(`Using the embedded database in ${dir}.`);
      const list = execFileSync(process.execPath, ["scripts/run.mjs", "account", "list"], {
        encoding: "utf8",
        env: { ...process.env, DATABASE_URL: "", DATA_DIR: dir },
      });
      expect(list).toContain("There are no accounts yet.");
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
      expect(await outcomesOf(port)).toEqual({ loopback: "connected", others: ["ECONNREFUSED"] });

      const client = new pg.Client(String(await findRunningDatabase(dir)));
      client.on("error", () => {});
      await client.connect();
      // PGlite does not survive a recursion without end.
      await client.query("create function endless(n int) returns int language sql as 'select endless($1 + 1)'");
      const [code] = await Promise.all([
        app.ended,
        expect(client.query("select endless(1)")).rejects.toThrow("terminated"),
      ]);
      expect(code).toBe(1);
      expect(app.output()).toContain(
        "The embedded database has ended: PGlite answers no more. Its files stay; start again.",
      );
    } finally {
      await app.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  });

  test("lets others in where HOST says so, and starts a server that dies again and says so; the fifth death in a minute is the end, with an exit code", {
    tag: "@one-engine",
  }, async () => {
    const database = await createTestDatabase();
    const port = await freePort();
    const variables = { DATABASE_URL: database.url, PORT: String(port), HOST: "0.0.0.0" };
    const app = await runCommand("start", variables, "Console API on");
    const countOf = (text: string) => app.output().split(text).length - 1;
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    try {
      expect(await outcomesOf(port)).toEqual({
        loopback: "connected",
        others: ownIps().length > 0 ? ["connected"] : [],
      });
      for (let death = 1; death <= 5; death++) {
        await expect.poll(isReady).toBe(true);
        // A server announces its start when the process that adds listeners has ended. Until then it has not started.
        await expect.poll(() => childrenOf(app.child.pid).flatMap((pid) => childrenOf(pid))).toEqual([]);
        for (const pid of childrenOf(app.child.pid)) process.kill(pid, "SIGKILL");
        if (death < 5) await expect.poll(() => countOf("(SIGKILL). It is started again.")).toBe(death);
      }
      expect(await app.ended).toBe(1);
      expect(app.output()).toMatch(/\(SIGKILL\), 5 times within a minute. It is not started again\."}\n$/);
      for (const line of app.output().trim().split("\n")) expect(() => JSON.parse(line), line).not.toThrow();
    } finally {
      app.child.kill();
      await database.stop();
    }
  });
});

test("npm start refuses a PostgreSQL database that lacks the migrations, and says what to run", {
  tag: "@one-engine",
}, async () => {
  const database = await createTestDatabase();
  await runSql(database.url, "delete from _prisma_migrations");
  try {
    const port = String(await freePort());
    await expect(runCommand("start", { DATABASE_URL: database.url, PORT: port }, "Console API on")).rejects.toThrow(
      /The database is not up to date; run \\"npm run migrate\\": it lacks \d+, from \w+ on\./,
    );
  } finally {
    await database.stop();
  }
});

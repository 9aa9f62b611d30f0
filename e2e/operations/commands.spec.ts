import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { command } from "@/e2e/support/command";
import { expect, own, ownFolder, test } from "@/e2e/support/fixtures";
import { listen } from "@/e2e/support/listen";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";
import { listMigrations } from "@/scripts/migrations";

// The commands that operators run, each as a separate process. What they do is in e2e/api/commands.test.ts.

test("a password is read from standard input, and mistakes exit with code 1", async () => {
  const database = await own(createTestDatabase());
  const account = (args: string[], input = "") =>
    command(["console", "account", ...args], { DATABASE_URL: database.url }, input);
  const { pathname, hostname, port } = new URL(database.url);
  expect(await account(["list"])).toMatchObject({
    stdout: expect.stringContaining("There are no accounts yet."),
    stderr: `Using the database ${pathname.slice(1)} at ${hostname}:${port}.\n`,
  });
  const ann = ["Ann@Example.com", "--name", "Ann", "--password-stdin"];
  const short = await account(["create", ...ann], "short\n");
  expect(short).toMatchObject({ code: 1, stdout: "" });
  expect(short.stderr).toContain("A password needs at least 12 characters.");
  expect(short.stderr).not.toMatch(/^\s+at /m);
  expect((await account(["create", ...ann], "a first long password\n")).stdout).toBe(
    "Created ann@example.com (id 1, customer).\n",
  );
  const changed = await account(["set-password", "ann@example.com", "--password-stdin"], "a new long password\n");
  expect(changed.stdout).toBe("Set the password of ann@example.com and signed it out everywhere.\n");
});

test("without the right variables a command refuses in a sentence and creates no database", async () => {
  const taken = createServer();
  const port = await listen(taken);
  const dir = ownFolder();
  const unnamed =
    'DATABASE_URL is not set, so it is not known which database is meant. Name your PostgreSQL in it, or "embedded" for the embedded database.\n';
  for (const [words, variables, message] of [
    [
      "demo",
      { PORT: String(port) },
      `Port ${port} is in use. Choose another one with PORT, for example PORT=${port + 1}.\n`,
    ],
    [
      "migrate",
      { DATABASE_URL: "postgresql://console:hunter2@127.0.0.1:1/console" },
      "The database console at 127.0.0.1:1 (DATABASE_URL) cannot be reached:",
    ],
    ["migrate", {}, unnamed],
    ["console account create ann@example.com --name Ann", {}, unnamed],
  ] as const) {
    const { code, stdout, stderr } = await command(words.split(" "), { DATA_DIR: dir, ...variables });
    expect([code, stdout], words).toEqual([1, ""]);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at |hunter2/m);
  }
  taken.close();
  expect(readdirSync(dir)).toEqual([]);
});

test("an outdated Node is told the required version before anything is installed", async () => {
  const pretend = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } })";
  const { code, stderr } = await command(["demo"], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}`,
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "This needs Node 20.19 or newer (20, 22.12, or 24 and later); this is Node 20.18.3.\n",
  });
});

test("npm run migrate repeats nothing, and --status names pending, failed, edited and newer migrations", async () => {
  const database = await own(createTestDatabase());
  const url = new URL(database.url);
  // The server asks for none, so any will do.
  url.password = "hunter2";
  const variables = { DATABASE_URL: url.toString() };
  const names = listMigrations().map(({ name }) => name);
  const stderr = `Using the database ${url.pathname.slice(1)} at ${url.hostname}:${url.port}.\n`;
  expect(await command(["migrate"], variables)).toEqual({ code: 0, stdout: "The database is up to date.\n", stderr });
  const [first = "", ...others] = names;
  const status = async () => (await command(["migrate", "--status"], variables)).stdout.trimEnd().split("\n");
  await runSql(
    database.url,
    `update _prisma_migrations set checksum = 'another' where migration_name = '${first}';
       insert into _prisma_migrations (id, checksum, finished_at, migration_name) values ('n', 'c', now(), '29990101000000_newer')`,
  );
  expect(await status()).toEqual([
    `Applied: ${names.length} of ${names.length}.`,
    `Applied with another text: ${first}`,
    "Of a newer version: 29990101000000_newer",
  ]);
  await runSql(database.url, `update _prisma_migrations set finished_at = null where migration_name = '${first}'`);
  expect(await status()).toEqual([
    `Applied: ${others.length} of ${names.length}.`,
    `Pending: ${first} (has failed, and is tried again)`,
    "Of a newer version: 29990101000000_newer",
  ]);
});

test("embedded database files are never opened twice, and commands join the running process", async () => {
  const dir = ownFolder();
  const { startReadyProcess } = await import("@/e2e/support/ready-process");
  const first = await startReadyProcess<string>("e2e/support/embedded-files-process.ts", [dir]);
  try {
    const second = await command(["migrate"], { DATABASE_URL: "embedded", DATA_DIR: dir });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`The embedded database in ${dir} is in use by process ${first.child.pid}.`);
    const joined = await command(["console", "account", "create", "ann@example.com", "--name", "Ann"], {
      DATA_DIR: dir,
    });
    expect(joined.stdout).toContain("Created ann@example.com");
    expect(joined.stderr).toBe(`Using the embedded database in ${dir}, which another process serves.\n`);
  } finally {
    await first.stop();
  }
  // Nobody serves it any more, and nobody has named it.
  const unnamed = await command(["console", "account", "list"], { DATA_DIR: dir });
  expect(unnamed).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("DATABASE_URL is not set") });
  // Closed properly, it opens again with what was written.
  const again = await command(["console", "account", "list"], { DATABASE_URL: "embedded", DATA_DIR: dir });
  expect(again.stdout).toContain("ann@example.com");
  expect(again.stderr.split("\n")[0]).toBe(`Using the embedded database in ${dir}.`);
});

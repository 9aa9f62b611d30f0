import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "@/e2e/support/command";
import { expect, test } from "@/e2e/support/fixtures";
import { listen } from "@/e2e/support/listen";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";

// The commands that operators run, each as a separate process. What they do is in e2e/api/commands.test.ts.

test("a password is read from standard input, and mistakes exit with code 1", async () => {
  const database = await createTestDatabase();
  const account = (args: string[], input = "") =>
    command(["console", "account", ...args], { DATABASE_URL: database.url }, input);
  try {
    expect((await account(["list"])).stdout).toContain("There are no accounts yet.");
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
  } finally {
    await database.stop();
  }
});

test("a wrong variable stops every command with a sentence that says which and why", async () => {
  for (const [words, variables, message] of [
    [["console", "sweep"], { PORT: "70000" }, 'PORT must be a whole number from 0 to 65535, not "70000".'],
    [["demo"], { UPSTASH_REDIS_REST_URL: "https://x.example" }, "Upstash needs both, or neither."],
    [
      ["migrate"],
      { DATABASE_URL: "nonsense" },
      "DATABASE_URL must look like postgresql://user:password@host:5432/database.",
    ],
  ] as const) {
    const { code, stderr } = await command([...words], variables);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  }
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

test("a busy port or unreachable database ends in one sentence before any build", async () => {
  const taken = createServer();
  const port = await listen(taken);
  const inUse = await command(["demo"], { PORT: String(port) });
  expect(inUse).toMatchObject({
    code: 1,
    stdout: "",
    stderr: `Port ${port} is in use. Choose another one with PORT, for example PORT=${port + 1}.\n`,
  });
  taken.close();
  const unreachable = await command(["migrate"], { DATABASE_URL: "postgresql://console:hunter2@127.0.0.1:1/console" });
  expect(unreachable.code).toBe(1);
  expect(unreachable.stderr).toContain("The database console at 127.0.0.1:1 (DATABASE_URL) cannot be reached:");
  expect(unreachable.stderr).not.toContain("hunter2");
});

test("npm run migrate repeats nothing, and --status names pending, failed, edited and newer migrations", async () => {
  const database = await createTestDatabase();
  const variables = { DATABASE_URL: database.url };
  const names = readdirSync("prisma/migrations", { withFileTypes: true }).flatMap((one) =>
    one.isDirectory() ? [one.name] : [],
  );
  try {
    const { hostname, port, pathname } = new URL(database.url);
    const stderr = `Using the database ${pathname.slice(1)} at ${hostname}:${port}.\n`;
    expect(await command(["migrate"], variables)).toEqual({ code: 0, stdout: "The database is up to date.\n", stderr });
    await runSql(
      database.url,
      `update _prisma_migrations set checksum = 'another';
       insert into _prisma_migrations (id, checksum, finished_at, migration_name) values ('n', 'c', now(), '29990101000000_newer')`,
    );
    expect((await command(["migrate", "--status"], variables)).stdout).toBe(
      [
        `Applied: ${names.length} of ${names.length}.`,
        ...names.map((name) => `Applied with another text: ${name}`),
        "Of a newer version: 29990101000000_newer\n",
      ].join("\n"),
    );
    await runSql(database.url, "update _prisma_migrations set finished_at = null");
    expect((await command(["migrate", "--status"], variables)).stdout).toContain(
      `Applied: 0 of ${names.length}.\nPending: ${names[0]} (has failed, and is tried again)\n`,
    );
    expect(await command(["migrate"], variables)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining('"npm run migrate" of commit a36dbd0d is the last'),
    });
  } finally {
    await database.stop();
  }
});

test("every command names its database, embedded or not, and never the password", async () => {
  const database = await createTestDatabase();
  const dir = mkdtempSync(join(tmpdir(), "console-data-"));
  const url = new URL(database.url);
  // The server asks for none, so any will do.
  url.password = "hunter2";
  const outside = `Using the database ${url.pathname.slice(1)} at ${url.hostname}:${url.port}.`;
  const embedded = `Using the embedded database in ${dir}.`;
  const expectToSay = async (args: string[], DATABASE_URL: string, sentence: string) => {
    const variables = { DATABASE_URL, DATA_DIR: dir };
    const { code, stdout, stderr } = await command(args, variables);
    expect(code, stderr).toBe(0);
    expect(stderr.split("\n")[0], args.join(" ")).toBe(sentence);
    expect(stdout + stderr).not.toContain("hunter2");
  };
  const joining = [
    ["console", "account", "list"],
    ["console", "server", "list"],
    ["console", "sweep"],
  ];
  try {
    await expectToSay(["migrate"], "embedded", embedded);
    await Promise.all([["migrate"], ...joining].map((args) => expectToSay(args, url.toString(), outside)));
  } finally {
    await database.stop();
    rmSync(dir, { recursive: true });
  }
});

test("without DATABASE_URL every command but the demo's refuses and creates no database", async () => {
  const dir = mkdtempSync(join(tmpdir(), "console-data-"));
  for (const args of [
    ["migrate"],
    ["console", "account", "create", "ann@example.com", "--name", "Ann"],
    ["console", "server", "list"],
    ["console", "sweep"],
  ]) {
    const { code, stdout, stderr } = await command(args, { DATA_DIR: dir });
    expect({ code, stdout, refusal: stderr }, args.join(" ")).toEqual({
      code: 1,
      stdout: "",
      refusal:
        'DATABASE_URL is not set, so it is not known which database is meant. Name your PostgreSQL in it, or "embedded" for the embedded database.\n',
    });
  }
  expect(readdirSync(dir)).toEqual([]);
  rmSync(dir, { recursive: true });
});

test("embedded database files are never opened twice, and commands join the running process", async () => {
  const dir = mkdtempSync(join(tmpdir(), "console-data-"));
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
    const served = `Using the embedded database in ${dir}, which another process serves.\n`;
    expect(joined.stderr).toBe(served);
    for (const args of [["account", "list"], ["server", "list"], ["sweep"]])
      expect((await command(["console", ...args], { DATA_DIR: dir })).stderr, args.join(" ")).toContain(served);
  } finally {
    await first.stop();
  }
  // Nobody serves it any more, and nobody has named it.
  const unnamed = await command(["console", "account", "list"], { DATA_DIR: dir });
  expect(unnamed).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("DATABASE_URL is not set") });
  // Closed properly, it opens again with what was written.
  const again = await command(["console", "account", "list"], { DATABASE_URL: "embedded", DATA_DIR: dir });
  expect(again.stdout).toContain("ann@example.com");
  rmSync(dir, { recursive: true, force: true });
});

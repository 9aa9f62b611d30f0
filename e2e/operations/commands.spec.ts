import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "@/e2e/support/command";
import { expect, test } from "@/e2e/support/fixtures";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase, type TestDatabase } from "@/e2e/support/test-database";
import { MINUTE } from "@/lib/time";

// What whoever deploys the console types. Each test has a database of its own, and each command is a process that loads
// everything it needs.
test.describe.configure({ timeout: 5 * MINUTE });

test.describe("npm run account", () => {
  let database: TestDatabase;
  test.beforeEach(async () => {
    database = await createTestDatabase();
  });
  test.afterEach(() => database.stop());

  const account = (args: string[], input = "") => command(["account", ...args], { DATABASE_URL: database.url }, input);

  test("creates, lists, disables, enables, promotes and gives new passwords, each said in one sentence", {
    tag: "@one-engine",
  }, async () => {
    expect((await account(["list"])).stdout).toContain("There are no accounts yet.");
    const created = await account(["create", "Ann@Example.com", "--name", "Ann"]);
    expect(created.stdout).toMatch(
      /^Created ann@example\.com \(id 1, customer\)\.\nPassword, shown only now: \S{23}\n$/,
    );
    expect((await account(["set-role", "ann@example.com", "admin"])).stdout).toBe("ann@example.com is admin now.\n");
    expect((await account(["disable", "ann@example.com"])).stdout).toContain("Disabled ann@example.com");
    expect((await account(["list"])).stdout).toMatch(/1 {3}ann@example\.com {2}Ann {3}admin {2}disabled 20/);
    expect((await account(["enable", "ann@example.com"])).stdout).toContain("Enabled ann@example.com");
    const changed = await account(["set-password", "ann@example.com", "--password-stdin"], "a new long password\n");
    expect(changed.stdout).toBe("Set the password of ann@example.com and signed it out everywhere.\n");
  });

  test("every mistake is one clear sentence and exit code 1, and changes nothing", { tag: "@one-engine" }, async () => {
    await account(["create", "ann@example.com", "--name", "Ann"]);
    const before = (await account(["list"])).stdout;
    for (const [args, input, message] of [
      [
        ["create", "ann@example.com", "--name", "Ann"],
        "",
        "There is already an account with the e-mail ann@example.com.",
      ],
      [["create", "nonsense", "--name", "Ann"], "", '"nonsense" is not a valid e-mail.'],
      [["create", "bob@example.com"], "", "create needs --name NAME."],
      [
        ["create", "bob@example.com", "--name", "B", "--role", "king"],
        "",
        '"king" is no role. Roles: customer, support, admin.',
      ],
      [
        ["create", "bob@example.com", "--name", "B", "--password-stdin"],
        "short\n",
        "A password needs at least 12 characters.",
      ],
      [["disable", "nobody@example.com"], "", "There is no account with the e-mail nobody@example.com."],
      [["frobnicate"], "", 'There is no command "frobnicate".'],
    ] as const) {
      const { code, stdout, stderr } = await account([...args], input);
      expect([code, stdout], stderr).toEqual([1, ""]);
      expect(stderr).toContain(message);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
    expect((await account(["list"])).stdout).toBe(before);
  });
});

test("a wrong variable stops every command with a sentence that says which and why", {
  tag: "@one-engine",
}, async () => {
  for (const [variables, message] of [
    [{ DATABASE_URL: "nonsense" }, "DATABASE_URL must look like postgresql://user:password@host:5432/database."],
    [{ PORT: "70000" }, 'PORT must be a whole number from 0 to 65535, not "70000".'],
    [{ UPSTASH_REDIS_REST_URL: "https://x.example" }, "Upstash needs both, or neither."],
  ] as const) {
    for (const name of ["start", "demo", "migrate"]) {
      const { code, stderr } = await command([name], { ...variables });
      expect(code).toBe(1);
      expect(stderr).toContain(message);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
  }
});

test("a Node that is too old is told which one is needed, before anything is installed", {
  tag: "@one-engine",
}, async () => {
  const pretend = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } })";
  const { code, stderr } = await command(["demo"], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}`,
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "This needs Node 20.19 or newer (20, 22.12, or 24 and later); this is Node 20.18.3.\n",
  });
});

test("a port in use and a database that cannot be reached are one sentence each, before anything is built", {
  tag: "@one-engine",
}, async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as AddressInfo;
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

test("npm run migrate changes nothing where all is done, and a migration that failed stops it in Prisma's own words", {
  tag: "@one-engine",
}, async () => {
  const database = await createTestDatabase();
  try {
    const done = { code: 0, stdout: "The database is up to date.\n", stderr: "" };
    expect(await command(["migrate"], { DATABASE_URL: database.url })).toEqual(done);
    await runSql(database.url, "update _prisma_migrations set finished_at = null where migration_name like '%console'");
    const { code, stderr } = await command(["migrate"], { DATABASE_URL: database.url });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^The migrations could not be applied\.\n.*P3009.*_console` migration started at .* failed/s,
    );
  } finally {
    await database.stop();
  }
});

test("prisma's own commands work without an engine download: migrate deploy, status, diff and dev", async () => {
  const database = await createTestDatabase();
  const prisma = (...args: string[]) =>
    new Promise<{ code: number | null; output: string }>((resolve) => {
      const child = spawn(process.execPath, ["node_modules/prisma/build/index.js", ...args], {
        env: { ...process.env, DATABASE_URL: database.url, CHECKPOINT_DISABLE: "1" },
      });
      let output = "";
      child.stdout.on("data", (chunk) => (output += chunk));
      child.stderr.on("data", (chunk) => (output += chunk));
      child.on("close", (code) => resolve({ code, output }));
    });
  try {
    expect(await prisma("migrate", "deploy")).toMatchObject({
      code: 0,
      output: expect.stringContaining("No pending migrations"),
    });
    expect(await prisma("migrate", "status")).toMatchObject({ code: 0, output: expect.stringContaining("up to date") });
    expect(await prisma("validate")).toMatchObject({ code: 0 });
    const difference = [
      "migrate",
      "diff",
      "--from-config-datasource",
      "--to-schema",
      "prisma/schema.prisma",
      "--exit-code",
    ];
    expect(await prisma(...difference)).toMatchObject({ code: 0 });
    expect(await prisma("migrate", "dev")).toMatchObject({
      code: 0,
      output: expect.stringContaining("Already in sync"),
    });
  } finally {
    await database.stop();
  }
});

test("the files of the embedded database are never opened twice: the second one is refused, the command line joins in", {
  tag: "@one-engine",
}, async () => {
  const dir = mkdtempSync(join(tmpdir(), "console-data-"));
  const { startReadyProcess } = await import("@/e2e/support/ready-process");
  const first = await startReadyProcess<string>("e2e/support/embedded-files-process.ts", [dir]);
  try {
    const second = await command(["migrate"], { DATA_DIR: dir });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`The embedded database in ${dir} is in use by process ${first.child.pid}.`);
    const joined = await command(["account", "create", "ann@example.com", "--name", "Ann"], { DATA_DIR: dir });
    expect(joined.stdout).toContain("Created ann@example.com");
  } finally {
    await first.stop();
  }
  // Closed properly, it opens again with what was written.
  const again = await command(["account", "list"], { DATA_DIR: dir });
  expect(again.stdout).toContain("ann@example.com");
  rmSync(dir, { recursive: true, force: true });
});

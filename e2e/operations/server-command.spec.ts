import { answersOf, command } from "@/e2e/support/command";
import { expect, test } from "@/e2e/support/fixtures";
import { insertCaller } from "@/e2e/support/insert-caller";
import { createTestDatabase, type TestDatabase } from "@/e2e/support/test-database";

// npm run console -- server as operators run it. Each test has a database of its own.
let database: TestDatabase;
test.beforeEach(async () => {
  database = await createTestDatabase();
  await insertCaller(database.url);
});
test.afterEach(() => database.stop());

const server = (...args: string[]) => command(["console", "server", ...args], { DATABASE_URL: database.url });

test("npm run console -- server adds, lists, replaces a key and removes, each key shown once", async () => {
  const added = await server("add", "Caller@example.com", "--label", "Web front", "--hostname", "web-1.example");
  expect(added.stdout).toMatch(
    /^Added server 1 of caller@example\.com\.\nIts key, shown only now: csrv_\w{36}\nOn that machine: sh agent\.sh install URL-OF-THE-CONSOLE\n$/,
  );
  const [listed, replacement] = await answersOf("server", [["list"], ["replace-key", "1"]], database.url);
  const list = listed?.stdout ?? "";
  expect(list).toMatch(/^ID {2}ACCOUNT .*\n1 {3}caller@example\.com {2}Web front {2}web-1\.example {2}never\n$/);
  const replaced = replacement?.stdout ?? "";
  expect(replaced).toMatch(/^Replaced the key of server 1 \(Web front\); the old one works for one more hour\.\n/);
  expect(/csrv_\w+/.exec(replaced)?.[0]).not.toBe(/csrv_\w+/.exec(added.stdout)?.[0]);
  expect(list).not.toContain("csrv_");
  expect((await server("remove", "1")).stdout).toBe(
    "Removed server 1 (Web front) with its keys, samples and benchmark runs.\n",
  );
  expect((await server("list")).stdout).toContain("There are no servers yet.");
});

test("every mistake of npm run console -- server is one clear sentence and exit code 1", async () => {
  const mistakes: [string[], string][] = [
    [["add", "nobody@example.com", "--label", "A", "--hostname", "a.example"], "There is no account with the e-mail"],
    [["add", "caller@example.com", "--label", "A", "--hostname", "a b"], "A hostname consists of"],
    [["remove", "7"], 'There is no server "7".'],
    [["destroy"], 'There is no command "destroy".'],
  ];
  const [spawned = []] = mistakes.map(([args]) => args);
  const answers = [
    await server(...spawned),
    ...(await answersOf(
      "server",
      mistakes.slice(1).map(([args]) => args),
      database.url,
    )),
  ];
  for (const [index, [args, message]] of mistakes.entries()) {
    const { code, stdout, stderr } = answers[index] ?? {};
    expect([code, stdout], args.join(" ")).toEqual([1, ""]);
    expect(stderr).toContain(message);
  }
});

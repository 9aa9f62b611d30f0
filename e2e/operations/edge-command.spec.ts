import { answersOf, command } from "@/e2e/support/command";
import { expect, test } from "@/e2e/support/fixtures";
import { createTestDatabase, type TestDatabase } from "@/e2e/support/test-database";

// npm run console -- edge as operators run it. Each test has a database of its own.
let database: TestDatabase;
test.beforeEach(async () => {
  database = await createTestDatabase();
});
test.afterEach(() => database.stop());

const edge = (...args: string[]) => command(["console", "edge", ...args], { DATABASE_URL: database.url });

test("npm run console -- edge adds, lists, replaces a key and removes, each key shown once, and every mistake is one sentence", async () => {
  const added = await edge("add", "fra-1");
  expect(added.stdout).toMatch(/^Added edge node 1 \(fra-1\)\.\nIts key, shown only now: cedg_\w{36}\n$/);
  const mistakes: [string[], string][] = [
    [["add", "fra-1"], 'There is an edge node "fra-1" already.'],
    [["add", "a\u0007b"], "A name cannot hold line breaks, control characters"],
    [["add"], "Wrong number of arguments."],
    [["remove", "7"], 'There is no edge node "7".'],
    [["end-old-keys", "7"], 'There is no edge node "7".'],
    [["destroy"], 'There is no command "destroy".'],
  ];
  const [list, replaced, ...more] = await answersOf(
    "edge",
    [["list"], ["replace-key", "1"], ["end-old-keys", "1"], ...mistakes.map(([args]) => args)],
    database.url,
  );
  const [ended, ...refused] = more;
  expect(list?.stdout).toMatch(
    /^ID {2}NAME .*\n1 {3}fra-1 {2}never heard {2}never .* 0 current, 0 behind, 0 failed\n$/,
  );
  expect(replaced?.stdout).toMatch(
    /^Replaced the key of edge node 1 \(fra-1\); the old one works for one more hour\.\n/,
  );
  expect(/cedg_\w+/.exec(replaced?.stdout ?? "")?.[0]).not.toBe(/cedg_\w+/.exec(added.stdout)?.[0]);
  expect(ended?.stdout).toBe("Only the newest key of edge node 1 (fra-1) works now.\n");
  expect(refused).toHaveLength(mistakes.length);
  for (const [index, [args, message]] of mistakes.entries()) {
    const { code, stdout, stderr } = refused[index] ?? {};
    expect([code, stdout], args.join(" ")).toEqual([1, ""]);
    expect(stderr).toContain(message);
  }
  expect(await edge("destroy")).toMatchObject({ code: 1, stdout: "" });
  expect((await edge("remove", "1")).stdout).toBe(
    "Removed edge node 1 (fra-1) with its keys. What it counted stays.\n",
  );
  expect((await edge("list")).stdout).toContain("There are no edge nodes yet.");
});

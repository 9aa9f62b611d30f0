import { command } from "@/e2e/support/command";
import { expect, test } from "@/e2e/support/fixtures";
import { createTestDatabase, type TestDatabase } from "@/e2e/support/test-database";

// npm run edge as operators run it. Each command is a separate process.
let database: TestDatabase;
test.beforeEach(async () => {
  database = await createTestDatabase();
});
test.afterEach(() => database.stop());

const edge = (...args: string[]) => command(["edge", ...args], { DATABASE_URL: database.url });

test("npm run edge adds, lists, replaces a key and removes, each key shown once, and every mistake is one sentence", {
  tag: "@one-engine",
}, async () => {
  const added = await edge("add", "fra-1");
  expect(added.stdout).toMatch(/^Added edge node 1 \(fra-1\)\.\nIts key, shown only now: cedg_\w{36}\n$/);
  const list = (await edge("list")).stdout;
  expect(list).toMatch(/^ID {2}NAME .*\n1 {3}fra-1 {2}never heard {2}never .* 0 current, 0 behind, 0 failed\n$/);
  const replaced = (await edge("replace-key", "1")).stdout;
  expect(replaced).toMatch(/^Replaced the key of edge node 1 \(fra-1\); the old one works for one more hour\.\n/);
  expect(/cedg_\w+/.exec(replaced)?.[0]).not.toBe(/cedg_\w+/.exec(added.stdout)?.[0]);
  for (const [args, message] of [
    [["add", "fra-1"], 'There is an edge node "fra-1" already.'],
    [["add", "a\u0007b"], "A name cannot hold line breaks, control characters"],
    [["add"], "Wrong number of arguments."],
    [["remove", "7"], 'There is no edge node "7".'],
    [["end-old-keys", "7"], 'There is no edge node "7".'],
    [["destroy"], 'There is no command "destroy".'],
  ] as [string[], string][]) {
    const { code, stdout, stderr } = await edge(...args);
    expect([code, stdout], args.join(" ")).toEqual([1, ""]);
    expect(stderr).toContain(message);
  }
  expect((await edge("end-old-keys", "1")).stdout).toBe("Only the newest key of edge node 1 (fra-1) works now.\n");
  expect((await edge("remove", "1")).stdout).toBe(
    "Removed edge node 1 (fra-1) with its keys. What it counted stays.\n",
  );
  expect((await edge("list")).stdout).toContain("There are no edge nodes yet.");
});

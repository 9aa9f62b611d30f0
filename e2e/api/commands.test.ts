import { expect, test, vi } from "vitest";
import { newAccount, unique } from "@/e2e/support/factories";
import { db } from "@/lib/database/client";
import { PlainError } from "@/lib/failures";
import { seedDemo } from "@/prisma/demo/seed";
import { main } from "@/scripts/console";

// What the commands of operators do and print. As processes they are run in e2e/operations/commands.spec.ts.

/** What `npm run console -- …` prints. @throws PlainError, which scripts/run.mjs prints before it ends with 1 */
async function run(...args: string[]): Promise<string> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  // A command ends the connections of its process, which are this worker's.
  const leave = vi.spyOn(db, "$disconnect").mockResolvedValue();
  const refusal = await main(args).catch((error: unknown) => ({ error }));
  const printed = log.mock.calls.flat().join("\n");
  for (const spy of [log, said, leave]) spy.mockRestore();
  if (!refusal) return printed;
  expect(printed).toBe("");
  throw refusal.error;
}

/** Each is refused in a sentence. */
async function expectRefusals(command: string, mistakes: readonly (readonly [args: string[], message: string])[]) {
  for (const [args, message] of mistakes) {
    const refusal = await run(command, ...args).catch((error: unknown) => error);
    expect(refusal, args.join(" ")).toBeInstanceOf(PlainError);
    expect((refusal as PlainError).message).toContain(message);
  }
}

test("account creates, promotes, disables, lists and enables, each said in one sentence", async () => {
  const name = unique("Ann");
  const email = `${name}@example.com`.toLowerCase();
  expect(await run("account", "create", `${name}@Example.com`, "--name", "Ann")).toMatch(
    new RegExp(`^Created ${email} \\(id \\d+, customer\\)\\.\nPassword, shown only now: \\S{23}$`),
  );
  expect(await run("account", "set-role", email, "admin")).toBe(`${email} is admin now.`);
  expect(await run("account", "disable", email)).toContain(`Disabled ${email}`);
  expect(await run("account", "list")).toMatch(new RegExp(`^\\d+ +${email} +Ann +admin +disabled 20`, "m"));
  expect(await run("account", "enable", email)).toContain(`Enabled ${email}`);
  expect(await run("account", "list")).toMatch(new RegExp(`^\\d+ +${email} +Ann +admin +active$`, "m"));
});

test("a mistake of account is one sentence, and changes nothing", async () => {
  const { email } = await newAccount();
  const before = await run("account", "list");
  await expectRefusals("account", [
    [["create", email, "--name", "Ann"], `There is already an account with the e-mail ${email.toLowerCase()}.`],
    [["create", "nonsense", "--name", "Ann"], '"nonsense" is not a valid e-mail.'],
    [["create", "bob@example.com"], "create needs --name NAME."],
    [
      ["create", "bob@example.com", "--name", "B", "--role", "king"],
      '"king" is no role. Roles: customer, support, admin.',
    ],
    [["disable", "nobody@example.com"], "There is no account with the e-mail nobody@example.com."],
  ]);
  expect(await run("account", "list")).toBe(before);
});

test("server adds, lists, replaces a key and removes; each key is shown once", async () => {
  const { email } = await newAccount();
  expect(await run("server", "list", email)).toContain("There are no servers yet.");
  const added = await run("server", "add", email, "--label", "Web front", "--hostname", "web-1.example");
  expect(added).toMatch(
    new RegExp(
      `^Added server \\d+ of ${email}\\.\nIts key, shown only now: csrv_\\w{36}\nOn that machine: sh agent\\.sh install URL-OF-THE-CONSOLE$`,
    ),
  );
  const id = /\d+/.exec(added.slice("Added server ".length))?.[0] ?? "";
  const list = await run("server", "list", email);
  expect(list).toMatch(new RegExp(`^ID +ACCOUNT .*\n${id} +${email} +Web front +web-1\\.example +never$`));
  const replaced = await run("server", "replace-key", id);
  expect(replaced).toContain(`Replaced the key of server ${id} (Web front); the old one works for one more hour.\n`);
  expect(/csrv_\w+/.exec(replaced)?.[0]).not.toBe(/csrv_\w+/.exec(added)?.[0]);
  expect(list).not.toContain("csrv_");
  expect(await run("server", "remove", id)).toBe(
    `Removed server ${id} (Web front) with its keys, samples and benchmark runs.`,
  );
  expect(await run("server", "list", email)).toContain("There are no servers yet.");
});

test("a mistake of server is one sentence", async () => {
  const { email } = await newAccount();
  await expectRefusals("server", [
    [["add", "nobody@example.com", "--label", "A", "--hostname", "a.example"], "There is no account with the e-mail"],
    [["add", email, "--label", "A", "--hostname", "a b"], "A hostname consists of"],
    [["remove", "2147483647"], 'There is no server "2147483647".'],
    [["destroy"], 'There is no command "destroy".'],
  ]);
});

test("edge adds, lists, replaces a key and removes; each key is shown once", async () => {
  const name = unique("fra");
  const added = await run("edge", "add", name);
  expect(added).toMatch(new RegExp(`^Added edge node \\d+ \\(${name}\\)\\.\nIts key, shown only now: cedg_\\w{36}$`));
  const id = /\d+/.exec(added.slice("Added edge node ".length))?.[0] ?? "";
  expect(await run("edge", "list")).toMatch(
    new RegExp(`^${id} +${name} +never heard +never .* 0 current, 0 behind, 0 failed$`, "m"),
  );
  const replaced = await run("edge", "replace-key", id);
  expect(replaced).toContain(`Replaced the key of edge node ${id} (${name}); the old one works for one more hour.\n`);
  expect(/cedg_\w+/.exec(replaced)?.[0]).not.toBe(/cedg_\w+/.exec(added)?.[0]);
  expect(await run("edge", "end-old-keys", id)).toBe(`Only the newest key of edge node ${id} (${name}) works now.`);
  await expectRefusals("edge", [
    [["add", name], `There is an edge node "${name}" already.`],
    [["add", "a\u0007b"], "A name cannot hold line breaks, control characters"],
    [["add"], "Wrong number of arguments."],
    [["remove", "2147483647"], 'There is no edge node "2147483647".'],
    [["end-old-keys", "2147483647"], 'There is no edge node "2147483647".'],
    [["destroy"], 'There is no command "destroy".'],
  ]);
  expect(await run("edge", "remove", id)).toBe(
    `Removed edge node ${id} (${name}) with its keys. What it counted stays.`,
  );
});

test("the demo refuses a database with other accounts and leaves it unchanged", async () => {
  await newAccount();
  const counts = () => Promise.all([db.account.count(), db.server.count()]);
  const before = await counts();
  const refusal = /^This database holds .* that the demo did not make\. .* nothing was changed\.$/;
  await expect(seedDemo()).rejects.toThrow(refusal);
  expect(await counts()).toEqual(before);
});

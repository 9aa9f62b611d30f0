import { parseArgs } from "node:util";
import { PlainError } from "@/lib/failures";
import { calledAs } from "./called-as";
import { formatTable } from "./table";
import { withDatabase } from "./with-database";

const ACCOUNT = calledAs("account");

const HELP = `Manages the accounts of the console.

  ${ACCOUNT} list
  ${ACCOUNT} create EMAIL --name NAME [--role customer|support|admin] [--password-stdin]
  ${ACCOUNT} disable EMAIL        signs it out and refuses its tokens from the next request on
  ${ACCOUNT} enable EMAIL
  ${ACCOUNT} set-role EMAIL customer|support|admin
  ${ACCOUNT} set-password EMAIL [--password-stdin]

Passwords are never arguments. With --password-stdin the first line of standard input is the password; without it one
is generated and printed once.`;

type Accounts = typeof import("@/lib/accounts/accounts");
type Input = { operands: string[]; name: string | undefined; role: string | undefined; passwordFromStdin: boolean };
type Command = { operands: string[]; run(accounts: Accounts, input: Input): Promise<string> };

const COMMANDS: Readonly<Record<string, Command>> = {
  list: { operands: [], run: (accounts) => list(accounts) },
  create: {
    operands: ["EMAIL"],
    async run(accounts, { operands: [email = ""], name, role = "customer", passwordFromStdin }) {
      if (!name) throw new PlainError("create needs --name NAME.");
      const { password, note } = await choosePassword(passwordFromStdin);
      const account = await accounts.createAccount({ name, email, role: accounts.parseRole(role), password });
      return `Created ${account.email} (id ${account.id}, ${account.role}).${note}`;
    },
  },
  disable: {
    operands: ["EMAIL"],
    async run(accounts, { operands: [email = ""] }) {
      const account = await accounts.setAccountDisabled(email, true);
      return `Disabled ${account.email}: signed out everywhere, its tokens are refused.`;
    },
  },
  enable: {
    operands: ["EMAIL"],
    async run(accounts, { operands: [email = ""] }) {
      const account = await accounts.setAccountDisabled(email, false);
      return `Enabled ${account.email}: it can sign in, and its tokens work again.`;
    },
  },
  "set-role": {
    operands: ["EMAIL", "ROLE"],
    async run(accounts, { operands: [email = "", role = ""] }) {
      const account = await accounts.setAccountRole(email, accounts.parseRole(role));
      return `${account.email} is ${account.role} now.`;
    },
  },
  "set-password": {
    operands: ["EMAIL"],
    async run(accounts, { operands: [email = ""], passwordFromStdin }) {
      const { password, note } = await choosePassword(passwordFromStdin);
      const account = await accounts.setAccountPassword(email, password);
      return `Set the password of ${account.email} and signed it out everywhere.${note}`;
    },
  },
};

/** `npm run account`: manages accounts from the command line. For operators. */
export async function main(args: string[]): Promise<void> {
  const [name = "help"] = args;
  if (["help", "--help", "-h"].includes(name)) {
    console.log(HELP);
    return;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new PlainError(`There is no command "${name}".\n\n${HELP}`);
  const input = parseInput(name, command, args.slice(1));

  await withDatabase(async () => console.log(await command.run(await import("@/lib/accounts/accounts"), input)));
}

function parseInput(name: string, command: Command, args: string[]): Input {
  const usage = `Usage: ${ACCOUNT} ${[name, ...command.operands].join(" ")}`;
  try {
    const options = {
      name: { type: "string" },
      role: { type: "string" },
      "password-stdin": { type: "boolean", default: false },
    } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (positionals.length !== command.operands.length) throw new Error("Wrong number of arguments.");
    return {
      operands: positionals,
      name: values.name,
      role: values.role,
      passwordFromStdin: values["password-stdin"],
    };
  } catch (error) {
    throw new PlainError(`${error instanceof Error ? error.message : error}\n${usage}\n\n${HELP}`);
  }
}

async function choosePassword(fromStdin: boolean): Promise<{ password: string; note: string }> {
  if (fromStdin) return { password: await readFirstLine(), note: "" };
  const { generatePassword } = await import("@/lib/accounts/passwords");
  const password = generatePassword();
  return { password, note: `\nPassword, shown only now: ${password}` };
}

async function readFirstLine(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? "";
}

async function list(accounts: Accounts): Promise<string> {
  const rows = (await accounts.listAccounts()).map((account) => [
    String(account.id),
    account.email,
    account.name,
    account.role,
    account.disabledAt ? `disabled ${account.disabledAt.toISOString()}` : "active",
  ]);
  if (rows.length === 0) return `There are no accounts yet. Create the first with: ${ACCOUNT} create EMAIL --name NAME`;
  return formatTable([["ID", "EMAIL", "NAME", "ROLE", "STATE"], ...rows]);
}

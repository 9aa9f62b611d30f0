import { PlainError } from "@/lib/failures";
import { calledAs } from "./called-as";
import { runSubcommand, type Subcommand } from "./subcommands";
import { formatTable } from "./table";

const ACCOUNT = calledAs("console", "account");

const HELP = `Manages the accounts of the console.

  ${ACCOUNT} list
  ${ACCOUNT} create EMAIL --name NAME [--role customer|support|admin] [--password-stdin]
  ${ACCOUNT} disable EMAIL        signs it out and refuses its tokens from the next request on
  ${ACCOUNT} enable EMAIL
  ${ACCOUNT} set-role EMAIL customer|support|admin
  ${ACCOUNT} set-password EMAIL [--password-stdin]

Passwords are never arguments. With --password-stdin the first line of standard input is the password; without it one
is generated and printed once.`;

const OPTIONS = {
  name: { type: "string" },
  role: { type: "string" },
  "password-stdin": { type: "boolean", default: false },
} as const;

// Loaded when a command runs: it reads the database's URL.
const loadAccounts = () => import("@/lib/accounts/accounts");

const COMMANDS: Readonly<Record<string, Subcommand<typeof OPTIONS>>> = {
  list: { operands: "", run: list },
  create: {
    operands: "EMAIL",
    async run([email = ""], { name, role = "customer", "password-stdin": fromStdin }) {
      const accounts = await loadAccounts();
      if (!name) throw new PlainError("create needs --name NAME.");
      const { password, note } = await choosePassword(fromStdin);
      const account = await accounts.createAccount({ name, email, role: accounts.parseRole(role), password });
      return `Created ${account.email} (id ${account.id}, ${account.role}).${note}`;
    },
  },
  disable: {
    operands: "EMAIL",
    async run([email = ""]) {
      const accounts = await loadAccounts();
      const account = await accounts.setAccountDisabled(email, true);
      return `Disabled ${account.email}: signed out everywhere, its tokens are refused.`;
    },
  },
  enable: {
    operands: "EMAIL",
    async run([email = ""]) {
      const accounts = await loadAccounts();
      const account = await accounts.setAccountDisabled(email, false);
      return `Enabled ${account.email}: it can sign in, and its tokens work again.`;
    },
  },
  "set-role": {
    operands: "EMAIL ROLE",
    async run([email = "", role = ""]) {
      const accounts = await loadAccounts();
      const account = await accounts.setAccountRole(email, accounts.parseRole(role));
      return `${account.email} is ${account.role} now.`;
    },
  },
  "set-password": {
    operands: "EMAIL",
    async run([email = ""], { "password-stdin": fromStdin }) {
      const accounts = await loadAccounts();
      const { password, note } = await choosePassword(fromStdin);
      const account = await accounts.setAccountPassword(email, password);
      return `Set the password of ${account.email} and signed it out everywhere.${note}`;
    },
  },
};

/** `npm run console -- account`: manages accounts from the command line. For operators. */
export async function main(args: string[]): Promise<void> {
  await runSubcommand({ calledAs: ACCOUNT, help: HELP, options: OPTIONS }, COMMANDS, args);
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

async function list(): Promise<string> {
  const accounts = await loadAccounts();
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

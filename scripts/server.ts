import { PlainError } from "@/lib/failures";
import { findId } from "@/lib/http/ids";
import { calledAs } from "./called-as";
import { runSubcommand, type Subcommand } from "./subcommands";
import { formatTable } from "./table";

const SERVER = calledAs("console", "server");

const HELP = `Manages the servers of the fleet, as their owners do on the dashboard.

  ${SERVER} list [EMAIL]
  ${SERVER} add EMAIL --label LABEL --hostname NAME      prints the server's key, once
  ${SERVER} replace-key ID                               prints the new key, once; the old one works for an hour
  ${SERVER} remove ID                                    with its keys, samples and benchmark runs

EMAIL is the account that owns the server; ID is what list shows.`;

type Options = { label: { type: "string" }; hostname: { type: "string" } };

const COMMANDS: Readonly<Record<string, Subcommand<Options>>> = {
  list: { operands: "[EMAIL]", run: ([email = ""]) => list(email) },
  add: {
    operands: "EMAIL",
    options: "--label LABEL --hostname NAME",
    run: ([email = ""], { label, hostname }) => add(email, label, hostname),
  },
  "replace-key": { operands: "ID", run: ([id = ""]) => replaceKey(id) },
  remove: { operands: "ID", run: ([id = ""]) => remove(id) },
};

/** `npm run console -- server`: manages the fleet from the command line. For operators. */
export async function main(args: string[]): Promise<void> {
  const options: Options = { label: { type: "string" }, hostname: { type: "string" } };
  await runSubcommand({ calledAs: SERVER, help: HELP, options }, COMMANDS, args);
}

async function list(operand: string): Promise<string> {
  const { getAccountByEmail } = await import("@/lib/accounts/accounts");
  const { listFleet } = await import("@/lib/servers/management");
  const fleet = await listFleet(operand === "" ? null : (await getAccountByEmail(operand)).id);
  if (fleet.length === 0) {
    return `There are no servers yet. Add the first with: ${SERVER} add EMAIL --label LABEL --hostname NAME`;
  }
  const rows = fleet.map(({ id, label, hostname, lastSeenAt, account }) => [
    String(id),
    account.email,
    label,
    hostname,
    lastSeenAt?.toISOString() ?? "never",
  ]);
  return formatTable([["ID", "ACCOUNT", "LABEL", "HOSTNAME", "LAST SEEN"], ...rows]);
}

async function add(operand: string, label: string | undefined, hostname: string | undefined): Promise<string> {
  if (label === undefined || hostname === undefined) throw new PlainError("add needs --label and --hostname.");
  const { getAccountByEmail } = await import("@/lib/accounts/accounts");
  const { createServer } = await import("@/lib/servers/management");
  const account = await getAccountByEmail(operand);
  const created = await createServer(account.id, { label, hostname });
  if (created.kind === "invalid") throw new PlainError(created.message);
  if (created.kind === "already-created") throw new Error("Only a form can have been sent before.");
  return `Added server ${created.id} of ${account.email}.\n${keyText(created.rawKey)}`;
}

async function replaceKey(operand: string): Promise<string> {
  const { accountId, id, name } = await getOwned(operand);
  const { replaceServerKey } = await import("@/lib/servers/server-keys");
  const replaced = await replaceServerKey(accountId, id);
  if (replaced.kind === "too-often") throw new PlainError(replaced.message);
  if (replaced.kind === "not-found") throw notFound(operand);
  return `Replaced the key of ${name}; the old one works for one more hour.\n${keyText(replaced.rawKey)}`;
}

async function remove(operand: string): Promise<string> {
  const { accountId, id, name } = await getOwned(operand);
  const { removeServer } = await import("@/lib/servers/management");
  if (!(await removeServer(accountId, id))) throw notFound(operand);
  return `Removed ${name} with its keys, samples and benchmark runs.`;
}

async function getOwned(text: string): Promise<{ accountId: number; id: number; name: string }> {
  const { findFleetServer } = await import("@/lib/servers/management");
  const id = findId(text);
  const server = id === null ? null : await findFleetServer(id);
  if (!server) throw notFound(text);
  return { accountId: server.accountId, id: server.id, name: `server ${server.id} (${server.label})` };
}

function notFound(text: string): PlainError {
  return new PlainError(`There is no server "${text}". See: ${SERVER} list`);
}

function keyText(rawKey: string): string {
  return `Its key, shown only now: ${rawKey}\nOn that machine: sh agent.sh install URL-OF-THE-CONSOLE`;
}

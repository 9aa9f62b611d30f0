import { PlainError } from "@/lib/failures";
import { findId } from "@/lib/http/ids";
import { calledAs } from "./called-as";
import { runSubcommand, type Subcommand } from "./subcommands";
import { formatTable } from "./table";

const EDGE = calledAs("console", "edge");

const HELP = `Manages the edge nodes, which protect game services.

  ${EDGE} list
  ${EDGE} add NAME           prints the node's key, once
  ${EDGE} replace-key ID     prints the new key, once; the old one works for an hour
  ${EDGE} end-old-keys ID    replaced keys are refused at once
  ${EDGE} remove ID          its keys are refused at once; what it counted stays

ID is what list shows.`;

const COMMANDS: Readonly<Record<string, Subcommand<Record<string, never>>>> = {
  list: { operands: "", run: list },
  add: { operands: "NAME", run: ([name = ""]) => add(name) },
  "replace-key": { operands: "ID", run: ([id = ""]) => replaceKey(id) },
  "end-old-keys": { operands: "ID", run: ([id = ""]) => endOldKeys(id) },
  remove: { operands: "ID", run: ([id = ""]) => remove(id) },
};

/** `npm run console -- edge`: manages edge nodes from the command line. For operators. */
export async function main(args: string[]): Promise<void> {
  await runSubcommand({ calledAs: EDGE, help: HELP, options: {} }, COMMANDS, args);
}

async function list(): Promise<string> {
  const { isHeardLately, listNodes } = await import("@/lib/game-services/edges/nodes");
  const nodes = await listNodes();
  if (nodes.length === 0) return `There are no edge nodes yet. Add the first with: ${EDGE} add NAME`;
  const rows = nodes.map(({ id, name, agent, lastHeardAt, services: { current, behind, failed } }) => [
    String(id),
    name,
    lastHeardAt === null ? "never heard" : isHeardLately(lastHeardAt) ? "live" : "silent",
    lastHeardAt?.toISOString() ?? "never",
    agent ?? "-",
    `${current} current, ${behind} behind, ${failed} failed`,
  ]);
  return formatTable([["ID", "NAME", "STATE", "LAST HEARD", "PROGRAM", "SERVICES"], ...rows]);
}

async function add(name: string): Promise<string> {
  const { addNode } = await import("@/lib/game-services/edges/nodes");
  const added = await addNode(name);
  if (added.kind === "invalid") throw new PlainError(added.message);
  return `Added edge node ${added.id} (${name.trim()}).\n${keyText(added.rawKey)}`;
}

async function replaceKey(text: string): Promise<string> {
  const { replaceNodeKey } = await import("@/lib/game-services/edges/nodes");
  const id = findId(text);
  const replaced = id === null ? null : await replaceNodeKey(id);
  if (replaced?.kind === "too-often") throw new PlainError(replaced.message);
  if (replaced?.kind !== "replaced") throw notFound(text);
  return `Replaced the key of edge node ${id} (${replaced.name}); the old one works for one more hour.\n${keyText(replaced.rawKey)}`;
}

async function endOldKeys(text: string): Promise<string> {
  const { endReplacedKeys } = await import("@/lib/game-services/edges/nodes");
  const id = findId(text);
  const name = id === null ? null : await endReplacedKeys(id);
  if (name === null) throw notFound(text);
  return `Only the newest key of edge node ${id} (${name}) works now.`;
}

async function remove(text: string): Promise<string> {
  const { removeNode } = await import("@/lib/game-services/edges/nodes");
  const id = findId(text);
  const name = id === null ? null : await removeNode(id);
  if (name === null) throw notFound(text);
  return `Removed edge node ${id} (${name}) with its keys. What it counted stays.`;
}

function notFound(text: string): PlainError {
  return new PlainError(`There is no edge node "${text}". See: ${EDGE} list`);
}

function keyText(rawKey: string): string {
  return `Its key, shown only now: ${rawKey}`;
}

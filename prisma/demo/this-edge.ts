import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NFT_TABLE } from "@/edge/packets.mjs";
import { db } from "@/lib/database/client";
import { addNode, replaceNodeKey } from "@/lib/game-services/edges/nodes";
import { EdgeCommands, end } from "@/prisma/demo/edge-programs";
import { requireFree } from "@/server/listen";

const NODE = "this-machine";
const SLOTS = 64;

type ThisEdge = {
  /** For the person who started the demo. */
  line: string;
  stop(): Promise<void>;
};

/** The machine that the demo runs on becomes an edge node: public/edge.mjs with a HAProxy of its own on loopback. */
export async function startThisEdge(origin: string): Promise<ThisEdge> {
  const dir = mkdtempSync(join(tmpdir(), "console-demo-edge-"));
  const listen = `127.0.0.1:${await requireFree(0, "127.0.0.1")}`;
  const commands = new EdgeCommands(dir, listen);
  const [haproxyProgram, ...haproxyArgs] = commands.haproxy(SLOTS);
  const key = await renewKey();
  const logFile = join(dir, "log");
  const log = openSync(logFile, "a");
  const haproxy = spawn(haproxyProgram, haproxyArgs, { stdio: ["ignore", log, log] });
  const [edgeProgram, ...edgeArgs] = commands.edge(origin);
  const edge = spawn(edgeProgram, edgeArgs, { stdio: ["pipe", log, log] });
  closeSync(log);
  // It may have ended already; its log says why.
  edge.stdin?.on("error", () => {});
  edge.stdin?.end(`${key}\n`);
  // Both end with the demo.
  const kill = () => [edge, haproxy].map((child) => child.kill("SIGKILL"));
  process.once("exit", kill);
  return {
    line: `Edge node "${NODE}": players of a game service connect to ${listen} (public/edge.mjs and HAProxy, which log to ${logFile}).`,
    async stop() {
      await end(edge);
      await end(haproxy);
      process.off("exit", kill);
      spawnSync("nft", ["delete", "table", ...NFT_TABLE.split(" ")]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A raw key cannot be read again, so each start makes one. */
async function renewKey(): Promise<string> {
  const row = await db.edgeNode.findUnique({ where: { name: NODE }, select: { id: true } });
  // The keys of earlier starts end.
  if (row) await db.edgeNodeKey.deleteMany({ where: { nodeId: row.id } });
  const result = row ? await replaceNodeKey(row.id) : await addNode(NODE);
  if ("rawKey" in result) return result.rawKey;
  throw new Error(`The edge node "${NODE}" has no key: ${result.kind}.`);
}

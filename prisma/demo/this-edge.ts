import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { db } from "@/lib/database/client";
import { addNode, replaceNodeKey } from "@/lib/game-services/edges/nodes";
import { NFT_TABLE } from "@/prisma/demo/edge-programs";
import { requireFree } from "@/server/listen.mjs";

const NODE = "this-machine";
const PROGRAM = "public/edge.mjs";
const SLOTS = "64";

export type ThisEdge = {
  /** For the person who started the demo. */
  line: string;
  stop(): Promise<void>;
};

/** The machine that the demo runs on becomes an edge node: public/edge.mjs with a HAProxy of its own on loopback. */
export async function startThisEdge(origin: string): Promise<ThisEdge> {
  const dir = mkdtempSync(join(tmpdir(), "console-demo-edge-"));
  const runDir = join(dir, "run");
  mkdirSync(runDir);
  writeFileSync(join(runDir, "hosts.map"), "");
  const listen = `127.0.0.1:${await requireFree(0, "127.0.0.1")}`;
  const options = ["--listen", listen, "--run-dir", runDir];
  const config = join(dir, "haproxy.cfg");
  writeFileSync(config, execFileSync(process.execPath, [PROGRAM, "haproxy-config", "--slots", SLOTS, ...options]));
  const haproxy = spawn("haproxy", ["-db", "-f", config], { stdio: "ignore" });
  const words = ["run", origin, "--state-dir", join(dir, "state"), "--allow-private", ...options];
  const edge = spawn(process.execPath, [PROGRAM, ...words], { stdio: ["pipe", "ignore", "ignore"] });
  edge.stdin.end(`${await renewKey()}\n`);
  // Neither outlives the demo.
  const kill = () => [edge, haproxy].map((child) => child.kill("SIGKILL"));
  process.once("exit", kill);
  return {
    line: `Edge node "${NODE}": players of a game service connect to ${listen} (public/edge.mjs and HAProxy).`,
    async stop() {
      await end(edge);
      await end(haproxy);
      process.off("exit", kill);
      spawnSync("nft", ["delete", "table", ...NFT_TABLE]);
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

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

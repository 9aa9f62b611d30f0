import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { db } from "@/lib/database/client";
import { createServer } from "@/lib/servers/management";
import { checkServerNames } from "@/lib/servers/names";
import { replaceServerKey } from "@/lib/servers/server-keys";
import { DEMO_ACCOUNTS } from "@/prisma/demo/data";

export const THIS_MACHINE = "This machine";

/** Passes the key to the daemon. Ends the process group when its own input closes, so that the daemon never outlives the demo. */
const SUPERVISOR = `read -r key; printf '%s\\n' "$key" | sh public/agent.sh run "$0" & cat >/dev/null; kill 0`;

export type ThisMachine = {
  /** For the person who started the demo. */
  line: string;
  stop(): Promise<void>;
};

/** The machine that the demo runs on joins the first account's fleet, checked in by the real daemon. */
export async function startThisMachine(origin: string): Promise<ThisMachine> {
  if (process.platform !== "linux") {
    return {
      line: `"${THIS_MACHINE}" is left out: its daemon reads /proc, which Linux alone has.`,
      stop: async () => {},
    };
  }
  const key = await renewKey();
  const dir = mkdtempSync(join(tmpdir(), "console-demo-agent-"));
  const child = spawn("sh", ["-c", SUPERVISOR, origin], {
    // A group of its own: the supervisor ends the group.
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
    env: { ...process.env, STATE_DIRECTORY: dir },
  });
  child.stdin.write(`${key}\n`);
  reportEnd(child);
  return {
    line: `"${THIS_MACHINE}" is in the fleet of ${DEMO_ACCOUNTS[0].email}, checked in by public/agent.sh.`,
    async stop() {
      const exited = once(child, "exit");
      if (child.exitCode === null && child.signalCode === null) {
        child.stdin.end();
        await exited;
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Shows why the daemon ended (curl is missing, say). The log of a running daemon is not shown. */
function reportEnd(child: ChildProcess): void {
  child.stderr?.on("data", (chunk: Buffer) => {
    const [, reason] = /^agent\.sh: (.*)$/m.exec(String(chunk)) ?? [];
    if (reason) console.log(`"${THIS_MACHINE}" is left out: ${reason}`);
  });
}

/** A raw key cannot be read again, so each start of the demo makes one; those of earlier starts end. */
async function renewKey(): Promise<string> {
  const account = await db.account.findUniqueOrThrow({
    where: { email: DEMO_ACCOUNTS[0].email },
    select: { id: true, servers: { where: { label: THIS_MACHINE }, select: { id: true } } },
  });
  const [server] = account.servers;
  if (!server) {
    const names = { label: THIS_MACHINE, hostname: hostname() };
    const usable = checkServerNames(names).kind === "valid" ? names : { ...names, hostname: "localhost" };
    const created = await createServer(account.id, usable);
    if (created.kind === "created") return created.rawKey;
    throw new Error(`"${THIS_MACHINE}" could not be added: ${created.kind}.`);
  }
  await db.serverKey.deleteMany({ where: { serverId: server.id } });
  const replaced = await replaceServerKey(account.id, server.id);
  if (replaced.kind === "replaced") return replaced.rawKey;
  throw new Error(`The key of "${THIS_MACHINE}" could not be renewed: ${replaced.kind}.`);
}

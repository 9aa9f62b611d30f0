import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { db } from "@/lib/database/client";
import { SECOND } from "@/lib/format/time";
import { createServer } from "@/lib/servers/management";
import { checkServerNames } from "@/lib/servers/names";
import { replaceServerKey } from "@/lib/servers/server-keys";
import { FIRST_ACCOUNT } from "./data";

const THIS_MACHINE = "This machine";

/** Passes the key to the daemon. Ends the process group when its own input closes, so that the daemon never outlives the demo. */
const SUPERVISOR = `read -r key; printf '%s\\n' "$key" | sh public/agent.sh run "$0" & cat >/dev/null; kill 0`;

/** How long its first check-in is awaited, in milliseconds, until it counts as late. */
const PATIENCE = 20 * SECOND;

/**
 * The machine that the demo runs on joins the first account's fleet, checked in by the real daemon. `line`: for the person who
 * started the demo, as soon as it is known whether the daemon checks in; null if it is stopped before.
 */
export async function startThisMachine(origin: string) {
  if (process.platform !== "linux") {
    const line = Promise.resolve(`"${THIS_MACHINE}" is left out: its daemon reads /proc, which Linux alone has.`);
    return { line, stop: async () => {} };
  }
  const { serverId, key } = await renewKey();
  const dir = mkdtempSync(join(tmpdir(), "console-demo-agent-"));
  const child = spawn("sh", ["-c", SUPERVISOR, origin], {
    // A group of its own: the supervisor ends the group.
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
    env: { ...process.env, STATE_DIRECTORY: dir },
  });
  child.stdin.write(`${key}\n`);
  const stopping = new AbortController();
  const line = tellOutcome(child, serverId, stopping.signal);
  return {
    line,
    async stop() {
      stopping.abort();
      await line;
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/**
 * Waits for the first check-in, or for what the daemon says when it cannot run (curl is missing, say): then the machine
 * leaves the fleet, unless an earlier demo had it check in.
 */
async function tellOutcome(child: ChildProcess, serverId: number, signal: AbortSignal): Promise<string | null> {
  let reason: string | undefined;
  child.stderr?.on("data", (chunk: Buffer) => {
    reason ??= /^agent\.sh: (.*)$/m.exec(String(chunk))?.[1];
  });
  for (const start = Date.now(); Date.now() - start < PATIENCE && !signal.aborted; ) {
    if (reason) {
      const { count } = await db.server.deleteMany({ where: { id: serverId, firstSeenAt: null } });
      return `"${THIS_MACHINE}" ${count > 0 ? "is left out" : "does not check in any more"}: ${reason}`;
    }
    // A look that fails is repeated: beside the simulator, or while the database is away, one can take too long.
    const uses = await db.serverKey.count({ where: { serverId, lastUsedAt: { not: null } } }).catch(() => 0);
    if (uses > 0) return `"${THIS_MACHINE}" is in the fleet of ${FIRST_ACCOUNT.email}, checked in by public/agent.sh.`;
    await wait(SECOND / 5, undefined, { signal }).catch(() => {});
  }
  return signal.aborted ? null : `"${THIS_MACHINE}" has not checked in yet; public/agent.sh goes on trying.`;
}

/** A raw key cannot be read again, so each start of the demo makes one; those of earlier starts end. */
async function renewKey(): Promise<{ serverId: number; key: string }> {
  const account = await db.account.findUniqueOrThrow({
    where: { email: FIRST_ACCOUNT.email },
    select: { id: true, servers: { where: { label: THIS_MACHINE }, select: { id: true } } },
  });
  const [server] = account.servers;
  if (!server) {
    const names = { label: THIS_MACHINE, hostname: hostname() };
    const usable = checkServerNames(names).kind === "valid" ? names : { ...names, hostname: "localhost" };
    const created = await createServer(account.id, usable);
    if (created.kind === "created") return { serverId: created.id, key: created.rawKey };
    throw new Error(`"${THIS_MACHINE}" could not be added: ${created.kind}.`);
  }
  await db.serverKey.deleteMany({ where: { serverId: server.id } });
  const replaced = await replaceServerKey(account.id, server.id);
  if (replaced.kind === "replaced") return { serverId: server.id, key: replaced.rawKey };
  throw new Error(`The key of "${THIS_MACHINE}" could not be renewed: ${replaced.kind}.`);
}

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** What /proc writes for a socket that listens. */
const LISTEN = "0A";

/** The TCP ports on which a process listens, each once, as Linux knows them. */
export function listeningPorts(pid: number): number[] {
  const dir = join("/proc", String(pid), "fd");
  const own = new Set(
    readdirSync(dir).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(join(dir, fd)))?.[1] ?? [];
      } catch {
        // It was closed meanwhile.
        return [];
      }
    }),
  );
  const sockets = ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(join("/proc", String(pid), "net", table), "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/)),
  );
  const ports = sockets.flatMap(([, local = "", , state, , , , , , inode = ""]) =>
    state === LISTEN && own.has(inode) ? Number.parseInt(local.split(":")[1] ?? "", 16) : [],
  );
  return [...new Set(ports)].sort((a, b) => a - b);
}

import { type ChildProcess, execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NFT_TABLE } from "@/edge/packets.mjs";
import { PlainError } from "@/lib/failures";

const PROGRAM = "public/edge.mjs";

/** @throws PlainError when this machine cannot be an edge node. */
export function requireEdgePrograms(): void {
  if (process.getuid?.() !== 0) throw new PlainError("--edge needs root, because a node counts packets with nftables.");
  for (const [program, ...args] of [
    ["haproxy", "-v"],
    ["nft", "--version"],
  ] as const) {
    if (spawnSync(program, args).status !== 0) throw new PlainError(`--edge needs ${program}, which is not installed.`);
  }
  if (spawnSync("nft", ["list", "table", ...NFT_TABLE.split(" ")]).status === 0) {
    throw new PlainError("This machine is an edge node already: there is an nftables table inet console_edge.");
  }
}

/** The commands of an edge node that keeps everything in one folder. `listen`: the ip and port for players. */
export class EdgeCommands {
  readonly #dir: string;
  readonly #options: string[];
  /** HAProxy's socket, and the name of its map of hostnames. */
  readonly socket: string;
  readonly map: string;

  constructor(
    dir: string,
    listen = ":25565",
    readonly program = PROGRAM,
  ) {
    this.#dir = dir;
    this.#options = ["--listen", listen, "--run-dir", join(dir, "run")];
    this.socket = join(dir, "run", "haproxy.sock");
    this.map = join(dir, "run", "hosts.map");
  }

  /** Writes what HAProxy starts with: its configuration and an empty map. `limits`: further options of `haproxy-config`. */
  haproxy(slots: number, limits: readonly string[] = []): [program: string, ...args: string[]] {
    const config = join(this.#dir, "haproxy.cfg");
    const args = [this.program, "haproxy-config", "--slots", String(slots), ...limits, ...this.#options];
    mkdirSync(join(this.#dir, "run"), { recursive: true });
    writeFileSync(this.map, "");
    writeFileSync(config, execFileSync(process.execPath, args));
    return ["haproxy", "-db", "-f", config];
  }

  /** Runs edge.mjs for the console at `url`. It reads its key from standard input, and serves private origins, too. */
  edge(url: string): [program: string, ...args: string[]] {
    const words = ["run", url, "--state-dir", join(this.#dir, "state"), "--allow-private", ...this.#options];
    return [process.execPath, this.program, ...words];
  }
}

/** Ends a program and waits until it is gone. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The commands of an edge node that keeps everything in one folder. */
export class EdgeCommands {
  readonly #dir: string;
  readonly #options: string[];
  /** HAProxy's socket, and the name of its map of hostnames. */
  readonly socket: string;
  readonly map: string;

  constructor(
    dir: string,
    readonly program: "public/edge.mjs" | "edge/main.mjs",
  ) {
    this.#dir = dir;
    this.#options = ["--listen", ":25565", "--run-dir", join(dir, "run")];
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

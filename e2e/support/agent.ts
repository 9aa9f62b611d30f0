import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const AGENT = "public/agent.sh";
/** Debian's default shell, and one that differs from it the most. */
export const SHELLS = [["dash"], ["busybox", "sh"]] as const;

/**
 * A ping that answers at once, but not before the kernel has counted some ticks: an agent's first sample is measured while
 * it pings, and of no tick there is no share of the CPU to tell.
 */
export const PING = "/bin/sleep 0.1; echo '5 packets transmitted, 5 received, 0% packet loss, time 4ms'";

/** Unsets the machine's proxy settings, because the console is local. */
const NO_SETTINGS = Object.fromEntries(
  ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
    .concat(["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"])
    .map((name) => [name, undefined]),
);

/** A program that runs the agent, and its arguments. */
export type Shell = readonly [string, ...string[]];
export type Ended = { code: number | null; stdout: string; stderr: string };

/** A folder of the test's own, with commands that stand before the machine's. */
export class AgentBench {
  readonly dir = mkdtempSync(join(tmpdir(), "console-agent-"));

  /** A command of this name, as a script of sh. */
  shim(name: string, script: string): void {
    const file = join(this.dir, name);
    // It may be a link to the machine's own command, which is written to otherwise.
    rmSync(file, { force: true });
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  /** From now on the agent finds these commands of the machine, the bench's own, and no others. */
  only(names: readonly string[]): void {
    for (const name of names) {
      const [place] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].map((dir) => join(dir, name)).filter(existsSync);
      if (place && !existsSync(join(this.dir, name))) symlinkSync(place, join(this.dir, name));
    }
    this.#path = this.dir;
  }

  #path = `${this.dir}:${process.env.PATH}`;

  /** The agent as a process group of its own, since a shell leaves what it started behind. */
  start([program, ...args]: Shell, words: string[], input = "", variables: Record<string, string> = {}) {
    const child = spawn(program, [...args, AGENT, ...words], {
      detached: true,
      // The tests may run in a container with limits of its own.
      env: { ...process.env, ...NO_SETTINGS, PATH: this.#path, CGROUP_ROOT: join(this.dir, "none"), ...variables },
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    // A command that reads nothing may be gone before this is written.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
    const stop = async () => {
      try {
        process.kill(-(child.pid ?? 0), "SIGTERM");
      } catch {
        // It had ended by itself.
      }
      return ended;
    };
    return { ended, stop, stderr: () => stderr };
  }

  async run(shell: Shell, words: string[], input = "", variables: Record<string, string> = {}): Promise<Ended> {
    return this.start(shell, words, input, variables).ended;
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

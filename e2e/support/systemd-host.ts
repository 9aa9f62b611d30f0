import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "./at-exit";
import { NetworkNamespace } from "./network-namespace";
import { SLOW } from "./patience";
import { type Ended, runProgram } from "./run-program";

/** Debian's systemd, booted in namespaces of its own: see boot-systemd.sh. */
export class SystemdHost {
  readonly network = new NetworkNamespace();
  readonly #dir = mkdtempSync(join(tmpdir(), "console-systemd-"));
  readonly #cgroup = `console-${randomBytes(4).toString("hex")}`;
  readonly #outer: ChildProcess;
  #output = "";
  #pid = "";

  private constructor(shown: Record<string, string>) {
    const namespaces = ["--pid", "--mount", "--uts", "--ipc", "--fork", "--kill-child", "--propagation", "private"];
    const boot = [
      "sh",
      "e2e/support/boot-systemd.sh",
      this.#dir,
      this.#cgroup,
      ...Object.entries(shown).flatMap(([to, from]) => [from, to]),
    ];
    this.#outer = spawn("ip", ["netns", "exec", this.network.name, "unshare", ...namespaces, ...boot]);
    this.#outer.stdout?.on("data", (chunk) => (this.#output += chunk));
    this.#outer.stderr?.on("data", (chunk) => (this.#output += chunk));
    atExit(() => this.#remove());
  }

  /** Boots with these files and folders of the machine shown, read-only, at other paths: `{ to: from }`, folders before what lies in them. */
  static async boot(shown: Record<string, string>): Promise<SystemdHost> {
    const host = new SystemdHost(shown);
    try {
      await host.#booted();
      return host;
    } catch (error) {
      await host.stop();
      throw error;
    }
  }

  /** Runs a command inside, as root. */
  run(program: string, ...args: string[]): Promise<Ended> {
    return runProgram("nsenter", ["--target", this.#pid, "--all", program, ...args]);
  }

  write(path: string, text: string): void {
    writeFileSync(join("/proc", this.#pid, "root", path), text);
  }

  /** A property of a unit, as `systemctl show` prints it. */
  async property(unit: string, name: string): Promise<string> {
    return (await this.run("systemctl", "show", "--value", "--property", name, unit)).output.trim();
  }

  async stop(): Promise<void> {
    const ended = this.#outer.exitCode === null && this.#outer.signalCode === null ? once(this.#outer, "exit") : null;
    this.#outer.kill("SIGKILL");
    await ended;
    this.#remove();
  }

  async #booted(): Promise<void> {
    for (
      const end = Date.now() + SLOW.timeout;
      Date.now() < end;
      await new Promise((again) => setTimeout(again, 100))
    ) {
      if (this.#outer.exitCode !== null) break;
      const { pid } = this.#outer;
      this.#pid = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
      if (this.#pid === "" || readFileSync(`/proc/${this.#pid}/comm`, "utf8") !== "systemd\n") continue;
      if ((await this.run("systemctl", "is-active", "test.target")).code === 0) return;
    }
    throw new Error(`systemd did not start in its namespaces: ${this.#output}`);
  }

  /** Ends what still runs, and removes the control group and the folder. */
  #remove(): void {
    this.#outer.kill("SIGKILL");
    this.network.remove();
    if (!existsSync(this.#dir)) return;
    const script = `mount -t cgroup2 cgroup2 "$0" && cd "$0/$1" 2>/dev/null || exit 0
      echo 1 >cgroup.kill
      until grep -q 'populated 0' cgroup.events; do sleep 0.05; done
      find . -depth -mindepth 1 -type d -exec rmdir {} +
      cd .. && rmdir "$1"`;
    execFileSync("unshare", ["--mount", "sh", "-c", script, this.#dir, this.#cgroup]);
    rmSync(this.#dir, { recursive: true });
  }
}

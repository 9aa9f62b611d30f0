import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SECOND } from "@/lib/format/time";
import { mintToken } from "@/lib/tokens/format";
import { listen } from "./listen";

export const AGENT = "public/agent.sh";
/** Debian's default shell, and one that differs from it the most. */
export const SHELLS = [["dash"], ["busybox", "sh"]] as const;

/**
 * A ping that answers at once, but not before the kernel has counted some ticks: an agent's first sample is measured while
 * it pings, and of no tick there is no share of the CPU to tell.
 */
export const PING = "/bin/sleep 0.1; echo '5 packets transmitted, 5 received, 0% packet loss, time 4ms'";

/** All that the agent needs beside curl or GNU wget. */
export const TOOLS =
  "sh dash busybox awk cat cksum cut date df grep head id mkdir mktemp mv od rm sed sleep tail timeout tr uname wc".split(
    " ",
  );

/** Unsets the machine's proxy settings, because the console is local. */
const NO_SETTINGS = Object.fromEntries(
  ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
    .concat(["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"])
    .map((name) => [name, undefined]),
);

/** A program that runs the agent, and its arguments. */
export type Shell = readonly [string, ...string[]];
export type Ended = { code: number | null; stdout: string; stderr: string };

const INSTALLED = [["dash"], ["busybox", "sh"], ["bash"]].filter(([program]) =>
  ["/bin", "/usr/bin"].some((dir) => existsSync(join(dir, String(program)))),
) as unknown as Shell[];
/** In CI each; elsewhere the first: what a machine is made of does not depend on its shell. */
export const EACH_SHELL = process.env.CI ? INSTALLED : INSTALLED.slice(0, 1);

/** What the agent says of a machine. */
type Told = Record<string, unknown> & { facts: Record<string, unknown> };
type Checked = { sampled_at: number; daemon?: string; disk_used_pct?: number; cpu_pct?: number };
export type Answer = { status?: number; headers?: Record<string, string>; body?: string };

const STORED = '{"data":{"stored":true}}';
/** Takes a check-in, without a Date: the clock of some tests is not the true one. */
export const stored = (response: ServerResponse) => {
  response.sendDate = false;
  return response.end(STORED);
};

export function writeFiles(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

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
      // The number of a group that has ended may be another's by now.
      if (!child.stdout.closed || !child.stderr.closed) {
        try {
          process.kill(-(child.pid ?? 0), "SIGTERM");
        } catch {
          // It had ended by itself.
        }
      }
      return ended;
    };
    this.leftovers.push(stop);
    return { ended, stop, stderr: () => stderr };
  }

  async run(shell: Shell, words: string[], input = "", variables: Record<string, string> = {}): Promise<Ended> {
    return this.start(shell, words, input, variables).ended;
  }

  /** The recorded machine, with these files of /proc and of the root of its cgroups. */
  machine(proc: Record<string, string> = {}, cgroup: Record<string, string> = {}) {
    const [PROC_ROOT, CGROUP_ROOT] = [join(this.dir, "proc"), join(this.dir, "cgroup")];
    cpSync("e2e/support/proc/before", PROC_ROOT, { recursive: true });
    mkdirSync(CGROUP_ROOT, { recursive: true });
    writeFiles(PROC_ROOT, { "self/mountinfo": "26 1 254:0 / / rw,relatime - ext4 /dev/vda1 rw\n", ...proc });
    writeFiles(CGROUP_ROOT, cgroup);
    return { PROC_ROOT, CGROUP_ROOT };
  }

  async print(variables: Record<string, string>, shell: Shell = ["dash"]): Promise<Told & { stderr: string }> {
    const { stdout, stderr } = await this.run(shell, ["print"], "", variables);
    return { ...JSON.parse(stdout), stderr };
  }

  /** A folder in the place of one in memory. */
  memory(): string {
    const folder = join(this.dir, "memory");
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** One check-in with a key of no server. */
  once(origin: string, variables: Record<string, string> = {}, shell: Shell = ["dash"]): Promise<Ended> {
    return this.run(shell, ["once", origin], `${mintToken("serverKey")}\n`, variables);
  }

  /** The agent as systemd runs it. */
  startService(origin: string, variables: Record<string, string> = {}, shell: Shell = ["dash"]) {
    const folders = { STATE_DIRECTORY: this.dir, RUNTIME_DIRECTORY: this.memory() };
    return this.start(shell, ["run", origin], `${mintToken("serverKey")}\n`, { ...folders, ...variables });
  }

  /** A fake clock. It advances with each sleep and stops after this many seconds. */
  startClock(seconds: number, start = Math.floor(Date.now() / SECOND)) {
    const path = join(this.dir, "clock");
    writeFileSync(path, `${start}\n`);
    const elapsed = () => Number(readFileSync(path, "utf8").trim() || start) - start;
    const advance = (by: number) => writeFileSync(path, `${start + elapsed() + by}\n`);
    // By the shell alone: an agent of an hour asks it a thousand times.
    this.shim("date", `read -r now <${path}; echo $now`);
    this.shim(
      "sleep",
      `read -r now <${path}; [ $((now - ${start})) -lt ${seconds} ] || exec /bin/sleep 60; echo $((now + $1)) >${path}`,
    );
    return { path, elapsed, advance };
  }

  /** Run when the bench is removed, the last first. */
  readonly leftovers: (() => unknown)[] = [];

  /** A server in the console's place, which notes what it is asked and the samples that it gets. */
  async startAnswering(answer: (response: ServerResponse, count: number, sample: Checked) => void) {
    const samples: Checked[] = [];
    const asked: string[] = [];
    const server = createServer((incoming, outgoing) => {
      let text = "";
      incoming.on("data", (chunk) => (text += chunk));
      incoming.on("end", () => {
        const sample = JSON.parse(text || "{}");
        asked.push(`${incoming.method} ${incoming.url}`);
        answer(outgoing, samples.push(sample), sample);
      });
    });
    const origin = `http://127.0.0.1:${await listen(server)}`;
    this.leftovers.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { origin, samples, asked };
  }

  /** As `startAnswering`, with a Date that is years behind. */
  startConsole(answer: (count: number, sampledAt: number) => Answer = () => ({})) {
    return this.startAnswering((response, count, { sampled_at }) => {
      const { status = 200, headers = {}, body = STORED } = answer(count, sampled_at);
      response.writeHead(status, { Date: "Tue, 10 Mar 2020 10:00:00 GMT", ...headers });
      response.end(body);
    });
  }

  async remove(): Promise<void> {
    for (const end of this.leftovers.splice(0).reverse()) await end();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

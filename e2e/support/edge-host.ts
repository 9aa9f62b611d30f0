import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "./at-exit";
import { NetworkNamespace } from "./network-namespace";
import { FACT } from "./patience";

const EDGE = "public/edge.mjs";
const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
/** The pings of an edge node leave from these ports. */
export const isPing = ({ remotePort = 0 }: Socket) => remotePort >= 61_000 && remotePort <= 61_999;

/** A machine of its own, in a network namespace, with HAProxy and nftables: Debian's. */
export class EdgeHost {
  readonly dir = mkdtempSync(join(tmpdir(), "console-edge-"));
  readonly #network = new NetworkNamespace();
  /** The ip of the machine that the test runs on, as this one sees it. */
  readonly outside = this.#network.outside;
  readonly ip = this.#network.ip;
  #haproxy: ChildProcess | undefined;
  #edge: ChildProcess | undefined;
  output = "";

  get runDir(): string {
    return join(this.dir, "run");
  }

  /** Starts HAProxy with the configuration that the edge node prints. */
  async startHaproxy(slots = 8): Promise<void> {
    mkdirSync(this.runDir, { recursive: true });
    writeFileSync(join(this.runDir, "hosts.map"), "");
    const config = join(this.dir, "haproxy.cfg");
    const args = [EDGE, "haproxy-config", "--slots", String(slots), "--run-dir", this.runDir];
    writeFileSync(config, execFileSync(process.execPath, args));
    execFileSync("haproxy", ["-c", "-f", config], { stdio: "pipe" });
    this.#haproxy = this.#inside(["haproxy", "-db", "-f", config]);
    await this.#listening();
  }

  async #listening(): Promise<void> {
    for (const end = Date.now() + FACT; Date.now() < end; ) {
      const sockets = execFileSync("ip", ["netns", "exec", this.#network.name, "ss", "-Htnl"], { encoding: "utf8" });
      if (sockets.includes(":25565 ")) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("HAProxy does not listen.");
  }

  /** Starts the edge node. Its clock is `minutesAgo` behind and runs `speed` times as fast. */
  startEdge(url: string, key: string, { minutesAgo = 0, speed = 1 } = {}): void {
    const variables = speed === 1 ? {} : { LD_PRELOAD: FAKETIME, FAKETIME: `-${minutesAgo}m x${speed}` };
    const words = ["run", url, "--run-dir", this.runDir, "--state-dir", join(this.dir, "state"), "--allow-private"];
    this.#edge = this.#inside([process.execPath, EDGE, ...words], variables);
    this.#edge.stdin?.end(`${key}\n`);
    this.#edge.stderr?.on("data", (chunk) => (this.output += chunk));
  }

  /** Ends the edge node's program; HAProxy goes on. */
  async stopEdge(): Promise<void> {
    await end(this.#edge);
  }

  async remove(): Promise<void> {
    await Promise.all([end(this.#edge), end(this.#haproxy)]);
    this.#network.remove();
    rmSync(this.dir, { recursive: true, force: true });
  }

  #inside(command: string[], variables: Record<string, string> = {}): ChildProcess {
    const child = spawn("ip", ["netns", "exec", this.#network.name, ...command], {
      env: { ...process.env, ...variables },
      stdio: "pipe",
    });
    atExit(() => child.kill("SIGKILL"));
    return child;
  }
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

/** Connects an edge host to a console on loopback. It can be cut. It removes the Date header. */
export class Way {
  readonly #server: Server;
  isCut = false;

  constructor(origin: string) {
    this.#server = createServer((incoming, outgoing) => {
      if (this.isCut) return incoming.socket.destroy();
      const { host: _, ...headers } = incoming.headers;
      const forwarded = request(new URL(incoming.url ?? "/", origin), { method: incoming.method, headers });
      forwarded.on("response", (answer) => {
        const { date: __, ...kept } = answer.headers;
        outgoing.sendDate = false;
        outgoing.writeHead(answer.statusCode ?? 502, kept);
        answer.pipe(outgoing);
      });
      forwarded.on("error", () => outgoing.destroy());
      outgoing.on("close", () => forwarded.destroy());
      incoming.pipe(forwarded);
    });
  }

  async listen(host: string): Promise<string> {
    this.#server.listen(0, host);
    await once(this.#server, "listening");
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.isCut = true;
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}

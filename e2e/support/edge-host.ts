import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { DAY, MINUTE, SECOND } from "@/lib/format/time";
import { atExit } from "./at-exit";
import { listen } from "./listen";
import { NetworkNamespace } from "./network-namespace";
import { FACT } from "./patience";
import { findFaketime } from "./programs.mjs";

/** The pings of an edge node leave from these ports. */
export const isPing = ({ remotePort = 0 }: Socket) => remotePort >= 61_000 && remotePort <= 61_999;

/** A machine of its own, in a network namespace, with HAProxy and nftables: Debian's. */
export class EdgeHost {
  readonly #dir = mkdtempSync(join(tmpdir(), "console-edge-"));
  readonly #runDir = join(this.#dir, "run");
  readonly #options = ["--listen", ":25565", "--run-dir", this.#runDir];
  readonly #socket = join(this.#runDir, "haproxy.sock");
  /** The name of HAProxy's map of hostnames. */
  readonly #map = join(this.#runDir, "hosts.map");
  readonly #clockFile = join(this.#dir, "clock");
  /** What the edge node's clock is ahead of this machine's, in milliseconds. */
  #ahead = -60 * MINUTE;
  readonly #network = new NetworkNamespace();
  /** The ip of the machine that the test runs on, as this one sees it. */
  readonly outside = this.#network.outside;
  readonly ip = this.#network.ip;
  readonly outside6 = this.#network.outside6;
  readonly neighbour6 = this.#network.neighbour6;
  readonly ip6 = this.#network.ip6;
  #haproxy: ChildProcess | undefined;
  #edge: ChildProcess | undefined;
  output = "";
  /** How much of the output was there before the edge node started. */
  #startedAt = 0;

  /** `program`: the one that is served, or its source, which needs no build. */
  constructor(readonly program: "public/edge.mjs" | "edge/main.mjs" = "public/edge.mjs") {}

  /** How many of its minutes the edge node has ended. */
  get minutes(): number {
    return this.output.match(/last minute/g)?.length ?? 0;
  }

  /** Starts HAProxy with the configuration that the edge node prints, and an empty map. `limits`: further options of `haproxy-config`. */
  async startHaproxy(slots = 8, limits: readonly string[] = []): Promise<void> {
    const config = join(this.#dir, "haproxy.cfg");
    const words = [this.program, "haproxy-config", "--slots", String(slots), ...limits, ...this.#options];
    mkdirSync(this.#runDir, { recursive: true });
    writeFileSync(this.#map, "");
    writeFileSync(config, execFileSync(process.execPath, words));
    execFileSync("haproxy", ["-c", "-db", "-f", config], { stdio: "pipe" });
    this.#haproxy = this.#inside(["haproxy", "-db", "-f", config]);
    // It says of each server that it was added, and would wait for a reader.
    this.#haproxy.stderr?.resume();
    await this.#listening();
  }

  /** Where a program of this machine names no port of its own, it leaves from one of these. */
  leaveFrom(first: number, last: number): void {
    this.#network.leaveFrom(first, last);
  }

  /** HAProxy's servers of game services: which slot, ip and port, and whether they take new players. */
  async servers(): Promise<{ slot: string; end: string; isReady: boolean }[]> {
    const [, , ...rows] = (await this.#ask("show servers state")).trim().split("\n");
    return rows
      .map((row) => row.split(" "))
      .filter(([, backend]) => backend?.startsWith("slot_"))
      .map((values) => ({ slot: values[1] ?? "", end: `${values[4]}:${values[18]}`, isReady: values[6] === "0" }));
  }

  /** The connections that HAProxy has open, and how many it closed: at once, and after a look at what they sent. */
  async connections(): Promise<{ open: number; closedAtOnce: number; closedLater: number }> {
    const [names = [], values = []] = (await this.#ask("show stat players 1 -1"))
      .split("\n")
      .map((row) => row.split(","));
    const value = (name: string) => Number(values[names.indexOf(name)]);
    return { open: value("scur"), closedAtOnce: value("dcon"), closedLater: value("dreq") };
  }

  /** Counts from now on the packets of connections to `port` that leave from these ports, both ways. */
  countPackets(port: number, ranges: readonly (readonly [first: number, last: number])[]): () => number[] {
    const nft = (input: string, ...args: string[]) =>
      execFileSync("ip", ["netns", "exec", this.#network.name, "nft", ...args], { input, encoding: "utf8" });
    const rules = ranges.flatMap(([first, last], index) =>
      ["output", "input"].map((chain) => {
        const [own, far] = chain === "output" ? ["sport", "dport"] : ["dport", "sport"];
        return `add rule inet judge ${chain} tcp ${far} ${port} tcp ${own} ${first}-${last} counter name range_${index}`;
      }),
    );
    const chains = ["output", "input"].map(
      (chain) => `add chain inet judge ${chain} { type filter hook ${chain} priority 1; }`,
    );
    const counters = ranges.map((_, index) => `add counter inet judge range_${index}`);
    nft(["add table inet judge", ...chains, ...counters, ...rules, ""].join("\n"), "-f", "-");
    return () =>
      ranges.map((_, index) => {
        const { nftables } = JSON.parse(nft("", "-j", "list", "counter", "inet", "judge", `range_${index}`));
        return nftables.find((one: { counter?: { packets: number } }) => one.counter).counter.packets;
      });
  }

  /** As `systemctl restart nftables` begins. */
  flushRules(): void {
    execFileSync("ip", ["netns", "exec", this.#network.name, "nft", "flush", "ruleset"]);
  }

  /** Its players are closed, and it forgets everything that was applied and counted. */
  async stopHaproxy(): Promise<void> {
    if (this.#haproxy) await end(this.#haproxy);
  }

  /** What HAProxy answers to a command. */
  async #ask(command: string): Promise<string> {
    const socket = connect(this.#socket, () => socket.write(`${command}\n`));
    return text(socket);
  }

  async #listening(): Promise<void> {
    for (const end = Date.now() + FACT; Date.now() < end; ) {
      const sockets = execFileSync("ip", ["netns", "exec", this.#network.name, "ss", "-Htnl"], { encoding: "utf8" });
      if (sockets.includes(":25565 ")) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("HAProxy does not listen.");
  }

  /** The hostnames that HAProxy leads to a service. */
  async ledHostnames(): Promise<string[]> {
    const rows = (await this.#ask(`show map ${this.#map}`)).trim().split("\n");
    return rows.map((row) => row.replace(/^0x\w+ (.*) (?:\w+_)?slot_\d+$/, "$1"));
  }

  /** Where each hostname leads. */
  async ways(): Promise<string[]> {
    const rows = (await this.#ask(`show map ${this.#map}`)).trim().split("\n");
    return rows.map((row) => row.replace(/^0x\w+ .* /, ""));
  }

  /** Puts the edge node's clock forward or back. */
  skip(milliseconds: number): void {
    this.#ahead += milliseconds;
    this.#writeClock();
  }

  #writeClock(): void {
    const seconds = (this.#ahead / SECOND).toFixed(3);
    writeFileSync(`${this.#clockFile}.new`, this.#ahead < 0 ? seconds : `+${seconds}`);
    // The clock is read at any moment, and must be there whole.
    renameSync(`${this.#clockFile}.new`, this.#clockFile);
  }

  /** Ends a minute of the edge node, which has applied everything again then. Its clock never skips past this machine's. */
  async endMinute(): Promise<void> {
    await this.#until(() => this.output.includes("This node runs", this.#startedAt));
    const before = this.minutes;
    const left = MINUTE - ((Date.now() + this.#ahead) % MINUTE);
    if (this.#ahead + left <= 0) this.skip(left);
    await this.#until(() => this.minutes > before);
  }

  async #until(isTrue: () => boolean): Promise<void> {
    for (const deadline = Date.now() + FACT; Date.now() < deadline; ) {
      if (isTrue()) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`The edge node does not start or ends no minute: ${this.output}`);
  }

  /**
   * Starts the edge node. Its clock is so many `minutesAgo` behind, or goes on where it was; at first it is an hour.
   * `isPublic`: it serves no origins in private ranges, as on a real machine. `isSteady`: as on a real machine, its time
   * since the start does not change where its clock is set.
   */
  startEdge(
    url: string,
    key: string,
    { minutesAgo = undefined as number | undefined, isPublic = false, isSteady = false } = {},
  ): void {
    if (minutesAgo !== undefined) this.#ahead = -minutesAgo * MINUTE;
    this.#writeClock();
    const state = ["--state-dir", join(this.#dir, "state")];
    const command = [process.execPath, this.program, "run", url, ...state, ...this.#options];
    if (!isPublic) command.push("--allow-private");
    const systemClock = {
      LD_PRELOAD: findFaketime() ?? "",
      FAKETIME_TIMESTAMP_FILE: this.#clockFile,
      FAKETIME_NO_CACHE: "1",
      DONT_FAKE_MONOTONIC: "1",
    };
    const ownClock = { EDGE_CLOCK: this.#clockFile, NODE_OPTIONS: "--import ./e2e/support/edge-clock.mjs" };
    this.#startedAt = this.output.length;
    this.#edge = this.#inside(command, isSteady ? systemClock : ownClock);
    this.#edge.stdin?.end(`${key}\n`);
    this.#edge.stderr?.on("data", (chunk) => (this.output += chunk));
  }

  /** Ends the edge node's program; HAProxy goes on. */
  async stopEdge(): Promise<void> {
    if (this.#edge) await end(this.#edge);
  }

  async remove(): Promise<void> {
    await Promise.all([this.stopEdge(), this.stopHaproxy()]);
    this.#network.remove();
    rmSync(this.#dir, { recursive: true, force: true });
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

/** Ends a program and waits until it is gone. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  await ended;
}

/** Connects an edge host to a console on loopback. It can be cut. Its own clock is a day off, and it removes the console's time, unless `timeBehind` is set. */
export class Way {
  readonly #server: Server;
  isCut = false;
  /** What the console's clock is behind this machine's, in milliseconds. Null: the console does not say the time. */
  timeBehind: number | null = null;

  constructor(origin: string) {
    this.#server = createServer((incoming, outgoing) => {
      if (this.isCut) return incoming.socket.destroy();
      const { host: _, ...headers } = incoming.headers;
      const forwarded = request(new URL(incoming.url ?? "/", origin), { method: incoming.method, headers });
      forwarded.on("response", (answer) => {
        const { "x-console-time": __, ...kept } = answer.headers;
        const told =
          this.timeBehind === null
            ? {}
            : { "x-console-time": String(Math.floor((Date.now() - this.timeBehind) / SECOND)) };
        const date = new Date(Date.now() - DAY).toUTCString();
        outgoing.writeHead(answer.statusCode ?? 502, { ...kept, date, ...told });
        answer.pipe(outgoing);
      });
      forwarded.on("error", () => outgoing.destroy());
      outgoing.on("close", () => forwarded.destroy());
      incoming.pipe(forwarded);
    });
  }

  async listen(host: string): Promise<string> {
    return `http://${host}:${await listen(this.#server, host)}`;
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

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { atExit } from "./at-exit";

/** Four digits of an ip, as everybody writes them: without a zero at the beginning. */
const group = () => (1 + (randomBytes(2).readUInt16BE() % 0xfffe)).toString(16);

/** A network namespace, linked to the machine that the test runs on and to nothing else. */
export class NetworkNamespace {
  readonly name = `ce${randomBytes(4).toString("hex")}`;
  readonly #net = `10.${64 + ((randomBytes(1)[0] ?? 0) % 128)}.${randomBytes(1)[0]}`;
  /** The ip of the machine that the test runs on, as seen from inside. */
  readonly outside = `${this.#net}.1`;
  readonly ip = `${this.#net}.2`;
  /** The same machines in IPv6. */
  readonly outside6 = `fd00:${group()}:${group()}::1`;
  readonly ip6 = this.outside6.replace(/1$/, "2");
  /** A second ip of the machine that the test runs on, in the same network of 64 bits. */
  readonly neighbour6 = this.outside6.replace(/1$/, "3");

  constructor() {
    const ip = (...args: string[]) => execFileSync("ip", args, { stdio: "pipe" });
    ip("netns", "add", this.name);
    atExit(() => this.remove());
    ip("link", "add", `${this.name}a`, "type", "veth", "peer", "name", `${this.name}b`, "netns", this.name);
    ip("addr", "add", `${this.outside}/30`, "dev", `${this.name}a`);
    ip("addr", "add", `${this.outside6}/64`, "dev", `${this.name}a`, "nodad");
    // Who names no ip of its own leaves from the other one.
    ip("addr", "add", `${this.neighbour6}/64`, "dev", `${this.name}a`, "nodad", "preferred_lft", "0");
    ip("link", "set", `${this.name}a`, "up");
    ip("-n", this.name, "addr", "add", `${this.ip}/30`, "dev", `${this.name}b`);
    ip("-n", this.name, "addr", "add", `${this.ip6}/64`, "dev", `${this.name}b`, "nodad");
    ip("-n", this.name, "link", "set", `${this.name}b`, "up");
    ip("-n", this.name, "link", "set", "lo", "up");
  }

  /** Programs inside that name no port of their own leave from these. */
  leaveFrom(first: number, last: number): void {
    const file = "/proc/sys/net/ipv4/ip_local_port_range";
    execFileSync("ip", ["netns", "exec", this.name, "sh", "-c", `echo ${first} ${last} > ${file}`], { stdio: "pipe" });
  }

  remove(): void {
    try {
      execFileSync("ip", ["netns", "del", this.name], { stdio: "pipe" });
    } catch {
      // It is gone.
    }
  }
}
